"""Tasks that start tasks, between processes (docs/use/pipelines.md, At run time)."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from types import TracebackType
from typing import Iterator, Optional, Type

from ._segments import _client as client_library

_RUNNING = 0
_TIMEOUT = 4
_GONE = 5
_DOUBLED = -5


class PathError(RuntimeError):
    """A path cannot be opened, or a call is not for it."""


class PredecessorGone(PathError):
    """The process of the task before has ended. A new one may come: one may wait again."""


class _Job(ctypes.Structure):
    _fields_ = [
        ("number", ctypes.c_uint32),
        ("arrival_ns", ctypes.c_int64),
        ("due_ns", ctypes.c_int64),
        ("released_ns", ctypes.c_int64),
    ]


class _Releases(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("taken", "late", "early", "lost", "doubled")] + [
        ("latest_ns", ctypes.c_int64)
    ]


@dataclass(frozen=True)
class PathJob:
    """A job that may begin. Times are those of `time.monotonic_ns`."""

    number: int  #: the same along the whole path; after 2**32 - 1 comes 0
    arrival_ns: int  #: of the path's first job
    due_ns: int  #: that, or when the job that starts this one ended
    released_ns: int  #: when this one could begin


@dataclass(frozen=True)
class PathReleases:
    """What a path has seen; all but `taken` is outside of the model, and no bound covers it."""

    taken: int
    late: int  #: longer after `due_ns` than the task's jitter
    early: int  #: before the nominal arrival: a `bcet` is too long
    lost: int  #: messages that were overwritten before they were taken
    doubled: int  #: messages about a job that was not new
    latest_ns: int


def _client() -> ctypes.CDLL:
    client = client_library()
    if client.tactus_path_open.restype is not ctypes.c_void_p:
        job, path, time = ctypes.POINTER(_Job), ctypes.c_void_p, ctypes.c_int64
        client.tactus_path_open.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
        client.tactus_path_close.argtypes = [path]
        client.tactus_path_expect.argtypes = [path, time, time]
        client.tactus_path_arrived.argtypes = [path, time, job]
        client.tactus_path_wait.argtypes = [path, time, job]
        client.tactus_path_ended.argtypes = [path, job]
        client.tactus_path_releases.argtypes = [path, ctypes.POINTER(_Releases)]
        client.tactus_path_problem.restype = ctypes.c_char_p
        client.tactus_next_arrival.argtypes = [time, time, time]
        client.tactus_next_arrival.restype = time
        client.tactus_path_open.restype = ctypes.c_void_p
    return client


def _bytes(name: Optional[str]) -> Optional[bytes]:
    return None if name is None else name.encode()


class TaskPath:
    """This process as a task on a path of tasks that start tasks. Without names it is the task that
    ``tactus deploy`` says (``TACTUS_TASK``, ``TACTUS_AFTER``); they meet in the folder
    ``TACTUS_PATHS``.

    >>> import os, tempfile, time, tactus
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     os.environ["TACTUS_PATHS"] = folder
    ...     with tactus.TaskPath("camera") as camera, tactus.TaskPath("detect", "camera") as detect:
    ...         camera.ended(camera.arrived(time.monotonic_ns()))
    ...         detect.wait(1.0).number
    0
    >>> del os.environ["TACTUS_PATHS"]

    A path is used by one thread at a time. `wait` releases the GIL.
    """

    def __init__(self, task: Optional[str] = None, after: Optional[str] = None) -> None:
        self._handle: Optional[int] = _client().tactus_path_open(_bytes(task), _bytes(after))
        if self._handle is None:
            raise PathError(_client().tactus_path_problem().decode())

    def expect(self, jitter_ns: int = -1, least_ns: int = -1) -> None:
        """How late a release may be, and the least time from the path's arrival to the nominal one of
        this task; negative: not known. What is not so is counted in `releases`."""
        _client().tactus_path_expect(self._open(), jitter_ns, least_ns)

    def arrived(self, arrival_ns: int) -> PathJob:
        """The next job of the first task of a path."""
        job = _Job()
        return self._taken(
            _client().tactus_path_arrived(self._open(), arrival_ns, ctypes.byref(job)), job
        )

    def wait(self, timeout: float) -> Optional[PathJob]:
        """Waits (seconds) for the end of the predecessor's next job; None: it has not ended in time.
        `PredecessorGone`, soon after the predecessor's process has ended."""
        job = _Job()
        result = _client().tactus_path_wait(self._open(), int(timeout * 1e9), ctypes.byref(job))
        if result == _TIMEOUT:
            return None
        if result == _GONE:
            raise PredecessorGone("the predecessor has ended")
        return self._taken(result, job)

    def ended(self, job: PathJob) -> None:
        """Tells those that are after this task that the job has ended."""
        raw = _Job(job.number, job.arrival_ns, job.due_ns, job.released_ns)
        result = _client().tactus_path_ended(self._open(), ctypes.byref(raw))
        if result == _DOUBLED:
            raise PathError("the end of this job was told before")

    def jobs(self, timeout: float = 1.0) -> Iterator[PathJob]:
        """The jobs of a task with `after`, until its predecessor has ended. The end of each is told
        when the next one is asked for."""
        while True:
            try:
                job = self.wait(timeout)
            except PredecessorGone:
                return
            if job is not None:
                yield job
                self.ended(job)

    @property
    def releases(self) -> PathReleases:
        """What was seen so far."""
        raw = _Releases()
        _client().tactus_path_releases(self._open(), ctypes.byref(raw))
        return PathReleases(*(getattr(raw, name) for name, _ in _Releases._fields_))

    def close(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None:
            _client().tactus_path_close(handle)

    def __enter__(self) -> "TaskPath":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    # -- inside

    def _open(self) -> int:
        if self._handle is None:
            raise PathError("this path was closed")
        return self._handle

    @staticmethod
    def _taken(result: int, job: _Job) -> PathJob:
        if result != _RUNNING:
            raise PathError(_client().tactus_result_text(result).decode())
        return PathJob(job.number, job.arrival_ns, job.due_ns, job.released_ns)


def next_arrival(period_ns: int = 0, offset_ns: int = 0, after_ns: int = 0) -> int:
    """When the next job of a periodic task arrives: the first of `offset_ns` and whole periods, counted
    from the start of this machine, that is later than `after_ns` (of `time.monotonic_ns`). So programs
    that were started at any time keep the offsets of a file to each other. Without a period: the
    deployed one (``TACTUS_PERIOD_NS``, ``TACTUS_OFFSET_NS``).

    >>> import tactus
    >>> tactus.next_arrival(20, 5, 30)
    45
    """
    arrival = int(_client().tactus_next_arrival(period_ns, offset_ns, after_ns))
    if arrival < 0:
        raise ValueError("there is no such arrival; TACTUS_PERIOD_NS is not set, or a time is negative")
    return arrival
