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
        keys = sorted(value, key=str)  # so that the same keys in another order are the same
        parts = [flatten(value[key]) for key in keys]
        order = list(value)

        def with_keys(leaves: Iterator[Any]) -> Any:
            made = {key: rebuild(leaves) for key, (_, rebuild) in zip(keys, parts)}
            return {key: made[key] for key in order}

        return _joined(parts), with_keys
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


def structure(value: Any) -> str:
    """What it is made of, without its leaves.

    >>> structure(((1, {"mask": 2, "ids": 3}), {}))
    '((*, {ids: *, mask: *}), {})'
    """
    if value is None:
        return "None"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {structure(value[key])}" for key in sorted(value, key=str)) + "}"
    if isinstance(value, (tuple, list)):
        return "(" + ", ".join(structure(item) for item in value) + ")"
    return "*"
