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

from .._problems import invalid
from ._lazy import torch
from ._place import Place

#: Places for inputs, and for outputs: one that is read, one that is the newest, and two to spare.
PLACES = 4

_streams: Dict[Any, Any] = {}
_streams_lock = threading.Lock()


def copy_stream(place: Place) -> Any:
    """One stream for all copies of `put` and `get`: streams share a few queues to the GPU."""
    if not place.pinned:
        return place.stream()
    with _streams_lock:
        if place.device.index not in _streams:
            _streams[place.device.index] = place.stream()
        return _streams[place.device.index]


def host_memory(like: Any, place: Place) -> Any:
    """A tensor on the CPU, in memory that the GPU reaches."""
    return torch().empty(tuple(like.shape), dtype=like.dtype, pin_memory=place.pinned)


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

    def __init__(self, like: Any, place: Place) -> None:
        t = torch()
        if not place.pinned:
            self.host = self.device = t.empty(tuple(like.shape), dtype=like.dtype)
            return
        device = place.device
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
    """The inputs of a node, from any thread: each job takes the newest, or each takes the next one.

    Inputs have numbers, from 1; 0 is the example. Which one a job took is known on the device, so that
    its outputs can name it."""

    def __init__(
        self, examples: Sequence[Any], place: Place, *, in_order: bool = False, places: int = PLACES
    ) -> None:
        t = torch()
        device = place.device
        self._in_order, self._places = in_order, places
        self._machine = place
        self._slots = [
            t.empty((places, *x.shape), dtype=x.dtype, device=device) for x in examples
        ]
        for slot, x in zip(self._slots, examples):
            for at in range(places):
                slot[at].copy_(x)
        self._staging = [host_memory(x, place) for x in examples]
        self._number = host_memory(t.zeros(1, dtype=t.int64), place)
        self._newest = t.zeros(1, dtype=t.int64, device=device)
        self.taken = t.zeros(1, dtype=t.int64, device=device)  #: by the job that runs, or ran last
        self._at = t.zeros(1, dtype=t.int64, device=device)
        self._told: Optional[Mapped] = None
        self._stream = copy_stream(place)
        self._lock = threading.Lock()
        self._last = 0
        self._replaced = [float("-inf")] * places  #: when a newer input took over
        #: How long a job may go on reading a slot, in seconds: such a slot is not overwritten.
        self.longest_job = 0.0

    def tell_host(self) -> Mapped:
        """Which input a job took shall be known on the CPU, too. Before the capture."""
        if self._told is None:
            self._told = Mapped(self.taken, self._machine)
        return self._told

    def enqueue(self, static: Sequence[Any]) -> None:
        """Copies the input of this job to the static tensors, on the current stream."""
        t = torch()
        if self._in_order:
            self.taken.add_(1)
        else:
            t.add(self._newest, 0, out=self.taken)  # once: `put` may change it between two copies
        t.remainder(self.taken, self._places, out=self._at)
        for slot, to in zip(self._slots, static):
            t.index_select(slot, 0, self._at, out=to.unsqueeze(0))
        if self._told is not None:
            t.add(self.taken, 0, out=self._told.device)

    def begin(self) -> None:
        """A run begins: where jobs take one input each, the first job takes the first."""
        if self._in_order:
            with self._lock, self._machine.on(self._stream):
                self.taken.zero_()
                self._stream.synchronize()
                self._last = 0

    @property
    def last(self) -> int:
        """The number of the newest input."""
        return self._last

    def put(self, values: Sequence[Any]) -> int:
        """Copies values into a slot that no job reads, and makes it the newest. Returns its number."""
        t = torch()
        tensors = [t.as_tensor(value) for value in values]
        if len(tensors) != len(self._slots):
            raise invalid(f"{len(self._slots)} inputs are needed, not {len(tensors)}")
        for number, (x, slot) in enumerate(zip(tensors, self._slots)):
            if tuple(x.shape) != tuple(slot.shape[1:]) or x.dtype != slot.dtype:
                raise invalid(
                    f"input {number} must be {slot.dtype} of shape {tuple(slot.shape[1:])}, as the "
                    f"example was, not {x.dtype} of shape {tuple(x.shape)}"
                )
        with self._lock:
            at = (self._last + 1) % self._places
            wait = self._replaced[at] + self.longest_job - time.monotonic()
            if wait > 0 and not self._in_order:  # in order, no more are put than have places
                time.sleep(wait)
            if self._machine.pinned and any(x.is_cuda for x in tensors):
                self._stream.wait_stream(self._machine.current())
            with self._machine.on(self._stream):
                for x, slot, staging in zip(tensors, self._slots, self._staging):
                    if self._machine.pinned and not x.is_cuda:
                        staging.copy_(x)
                        x = staging
                    slot[at].copy_(x, non_blocking=True)
                self._number.copy_(t.tensor([self._last + 1], dtype=t.int64))
                self._newest.copy_(self._number, non_blocking=True)
            self._stream.synchronize()
            self._replaced[self._last % self._places] = time.monotonic()
            self._last += 1
            return self._last


class OutputRing:
    """The outputs of the last jobs of a node, each with the number of the input that it was made of."""

    def __init__(
        self, outputs: Sequence[Any], place: Place, *, taken: Any = None, places: int = PLACES
    ) -> None:
        t = torch()
        device = place.device
        self._places, self._machine, self._taken = places, place, taken
        self._rings = [t.zeros((places, *x.shape), dtype=x.dtype, device=device) for x in outputs]
        self._inputs = t.zeros((places, 1), dtype=t.int64, device=device)
        self._count = t.zeros(1, dtype=t.int64, device=device)
        self._at = t.zeros(1, dtype=t.int64, device=device)
        self._seen = Mapped(self._count, place)
        self._seen.host.copy_(self._count)
        # Pinned memory is not allocated while a plan runs: that can stop the whole GPU.
        self._staging = [host_memory(x, place) for x in outputs]
        self._input = host_memory(self._count, place)
        self._stream = copy_stream(place)
        self._lock = threading.Lock()

    def enqueue(self, outputs: Sequence[Any]) -> None:
        """Copies the outputs into the next place, and then counts; on the current stream."""
        t = torch()
        self._count.add_(1)
        t.remainder(self._count, self._places, out=self._at)
        for ring, x in zip(self._rings, outputs):
            ring.index_copy_(0, self._at, x.detach().unsqueeze(0))
        if self._taken is not None:
            self._inputs.index_copy_(0, self._at, self._taken.unsqueeze(0))
        t.add(self._count, 0, out=self._seen.device)

    @property
    def count(self) -> int:
        """Jobs that have ended; no GPU call is needed to read it."""
        return int(self._seen.host.item())

    def read(self, wanted: Optional[int] = None) -> Optional[Tuple[int, Optional[int], List[Any]]]:
        """The outputs of a job (by default the newest) on the CPU: its number, that of its input (None:
        not known), and they. None where there are none, or not any more."""
        with self._lock:
            while True:
                number = self.count if wanted is None else wanted
                if number == 0 or number > self.count:
                    return None
                at = number % self._places
                with self._machine.on(self._stream):
                    for to, ring in zip(self._staging, self._rings):
                        to.copy_(ring[at], non_blocking=True)
                    self._input.copy_(self._inputs[at], non_blocking=True)
                self._stream.synchronize()
                # The job that is running now may write into the place after the newest.
                if self.count - number < self._places - 1:
                    of = int(self._input.item()) if self._taken is not None else None
                    return number, of, [x.clone() for x in self._staging]
                if wanted is not None:
                    return None
