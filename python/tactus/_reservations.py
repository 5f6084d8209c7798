"""Reservations: GPU time that an arbiter has proved and keeps (docs/use/reservations.md)."""

from __future__ import annotations

import ctypes
import json
from contextlib import contextmanager
from types import TracebackType
from typing import Any, ContextManager, Dict, Iterator, Mapping, Optional, Type, Union

from ._segments import _client as client_library

_ADMITTED = 0
_UNARBITRATED = 2
_REFUSED = -6


class ReservationError(RuntimeError):
    """There is no reservation: the request is wrong, or there is no arbiter that admits."""


class Refused(ReservationError):
    """The arbiter has not proved it; the message says who would be late, and what would do."""


def _client() -> ctypes.CDLL:
    client = client_library()
    if client.tactus_demotions.restype is not ctypes.c_ulong:
        client.tactus_reserve.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t]
        client.tactus_job_begins.argtypes = [ctypes.c_int64]
        client.tactus_job_begins.restype = None
        client.tactus_demotions.restype = ctypes.c_ulong
    return client


@contextmanager
def job(arrived_ns: int = 0) -> Iterator[None]:
    """A job of this process arrives now, or arrived then (`time.monotonic_ns`): for a reservation that was
    made with ``declared``, here or by ``tactus exec --declared``."""
    _client().tactus_job_begins(arrived_ns)
    yield


class Reservation:
    """What this process was admitted with; it ends with `release`, with the ``with`` statement, or with
    the process."""

    def __init__(self, answer: str) -> None:
        self.answer = answer  #: what the arbiter said: "admitted as ...: response at most ..."
        self._held = True

    def job(self, arrived_ns: int = 0) -> ContextManager[None]:
        """As `tactus.job`."""
        return job(arrived_ns)

    @property
    def demotions(self) -> int:
        """How many segments broke it and were demoted below best effort."""
        return int(_client().tactus_demotions())

    def release(self) -> None:
        if self._held:
            self._held = False
            _client().tactus_release()

    def __enter__(self) -> "Reservation":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.release()


_Time = Union[int, float, str]


def reserve(
    *,
    period: Optional[_Time] = None,
    gpu: Optional[_Time] = None,
    launch: Optional[_Time] = None,
    cpu: Optional[_Time] = None,
    deadline: Optional[_Time] = None,
    jitter: Optional[_Time] = None,
    bound: Optional[_Time] = None,
    core: Optional[int] = None,
    name: Optional[str] = None,
    task: Optional[Mapping[str, Any]] = None,
    declared: bool = False,
) -> Reservation:
    """Asks the arbiter for GPU time of this process; `Refused` where it is not proved. Times are
    milliseconds, or texts like ``"33 ms"``. `task` is a task as in a system file, in place of them; only
    a `name` takes up one of the arbiter's own file. With `declared` each job begins with `job`.

        with tactus.reserve(period="33 ms", gpu="9 ms", declared=True) as reservation:
            for frame in frames:
                with reservation.job(), tactus.segment(stream=stream):
                    infer(frame)
    """
    said: Dict[str, Any] = {
        "period": period, "gpu": gpu, "launch": launch, "cpu": cpu, "deadline": deadline,
        "jitter": jitter, "bound": bound, "core": core, "name": name, "task": task,
    }  # fmt: skip
    request = {key: value for key, value in said.items() if value is not None}
    request["declared"] = declared
    answer = ctypes.create_string_buffer(1000)
    result = _client().tactus_reserve(json.dumps(request).encode(), answer, len(answer))
    text = answer.value.decode(errors="replace")
    if result == _ADMITTED:
        return Reservation(text)
    raise (Refused if result == _REFUSED else ReservationError)(text)
