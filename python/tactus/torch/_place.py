"""Where tensors are: on a GPU of PyTorch, or, for tests without one, on this computer."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator, Union

from ._lazy import torch


class Gpu:
    """A CUDA device."""

    pinned = True  #: host memory that kernels reach

    def __init__(self, device: Any) -> None:
        self.device = device

    def stream(self, priority: int = 0) -> Any:
        return torch().cuda.Stream(self.device, priority=priority)

    def external(self, handle: int) -> Any:
        """A stream of the library."""
        return torch().cuda.ExternalStream(handle, device=self.device)

    def current(self) -> Any:
        return torch().cuda.current_stream(self.device)

    @contextlib.contextmanager
    def on(self, stream: Any) -> Iterator[None]:
        cuda = torch().cuda
        with cuda.device(self.device), cuda.stream(stream):
            yield

    def synchronize(self) -> None:
        torch().cuda.synchronize(self.device)

    def sms(self) -> int:
        return int(torch().cuda.get_device_properties(self.device).multi_processor_count)


class _NoStream:
    """Work on this computer is done when the call returns."""

    def wait_stream(self, other: Any) -> None:
        pass

    def synchronize(self) -> None:
        pass


class Cpu:
    """This computer, which does the work of a GPU with so many SMs."""

    pinned = False

    def __init__(self, sms: int) -> None:
        self.device = torch(gpu=False).device("cpu")
        self._sms = sms

    def stream(self, priority: int = 0) -> Any:
        return _NoStream()

    def external(self, handle: int) -> Any:
        return _NoStream()

    def current(self) -> Any:
        return _NoStream()

    @contextlib.contextmanager
    def on(self, stream: Any) -> Iterator[None]:
        yield

    def synchronize(self) -> None:
        pass

    def sms(self) -> int:
        return self._sms


Place = Union[Gpu, Cpu]
