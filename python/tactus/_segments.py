"""GPU segments with priorities, for programs under the arbiter (docs/use/arbiter.md).

Under ``tactusd --protocol boost`` a segment is a batch of launches behind a gate: the launch code
runs at once, the GPU work when it is its turn (docs/use/methods/boost.md).
"""

from __future__ import annotations

import asyncio
import ctypes
import enum
import functools
import inspect
import sys
import threading
import warnings
from types import TracebackType
from typing import Any, Callable, List, Optional, Sequence, Type, TypeVar, Union, cast

from . import _library
from ._problems import TactusWarning

_Function = TypeVar("_Function", bound=Callable[..., Any])

_INT_MIN = -(2**31)
#: The priority of work that may use the GPU when no other process wants to.
BEST_EFFORT = _INT_MIN
#: The priority of the calling thread's real-time scheduling class; best effort if it has none.
SCHED_PRIORITY = _INT_MIN + 1
_OWN_PRIORITY = _INT_MIN
#: The threshold of a segment that is never taken off the GPU, once it is there.
PROTECTED = 2**31 - 1

#: A CUDA stream: of PyTorch, CuPy or Numba, or its handle.
Stream = Union[int, Any]


class State(enum.IntEnum):
    """What a segment, or a checkpoint, was answered."""

    RUNNING = 0  #: this process has the GPU (best effort: shared)
    PENDING = 1  #: launches queue up and run when it is this process's turn
    UNARBITRATED = 2  #: there is no arbiter: nobody is held off
    SHARED = 3  #: this process may run, but another has not confirmed in time that it left

    def __str__(self) -> str:
        return self.name


class SegmentError(RuntimeError):
    """The segment was refused: nested, not begun, or with a priority that is not allowed."""


_loading = threading.Lock()
_client_library: Optional[ctypes.CDLL] = None
_said = False


def _client() -> ctypes.CDLL:
    """libtactus_client.so; its calls release the GIL, also while they wait."""
    global _client_library
    with _loading:
        if _client_library is None:
            path = _library.library_path("libtactus_client.so", "TACTUS_CLIENT_LIBRARY")
            found = ctypes.CDLL(path)
            found.tactus_segment_begin.argtypes = [ctypes.c_int]
            found.tactus_result_text.restype = ctypes.c_char_p
            found.tactus_result_text.argtypes = [ctypes.c_int]
            found.tactus_tier.restype = ctypes.c_char_p
            found.tactus_problem.restype = ctypes.c_char_p
            found.tactus_protocol.restype = ctypes.c_char_p
            found.tactus_segment_begin_streams.argtypes = [
                ctypes.POINTER(ctypes.c_void_p),
                ctypes.c_int,
                ctypes.c_int,
                ctypes.c_int,
            ]
            found.tactus_segment_begin_host.argtypes = [ctypes.c_int, ctypes.c_int]
            _client_library = found
    return _client_library


def _state(result: int) -> State:
    global _said
    problem = cast(bytes, _client().tactus_problem() or b"").decode()
    if result < 0:
        text: bytes = _client().tactus_result_text(result)
        raise SegmentError(text.decode() + (f": {problem}" if problem else ""))
    with _loading:
        say = result == State.UNARBITRATED and not _said
        _said = _said or say
    if say:
        warnings.warn(
            f"there is no arbiter (tactusd) for these segments{': ' + problem if problem else ''}; "
            "they hold nobody off, and no bound covers that. This is said once",
            TactusWarning,
            stacklevel=3,
        )
    return State(result)


def _handle_of(stream: Stream) -> int:
    """What the driver knows a stream by."""
    if isinstance(stream, int) and not isinstance(stream, bool):
        return stream
    for name in ("cuda_stream", "ptr", "handle"):  # PyTorch, CuPy, Numba
        handle = getattr(stream, name, None)
        if handle is not None:
            return int(getattr(handle, "value", handle) or 0)
    raise TypeError(f"{stream!r} is no CUDA stream (PyTorch's, CuPy's, Numba's, or its handle)")


def _handles_of(stream: Union[Stream, Sequence[Stream], None]) -> Optional[List[int]]:
    if stream is None:
        return None
    if isinstance(stream, (list, tuple)):
        if not 1 <= len(stream) <= 16:
            raise ValueError(f"a segment has 1 to 16 streams, got {len(stream)}")
        return [_handle_of(one) for one in stream]
    return [_handle_of(stream)]


def _torch() -> Optional[Any]:
    """PyTorch, where it uses the GPU; nothing here imports it."""
    torch: Any = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available() or not torch.cuda.is_initialized():
        return None
    return torch


def _current_stream() -> Optional[int]:
    torch = _torch()
    return None if torch is None else int(torch.cuda.current_stream().cuda_stream)


class _Kind:
    """How a segment begins: as the arbiter that is there, and what is known of its work, want it."""

    def __init__(self, priority: int, handles: Optional[List[int]], threshold: int, gated: bool):
        self._priority, self._handles = priority, handles
        self._threshold, self._gated = threshold, gated
        # A thread that begins for a coroutine has no CUDA context of its own.
        torch = _torch() if handles is not None else None
        self._device = None if torch is None else int(torch.cuda.current_device())

    @staticmethod
    def of(
        priority: int,
        stream: Union[Stream, Sequence[Stream], None],
        threshold: Optional[int],
    ) -> "_Kind":
        handles = _handles_of(stream)
        gated = handles is not None or threshold is not None
        if not gated:
            gated = cast(bytes, _client().tactus_protocol()) == b"boost"
        if gated and handles is None:
            current = _current_stream()
            handles = None if current is None else [current]
        return _Kind(priority, handles, _OWN_PRIORITY if threshold is None else threshold, gated)

    def begin(self) -> int:
        client = _client()
        if not self._gated:
            return int(client.tactus_segment_begin(self._priority))
        if self._handles is not None:
            torch = _torch()
            if torch is not None and self._device is not None:
                torch.cuda.set_device(self._device)
            streams = (ctypes.c_void_p * len(self._handles))(*self._handles)
            return int(
                client.tactus_segment_begin_streams(
                    streams, len(self._handles), self._priority, self._threshold
                )
            )
        result = int(client.tactus_segment_begin_host(self._priority, self._threshold))
        if result == State.RUNNING:
            result = int(client.tactus_segment_submit())
        return result

    def end(self) -> Optional[int]:
        """Of a segment behind a gate: how it went, which is not known before."""
        result = int(_client().tactus_segment_end())
        return result if self._gated else None


class segment:
    """A stretch of GPU work with a priority; larger is more urgent.

    As a scope, as an asynchronous scope, or as a decorator of either kind of function:

    >>> import tactus, warnings
    >>> warnings.simplefilter("ignore", tactus.TactusWarning)
    >>> with tactus.segment(priority=70) as inside:
    ...     pass  # launch, and wait for the GPU
    >>> inside.state in list(tactus.State)
    True
    >>> @tactus.segment(priority=70)
    ... def detect(frame):
    ...     return frame
    >>> detect(3)
    3

    The GPU work must have completed when the segment ends. Under ``tactusd --protocol boost`` it is
    the other way round: what is launched on `stream` inside the scope starts when it is its turn,
    and the end of the scope waits for it. Do not wait for the GPU inside (``.item()``,
    ``synchronize()``), or call `tactus.split` before. Once on the GPU it is taken off only for
    priorities above `threshold` (absent: its own priority; `tactus.PROTECTED`: never).

    >>> with tactus.segment(70, stream=0, threshold=90) as inside:  # e.g. torch.cuda.Stream()
    ...     pass  # launch only

    Without `stream`, that is PyTorch's current stream, if PyTorch is imported and uses the GPU; else
    the beginning of the scope waits for its turn, and the scope itself is the work.

    In a coroutine use ``async with``: it
    waits for its turn without stopping the event loop, and several coroutines of a thread may be
    inside, each with its own segment. The process is active from the first segment's beginning to
    the last one's end, at the highest priority among them. A plain segment belongs to its thread,
    and does not nest. Without an arbiter nothing is held off; that is said once, as a
    `TactusWarning`.
    """

    def __init__(
        self,
        priority: int = SCHED_PRIORITY,
        *,
        stream: Union[Stream, Sequence[Stream], None] = None,
        threshold: Optional[int] = None,
    ) -> None:
        self.priority = priority
        self.stream = stream
        self.threshold = threshold
        if threshold is not None and threshold < priority:
            raise ValueError(f"the threshold {threshold} is below the priority {priority}")
        _handles_of(stream)  # a wrong stream is told here, not at the first use
        #: What the beginning was answered; after a segment behind a gate, what its end was answered.
        self.state: Optional[State] = None
        self._open: _Kind  # of the scope of a thread
        # Several coroutines may share this object: all are alike, so any one may be left.
        self._holders: List[_Holder] = []

    # A scope of this thread.

    def __enter__(self) -> "segment":
        self._open = self._kind()
        self.state = _state(self._open.begin())
        return self

    def _kind(self) -> "_Kind":
        return _Kind.of(self.priority, self.stream, self.threshold)

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self._ended(kind, self._open.end())

    def _ended(self, kind: Optional[Type[BaseException]], result: Optional[int]) -> None:
        if result is not None and kind is None:  # else there is a problem already
            self.state = _state(result)

    # A scope of a coroutine.

    async def __aenter__(self) -> "segment":
        holder = _Holder(self._kind())
        try:
            result = await holder.begun()
        except BaseException:  # also a cancelled coroutine: the thread leaves by itself
            holder.leave()
            raise
        if result < 0:
            holder.leave()
        self.state = _state(result)
        self._holders.append(holder)
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self._ended(kind, await self._holders.pop().ended())

    # A decorator.

    def __call__(self, function: _Function) -> _Function:
        def again() -> "segment":
            return segment(self.priority, stream=self.stream, threshold=self.threshold)

        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def waited(*args: Any, **kwargs: Any) -> Any:
                async with again():
                    return await function(*args, **kwargs)

            return cast(_Function, waited)

        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            with again():
                return function(*args, **kwargs)

        return cast(_Function, called)


class _Holder:
    """A thread that is inside a segment for a coroutine: segments belong to threads, and the
    thread of an event loop must not wait."""

    def __init__(self, kind: _Kind) -> None:
        self._loop = asyncio.get_running_loop()
        self._begun: "asyncio.Future[int]" = self._loop.create_future()
        self._ended: "asyncio.Future[Optional[int]]" = self._loop.create_future()
        self._leave = threading.Event()
        thread = threading.Thread(
            target=self._hold, args=(kind,), name="tactus segment", daemon=True
        )
        thread.start()

    def _hold(self, kind: _Kind) -> None:
        result = kind.begin()
        self._tell(self._begun, result)
        if result >= 0:
            self._leave.wait()
            self._tell(self._ended, kind.end())
        else:
            self._tell(self._ended, None)

    def _tell(self, future: "asyncio.Future[Any]", result: Optional[int]) -> None:
        def tell() -> None:
            if not future.done():
                future.set_result(result)

        try:
            self._loop.call_soon_threadsafe(tell)
        except RuntimeError:  # the loop is closed: nobody waits any more
            pass

    async def begun(self) -> int:
        return await self._begun

    def leave(self) -> None:
        self._leave.set()

    async def ended(self) -> Optional[int]:
        self._leave.set()
        return await asyncio.shield(self._ended)


def checkpoint() -> State:
    """Between launches inside a segment: waits while others have the GPU."""
    return _state(_client().tactus_checkpoint())


def split() -> State:
    """Inside a segment behind a gate: has what was launched so far done, waits for it, and goes on
    with another batch. For results that are needed in the middle; each part is a GPU segment of its
    own for the analysis."""
    return _state(_client().tactus_segment_split())


def tier() -> str:
    """How work is taken off the GPU: ``gate``, ``channel``, ...; ``none`` while not connected."""
    name: bytes = _client().tactus_tier()
    return name.decode()
