"""Figures of results, by matplotlib where it is there."""

from __future__ import annotations

import importlib
from typing import Any, Optional, Sequence


def axes(given: Any) -> Any:
    """Those that are given, or new ones."""
    if given is not None:
        return given
    try:
        pyplot = importlib.import_module("matplotlib.pyplot")
    except ImportError as missing:
        raise ImportError("plot() needs matplotlib; to_html() and rows() need nothing") from missing
    return pyplot.subplots()[1]


def bars(
    ax: Any, names: Sequence[str], values: Sequence[Optional[float]], limits: Sequence[Optional[float]], unit: str, what: str
) -> Any:
    """A bar per name, the first at the top, with a mark at its limit."""
    ax = axes(ax)
    places = range(len(names))
    ax.barh(places, [value or 0 for value in values], color="tab:blue", label=what)
    marked = [(limit, at) for at, limit in zip(places, limits) if limit is not None]
    ax.plot([m[0] for m in marked], [m[1] for m in marked], "|", color="tab:red", markersize=18, label="deadline")
    ax.set_yticks(places, names)
    ax.invert_yaxis()
    ax.set_xlabel(unit)
    ax.legend()
    return ax
