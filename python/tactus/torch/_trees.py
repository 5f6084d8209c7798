"""What modules return: tensors, also in tuples, lists and dicts."""

from __future__ import annotations

from typing import Any, Callable, Iterator, List, Mapping, Tuple

#: Makes the same structure again, with other leaves.
Rebuild = Callable[[Iterator[Any]], Any]


def flatten(value: Any) -> Tuple[List[Any], Rebuild]:
    """The leaves, and how to put others in their places.

    >>> leaves, rebuild = flatten({"boxes": 1, "scores": (2, [3])})
    >>> leaves
    [1, 2, 3]
    >>> rebuild(iter("abc"))
    {'boxes': 'a', 'scores': ('b', ['c'])}
    """
    if value is None:
        return [], lambda leaves: None
    if isinstance(value, Mapping):
        keys = list(value)
        parts = [flatten(value[key]) for key in keys]
        return _joined(parts), lambda leaves: {
            key: rebuild(leaves) for key, (_, rebuild) in zip(keys, parts)
        }
    if isinstance(value, (tuple, list)):
        parts = [flatten(item) for item in value]
        kind = type(value)
        named = hasattr(value, "_fields")

        def again(leaves: Iterator[Any]) -> Any:
            items = [rebuild(leaves) for _, rebuild in parts]
            return kind(*items) if named else kind(items)

        return _joined(parts), again
    return [value], lambda leaves: next(leaves)


def _joined(parts: "List[Tuple[List[Any], Rebuild]]") -> List[Any]:
    return [leaf for leaves, _ in parts for leaf in leaves]
