"""How data gets into a captured graph and out of it while that runs again and again.

A graph reads and writes fixed addresses, and it is launched by a thread that must not wait for
Python. So nothing is handed over on the CPU: the graph itself begins with a copy of the newest input
that was put into one of several slots on the device, and ends with a copy of its outputs into the
next of several places. Both are part of the graph, so their time is measured and proved with it.
"""

from __future__ import annotations

import threading
import time
from typing import Any, List, Optional, Sequence

from ._lazy import torch

#: Places for inputs, and for outputs: one that is read, one that is the newest, and two to spare.
PLACES = 4


def static_copy(example: Any, device: Any) -> Any:
    """A tensor at an address of its own on the device."""
    t = torch()
    made = t.empty(example.shape, dtype=example.dtype, device=device)
    made.copy_(example.detach())
    return made


def pinned_like(tensors: Sequence[Any]) -> List[Any]:
    """Host memory that copies can use directly."""
    t = torch()
    return [t.empty(x.shape, dtype=x.dtype, pin_memory=True) for x in tensors]


class InputSlots:
    """The newest input of a node, from any thread."""

    def __init__(self, examples: Sequence[Any], device: Any) -> None:
        t = torch()
        self._slots = [
            t.empty((PLACES, *x.shape), dtype=x.dtype, device=device) for x in examples
        ]
        for slot, x in zip(self._slots, examples):
            slot[0].copy_(x)
        self._staging = pinned_like(examples)
        self._numbers = t.arange(PLACES, dtype=t.int64).pin_memory()
        self._newest = t.zeros(1, dtype=t.int64, device=device)
        self._stream = t.cuda.Stream(device)
        self._lock = threading.Lock()
        self._last = 0
        self._replaced = [float("-inf")] * PLACES  #: when a newer input took over
        #: How long a job may go on reading a slot, in seconds: such a slot is not overwritten.
        self.longest_job = 0.0

    def enqueue(self, static: Sequence[Any]) -> None:
        """Copies the newest input to the static tensors, on the current stream."""
        t = torch()
        for slot, to in zip(self._slots, static):
            t.index_select(slot, 0, self._newest, out=to.unsqueeze(0))

    def put(self, values: Sequence[Any]) -> None:
        """Copies values into a slot that no job reads, and makes it the newest."""
        t = torch()
        tensors = [t.as_tensor(value) for value in values]
        if len(tensors) != len(self._slots):
            raise ValueError(f"{len(self._slots)} inputs are needed, not {len(tensors)}")
        for number, (x, slot) in enumerate(zip(tensors, self._slots)):
            if tuple(x.shape) != tuple(slot.shape[1:]) or x.dtype != slot.dtype:
                raise ValueError(
                    f"input {number} must be {slot.dtype} of shape {tuple(slot.shape[1:])}, as the "
                    f"example was, not {x.dtype} of shape {tuple(x.shape)}"
                )
        with self._lock:
            place = (self._last + 1) % PLACES
            wait = self._replaced[place] + self.longest_job - time.monotonic()
            if wait > 0:
                time.sleep(wait)
            if any(x.is_cuda for x in tensors):
                self._stream.wait_stream(t.cuda.current_stream(self._newest.device))
            with t.cuda.stream(self._stream):
                for x, slot, staging in zip(tensors, self._slots, self._staging):
                    if not x.is_cuda:
                        staging.copy_(x)
                        x = staging
                    slot[place].copy_(x, non_blocking=True)
                self._newest.copy_(self._numbers[place : place + 1], non_blocking=True)
            self._stream.synchronize()
            self._replaced[self._last] = time.monotonic()
            self._last = place


class OutputRing:
    """The outputs of the last jobs of a node."""

    def __init__(self, outputs: Sequence[Any], device: Any) -> None:
        t = torch()
        self._rings = [t.zeros((PLACES, *x.shape), dtype=x.dtype, device=device) for x in outputs]
        self._count = t.zeros(1, dtype=t.int64, device=device)
        self._place = t.zeros(1, dtype=t.int64, device=device)
        self._host_count = t.zeros(1, dtype=t.int64).pin_memory()
        self._stream = t.cuda.Stream(device)

    def enqueue(self, outputs: Sequence[Any]) -> None:
        """Copies the outputs into the next place, and then counts; on the current stream."""
        t = torch()
        self._count.add_(1)
        t.remainder(self._count, PLACES, out=self._place)
        for ring, x in zip(self._rings, outputs):
            ring.index_copy_(0, self._place, x.unsqueeze(0))
        self._host_count.copy_(self._count, non_blocking=True)

    @property
    def count(self) -> int:
        """Jobs that have ended; no GPU call is needed to read it."""
        return int(self._host_count.item())

    def read(self) -> "Optional[tuple[int, List[Any]]]":
        """The newest outputs on the CPU with their number; None where there are none."""
        t = torch()
        while True:
            number = self.count
            if number == 0:
                return None
            with t.cuda.stream(self._stream):
                found = pinned_like([ring[0] for ring in self._rings])
                for to, ring in zip(found, self._rings):
                    to.copy_(ring[number % PLACES], non_blocking=True)
            self._stream.synchronize()
            # The job that is running now may write into the place after the newest.
            if self.count - number < PLACES - 1:
                return number, found
