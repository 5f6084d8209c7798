"""What the CPU does beside a GPU: threads of PyTorch, waking up, state of modules."""

from __future__ import annotations

import contextlib
import threading
import time
from typing import Any, Iterator, List, Sequence, Tuple

from ._lazy import torch

_ours = threading.local()
#: So many times a thread sleeps for this long, to see how late it wakes up.
_WAKE_UPS, _SLEEP_S = 300, 0.002


def one_thread() -> None:
    """A function on a core of its own: more threads of PyTorch would all share that core, and wait for
    each other there. PyTorch has one number for the whole process and one for each thread: the former
    is put back by another thread."""
    if threading.current_thread() is threading.main_thread() or getattr(_ours, "known", False):
        return
    _ours.known = True
    t = torch()
    before = t.get_num_threads()
    t.set_num_threads(1)
    back = threading.Thread(target=t.set_num_threads, args=(before,))
    back.start()
    back.join()


def longest_wake_up() -> float:
    """How late a sleeping thread of Python goes on, at the longest that was seen, in seconds."""
    longest = 0.0
    for _ in range(_WAKE_UPS):
        at = time.monotonic() + _SLEEP_S
        time.sleep(_SLEEP_S)
        longest = max(longest, time.monotonic() - at)
    return longest


@contextlib.contextmanager
def states_kept(functions: Sequence[Any]) -> Iterator[None]:
    """Parameters and buffers of the modules among them are afterwards what they were before."""
    t = torch()
    kept: List[Tuple[Any, Any]] = []
    for function in functions:
        for kind in ("parameters", "buffers"):
            tensors = getattr(function, kind, None)
            if callable(tensors):
                kept += [(x, x.detach().clone()) for x in tensors()]
    try:
        yield
    finally:
        with t.no_grad():
            for x, before in kept:
                x.copy_(before)
