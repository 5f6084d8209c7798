"""How data gets into a captured graph and out of it while that runs again and again.

A graph reads and writes fixed addresses, and it is launched by a thread that must not wait for
Python. So nothing is handed over on the CPU: the graph itself begins with a copy of the newest input
that was put into one of several slots on the device, and ends with a copy of its outputs into the
next of several places. Both are part of the graph, so their time is measured and proved with it.

All these copies are made by kernels, also those from and to host memory. A copy node would be done
by a copy engine, whose queues all partitions share: there a short network waits until a long graph,
whose own copy is in the queue before, has come that far.
"""

from __future__ import annotations

import threading
import time
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ._lazy import torch

#: Places for inputs, and for outputs: one that is read, one that is the newest, and two to spare.
PLACES = 4

_streams: Dict[int, Any] = {}
_streams_lock = threading.Lock()


def copy_stream(device: Any) -> Any:
    """One stream for all copies of `put` and `get`: streams share a few queues to the GPU."""
    with _streams_lock:
        if device.index not in _streams:
            _streams[device.index] = torch().cuda.Stream(device)
        return _streams[device.index]


def static_copy(example: Any, device: Any) -> Any:
    """A tensor at an address of its own on the device."""
    t = torch()
    made = t.empty(example.shape, dtype=example.dtype, device=device)
    made.copy_(example.detach())
    return made


class _Bytes:
    """Memory at an address, for `torch.as_tensor`."""

    def __init__(self, address: int, size: int, owner: Any) -> None:
        self.owner = owner
        self.__cuda_array_interface__ = {
            "shape": (size,), "typestr": "|u1", "data": (address, False), "version": 2,
        }  # fmt: skip


class Mapped:
    """Pinned host memory that kernels read and write directly: the same numbers as a tensor on the
    CPU (`host`) and on the device (`device`)."""

    def __init__(self, like: Any, device: Any) -> None:
        t = torch()
        size = max(like.numel() * like.element_size(), 1)
        self._raw = t.empty((size,), dtype=t.uint8, pin_memory=True)
        alias = t.as_tensor(_Bytes(self._raw.data_ptr(), size, self._raw), device=device)
        shape = tuple(like.shape)
        self.host = self._raw.view(like.dtype).view(shape)
        self.device = alias.view(like.dtype).view(shape)


class Copies:
    """Copies by kernels, on the current stream."""

    def __init__(self, device: Any) -> None:
        t = torch()
        self._first = t.zeros(1, dtype=t.int64, device=device)

    def copy(self, to: Any, source: Any) -> None:
        """The same as ``to.copy_(source)``, but never a copy node."""
        to.unsqueeze(0).index_copy_(0, self._first, source.detach().unsqueeze(0))


class InputSlots:
    """The newest input of a node, from any thread."""

    def __init__(self, examples: Sequence[Any], device: Any) -> None:
        t = torch()
        self._slots = [
            t.empty((PLACES, *x.shape), dtype=x.dtype, device=device) for x in examples
        ]
        for slot, x in zip(self._slots, examples):
            slot[0].copy_(x)
        self._staging = [t.empty(x.shape, dtype=x.dtype, pin_memory=True) for x in examples]
        self._numbers = t.arange(PLACES, dtype=t.int64).pin_memory()
        self._newest = t.zeros(1, dtype=t.int64, device=device)
        self._stream = copy_stream(device)
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
        self._seen = Mapped(self._count, device)
        self._seen.host.copy_(self._count)
        # Pinned memory is not allocated while a plan runs: that can stop the whole GPU.
        self._staging = [t.empty(x.shape, dtype=x.dtype, pin_memory=True) for x in outputs]
        self._stream = copy_stream(device)
        self._lock = threading.Lock()

    def enqueue(self, outputs: Sequence[Any]) -> None:
        """Copies the outputs into the next place, and then counts; on the current stream."""
        t = torch()
        self._count.add_(1)
        t.remainder(self._count, PLACES, out=self._place)
        for ring, x in zip(self._rings, outputs):
            ring.index_copy_(0, self._place, x.detach().unsqueeze(0))
        t.add(self._count, 0, out=self._seen.device)

    @property
    def count(self) -> int:
        """Jobs that have ended; no GPU call is needed to read it."""
        return int(self._seen.host.item())

    def read(self) -> Optional[Tuple[int, List[Any]]]:
        """The newest outputs on the CPU with their number; None where there are none."""
        t = torch()
        with self._lock:
            while True:
                number = self.count
                if number == 0:
                    return None
                with t.cuda.stream(self._stream):
                    for to, ring in zip(self._staging, self._rings):
                        to.copy_(ring[number % PLACES], non_blocking=True)
                self._stream.synchronize()
                # The job that is running now may write into the place after the newest.
                if self.count - number < PLACES - 1:
                    return number, [x.clone() for x in self._staging]
