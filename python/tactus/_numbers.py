"""Times and other numbers, exact from the caller to the file."""

from __future__ import annotations

import json
import numbers
import re
from datetime import timedelta
from decimal import Decimal
from typing import Any, Union

#: A time: a number in the unit of its system, a text with a unit of its own (``"33.3 ms"``), or a `timedelta`.
Time = Union[int, float, Decimal, str, timedelta]

_UNITS = {"ns": -9, "us": -6, "µs": -6, "ms": -3, "s": 0}
_TEXT = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(ns|us|µs|ms|s)\s*\Z")
_RATE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*[Hh]z\s*\Z")


def in_unit(time: Time, unit: str) -> Union[int, float, Decimal]:
    """A time as a number in a unit.

    >>> in_unit("33.3 ms", "us")
    Decimal('33300')
    >>> in_unit(5, "ms")
    5
    """
    if isinstance(time, timedelta):
        time = f"{time // timedelta(microseconds=1)} us"
    if not isinstance(time, str):
        return time
    match = _TEXT.match(time)
    if match is None:
        hint = "; a period is a time: 1000 / 30 ms" if _RATE.match(time) else ""
        raise ValueError(f"{time!r} is not a time such as '33.3 ms'{hint}")
    if unit not in _UNITS:
        raise ValueError(f"{time!r} has a unit, but the times of this system have none")
    value = Decimal(match.group(1)).scaleb(_UNITS[match.group(2)] - _UNITS[unit])
    return Decimal(int(value)) if value == value.to_integral() else value.normalize()


def dumps(value: Any, indent: str = "") -> str:
    """JSON with decimals as they are; small lists and objects on one line.

    >>> print(dumps({"wcet": Decimal("0.1"), "on": "gpu"}))
    {"wcet": 0.1, "on": "gpu"}
    """
    line = _on_one_line(value)
    if len(line) + len(indent) <= 100 or not isinstance(value, (dict, list, tuple)):
        return line
    deeper = indent + "  "
    if isinstance(value, dict):
        parts = [f"{json.dumps(str(k))}: {dumps(v, deeper)}" for k, v in value.items()]
        begin, end = "{", "}"
    else:
        parts = [dumps(v, deeper) for v in value]
        begin, end = "[", "]"
    return begin + "\n" + ",\n".join(deeper + part for part in parts) + "\n" + indent + end


def _on_one_line(value: Any) -> str:
    if isinstance(value, dict):
        inside = ", ".join(f"{json.dumps(str(k))}: {_on_one_line(v)}" for k, v in value.items())
        return "{" + inside + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_on_one_line(v) for v in value) + "]"
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return str(int(value))
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Rational):  # numpy's too: 0.1 of 32 bits is 0.1
        value = Decimal(str(value))
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError(f"{value} is not a number that a file can hold")
        return format(value, "f")
    if hasattr(value, "tolist"):  # an array, or a boolean of numpy
        return _on_one_line(value.tolist())
    return json.dumps(value, ensure_ascii=False)


def loads(text: str) -> Any:
    """JSON with every decimal as it is written."""
    return json.loads(_without_comments(text), parse_float=Decimal)


def _without_comments(text: str) -> str:
    """System files may hold comments, which JSON does not know."""
    return re.sub(
        r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/',
        lambda found: found.group() if found.group().startswith('"') else " ",
        text,
        flags=re.S,
    )
