"""GPU segments with priorities, for programs under the arbiter (docs/use/arbiter.md)."""

from __future__ import annotations

import asyncio
import ctypes
import enum
import functools
import inspect
import threading
import warnings
from types import TracebackType
from typing import Any, Callable, List, Optional, Type, TypeVar, cast

from . import _library
from ._problems import TactusWarning

_Function = TypeVar("_Function", bound=Callable[..., Any])

_INT_MIN = -(2**31)
#: The priority of work that may use the GPU when no other process wants to.
BEST_EFFORT = _INT_MIN
#: The priority of the calling thread's real-time scheduling class; best effort if it has none.
SCHED_PRIORITY = _INT_MIN + 1


class State(enum.IntEnum):
    """What a segment, or a checkpoint, was answered."""

    RUNNING = 0  #: this process has the GPU (best effort: shared)
    PENDING = 1  #: launches queue up and run when it is this process's turn
    UNARBITRATED = 2  #: there is no arbiter: nobody is held off
    SHARED = 3  #: this process may run, but another has not confirmed in time that it left


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
            _client_library = found
    return _client_library


def _state(result: int) -> State:
    global _said
    if result < 0:
        text: bytes = _client().tactus_result_text(result)
        raise SegmentError(text.decode())
    with _loading:
        say = result == State.UNARBITRATED and not _said
        _said = _said or say
    if say:
        warnings.warn(
            "there is no arbiter (tactusd): segments hold nobody off, and no bound covers that. "
            "This is said once",
            TactusWarning,
            stacklevel=3,
        )
    return State(result)


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

    The GPU work must have completed when the segment ends. In a coroutine use ``async with``: it
    waits for its turn without stopping the event loop, and several coroutines of a thread may be
    inside, each with its own segment. The process is active from the first segment's beginning to
    the last one's end, at the highest priority among them. A plain segment belongs to its thread,
    and does not nest. Without an arbiter nothing is held off; that is said once, as a
    `TactusWarning`.
    """

    def __init__(self, priority: int = SCHED_PRIORITY) -> None:
        self.priority = priority
        #: What the beginning was answered.
        self.state: Optional[State] = None
        # Several coroutines may share this object: all are alike, so any one may be left.
        self._holders: List[_Holder] = []

    # A scope of this thread.

    def __enter__(self) -> "segment":
        self.state = _state(_client().tactus_segment_begin(self.priority))
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        _client().tactus_segment_end()

    # A scope of a coroutine.

    async def __aenter__(self) -> "segment":
        holder = _Holder(self.priority)
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
        await self._holders.pop().ended()

    # A decorator.

    def __call__(self, function: _Function) -> _Function:
        priority = self.priority
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def waited(*args: Any, **kwargs: Any) -> Any:
                async with segment(priority):
                    return await function(*args, **kwargs)

            return cast(_Function, waited)

        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            with segment(priority):
                return function(*args, **kwargs)

        return cast(_Function, called)


class _Holder:
    """A thread that is inside a segment for a coroutine: segments belong to threads, and the
    thread of an event loop must not wait."""

    def __init__(self, priority: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._begun: "asyncio.Future[int]" = self._loop.create_future()
        self._ended: "asyncio.Future[int]" = self._loop.create_future()
        self._leave = threading.Event()
        thread = threading.Thread(
            target=self._hold, args=(priority,), name="tactus segment", daemon=True
        )
        thread.start()

    def _hold(self, priority: int) -> None:
        result = int(_client().tactus_segment_begin(priority))
        self._tell(self._begun, result)
        if result >= 0:
            self._leave.wait()
            _client().tactus_segment_end()
        self._tell(self._ended, result)

    def _tell(self, future: "asyncio.Future[int]", result: int) -> None:
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

    async def ended(self) -> None:
        self._leave.set()
        await asyncio.shield(self._ended)


def checkpoint() -> State:
    """Between launches inside a segment: waits while others have the GPU."""
    return _state(_client().tactus_checkpoint())


def tier() -> str:
    """How work is taken off the GPU: ``gate``, ``channel``, ...; ``none`` while not connected."""
    name: bytes = _client().tactus_tier()
    return name.decode()
