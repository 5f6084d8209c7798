"""Names that there are not, and which one is probably meant."""

from __future__ import annotations

import difflib
from typing import Any, Iterable, TypeVar

_Item = TypeVar("_Item")


def suggestion(word: str, known: Iterable[str]) -> str:
    """What to add to a complaint about a word; empty where nothing is close.

    >>> suggestion("dedline", ["period", "deadline"])
    '; did you mean `deadline`?'
    """
    meant = difflib.get_close_matches(word, list(known), 1)
    return f"; did you mean `{meant[0]}`?" if meant else ""


def named(items: Iterable[_Item], name: str, noun: str, key: str = "name") -> _Item:
    """The item with that name; KeyError, with the name that is close to it, where there is none."""
    known = []
    for item in items:
        known.append(getattr(item, key))
        if known[-1] == name:
            return item
    raise KeyError(f"there is no {noun} `{name}`{suggestion(name, known)}")


class _Checked:
    """Refuses attributes that the class does not have: a misspelt one would change nothing."""

    def __setattr__(self, name: str, value: Any) -> None:
        known = [field for field in getattr(type(self), "__dataclass_fields__") if field[0] != "_"]
        if name not in known and not name.startswith("_"):
            hint = suggestion(name, known)
            if not hint and "more" in known:
                hint = "; an attribute of the file that this package does not know goes into `more`"
            raise AttributeError(f"{type(self).__name__} has no attribute `{name}`{hint}")
        object.__setattr__(self, name, value)
