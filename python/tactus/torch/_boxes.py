"""What goes from Python into functions on CPU nodes, and comes out of them."""

from __future__ import annotations

import threading
from collections import deque
from typing import Any, Deque, Dict, Optional, Tuple


class Inbox:
    """The inputs of a function: each job takes the newest, or each takes the next one."""

    def __init__(self, first: Tuple[Any, ...], in_order: bool) -> None:
        self._lock = threading.Lock()
        self._in_order = in_order
        self._waiting: Deque[Tuple[int, Tuple[Any, ...]]] = deque()
        self._value = (0, first)
        self._last = 0

    def begin(self) -> None:
        """A run begins."""
        with self._lock:
            if self._in_order:
                self._waiting.clear()
                self._last = 0

    @property
    def last(self) -> int:
        """The number of the newest input."""
        return self._last

    def put(self, values: Tuple[Any, ...]) -> int:
        with self._lock:
            self._last += 1
            if self._in_order:
                self._waiting.append((self._last, values))
            else:
                self._value = (self._last, values)
            return self._last

    def take(self) -> Tuple[int, Tuple[Any, ...]]:
        """The input of a job, and its number."""
        with self._lock:
            if self._waiting:
                self._value = self._waiting.popleft()
            return self._value


class Outbox:
    """What a function returned in its last jobs."""

    def __init__(self, places: int) -> None:
        self._lock = threading.Lock()
        self._kept: Dict[int, Tuple[Optional[int], Any]] = {}
        self._places = places
        self._number = 0

    def put(self, value: Any, of: Optional[int]) -> None:
        """A job made this of that input."""
        with self._lock:
            self._number += 1
            self._kept[self._number] = (of, value)
            self._kept.pop(self._number - self._places, None)

    @property
    def count(self) -> int:
        return self._number

    @property
    def newest(self) -> Any:
        """What was returned last, for the next node."""
        with self._lock:
            return self._kept[self._number][1] if self._number else None

    def read(self, wanted: Optional[int] = None) -> Optional[Tuple[int, Optional[int], Any]]:
        """Of a job (by default the newest): its number, that of its input, and what it returned."""
        with self._lock:
            number = self._number if wanted is None else wanted
            if number not in self._kept:
                return None
            return (number, *self._kept[number])
