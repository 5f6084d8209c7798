"""What goes into a task in a run, what comes out of it, and how long its jobs took."""

from __future__ import annotations

import threading
import time
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Callable, Deque, Dict, List, Mapping, Optional, Sequence, Tuple

from .. import session as plain
from .._problems import NotNow, Problem, TactusError, invalid

#: Of so many inputs and jobs a run remembers when they came and ended.
_REMEMBERED = 4096
#: Outputs that nobody has fetched, where none may be lost.
_MOST_UNREAD = 1024
#: Upper ends of the classes of a histogram, in ms.
_CLASSES = [x * 10.0**power for power in range(-2, 5) for x in (1, 2, 5)]


class Full(TactusError):
    """An input was refused: as many wait as may."""


@dataclass
class Output:
    """What a job made."""

    value: Any  #: tensors on the CPU in the structure that the module returns, or what a function returned
    number: int  #: of the job among those that ran, from 1
    input: Optional[int]  #: which `put` it was made of; 0: the example, or of an earlier run
    arrived: Optional[float] = None  #: when that was put (`time.monotonic`)
    job: Optional[plain.Job] = None  #: when it was released and ended

    @property
    def ended(self) -> Optional[float]:
        """When the job had ended, on the clock of `time.monotonic`."""
        return None if self.job is None else (self.job.origin + self.job.end) / 1e9

    @property
    def response(self) -> Optional[float]:
        """Seconds from the input's arrival to the end of the job."""
        if self.arrived is None or self.ended is None:
            return None
        return self.ended - self.arrived


#: Reads what a job made: its number, that of its input, the value.
Read = Callable[[Optional[int]], Optional[Tuple[int, Optional[int], Any]]]


class Flow:
    """One task in one run."""

    def __init__(
        self,
        name: str,
        *,
        queue: Optional[int],
        put: Optional[Callable[[Sequence[Any], Mapping[str, Any]], int]],
        puts_before: int,
        read: Optional[Read],
        count: Callable[[], int],
        tensors_in: List[Any],
        tensors_out: List[Any],
    ) -> None:
        self.name, self.queue = name, queue
        self.tensors_in, self.tensors_out = tensors_in, tensors_out
        self._put, self._puts_before = put, puts_before
        self._read, self.count = read, count
        self._before = count()
        self._change = threading.Condition()
        self._arrived: Dict[int, float] = {}
        self._jobs: Dict[int, plain.Job] = {}
        self._unread: Deque[Output] = deque()
        self._futures: "Dict[int, Future[Output]]" = {}
        self._accepted = self._delivered = 0
        self.refused = 0
        self.over: Optional[BaseException] = None  #: nothing comes any more, and why
        self.ended = self.late = self.skipped = 0
        self.longest = 0.0  #: ms
        self.histogram: Dict[float, int] = {}
        #: Tells the library that an input is there; returns the number of its job.
        self.arrive: Callable[[int], int] = lambda at: 0
        #: Has a run ended that no thread follows?
        self.unfollowed_end: Callable[[], bool] = lambda: False

    # -- in

    @property
    def room(self) -> int:
        """How many more inputs may wait."""
        if self.queue is None:
            return 1
        if len(self._unread) >= _MOST_UNREAD:
            return 0
        return self.queue - (self._accepted - self._delivered)

    def wait_for_room(self, timeout: Optional[float]) -> bool:
        with self._change:
            self._change.wait_for(lambda: self.room > 0 or self.over is not None, timeout)
            return self.room > 0 and self.over is None

    def put(
        self, values: Sequence[Any], named: Mapping[str, Any], arrived: float, future: Any = None
    ) -> int:
        if self.over is not None:
            raise self.over
        if self._put is None:
            raise invalid(
                f"nothing is staged for task `{self.name}`: write into `tensors` yourself"
            )
        with self._change:
            if self.room <= 0:
                self.refused += 1
                what = f"{self.queue} inputs" if len(self._unread) < _MOST_UNREAD else "many outputs"
                raise Full([Problem(f"an input of task `{self.name}` is refused: {what} wait already")])
            number = self._put(values, named) - self._puts_before
            self._arrived[number] = arrived
            self._arrived.pop(number - _REMEMBERED, None)
            if self.queue is not None:
                if future is not None:
                    self._futures[number] = future
                job = self.arrive(int(arrived * 1e9))
                assert job == number, "inputs and jobs have the same numbers"
                self._accepted = number
            return number

    # -- out

    def newest(self) -> Optional[Output]:
        """The newest output at once; None before the first."""
        return None if self._read is None else self._output(self._read(None))

    def _output(self, found: Optional[Tuple[int, Optional[int], Any]]) -> Optional[Output]:
        if found is None or found[0] <= self._before:
            return None
        number, of, value = found
        number -= self._before
        if of is not None:
            of = max(of - self._puts_before, 0)
        arrived = self._arrived.get(of) if of else None
        return Output(value, number, of, arrived, self._jobs.get(number))

    def next(self, seen: int, timeout: Optional[float]) -> Output:
        """The newest after job `seen`, or, where none may be lost, the next one."""
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            if self.queue is not None:
                with self._change:
                    left = None if end is None else max(end - time.monotonic(), 0)
                    wait = 0.1 if left is None else min(left, 0.1)
                    if self._change.wait_for(lambda: self._unread, wait):
                        found = self._unread.popleft()
                        self._change.notify_all()
                        return found
            elif self.count() - self._before > seen:
                made = self.newest()
                assert made is not None
                self._know_when(made)
                return made
            if self.over is not None:
                raise self.over
            if self.unfollowed_end():
                raise EOFError(f"the run has ended, and task `{self.name}` has no newer output")
            if end is not None and time.monotonic() >= end:
                raise TimeoutError(f"task `{self.name}` has no newer output yet")
            if self.queue is None:
                time.sleep(0.0002)

    def _know_when(self, made: Output) -> None:
        """A job is told a moment after its outputs are there."""
        with self._change:
            self._change.wait_for(lambda: made.number in self._jobs or self.over is not None, 0.02)
            made.job = self._jobs.get(made.number)

    # -- for the thread that follows the run

    def saw(self, job: plain.Job) -> None:
        if job.state == "skipped":
            self.skipped += 1
            return
        if job.state == "cut short":
            return
        made: Optional[Output] = None
        with self._change:
            self.ended += 1
            self.late += job.state == "late"
            took = job.response / 1e6
            self.longest = max(self.longest, took)
            upto = next((x for x in _CLASSES if took <= x), float("inf"))
            self.histogram[upto] = self.histogram.get(upto, 0) + 1
            self._jobs[self.ended] = job
            self._jobs.pop(self.ended - _REMEMBERED, None)
            number = self.ended
        if self.queue is not None and self._read is not None:
            made = self._output(self._read(self._before + number))
        with self._change:
            if self.queue is not None:
                self._delivered += 1
                future = self._futures.pop(number, None)
                if future is not None:
                    if made is None:
                        future.set_exception(NotNow(f"task `{self.name}` keeps no outputs"))
                    elif not future.cancelled():
                        future.set_result(made)
                elif made is not None:
                    self._unread.append(made)
            self._change.notify_all()

    def end(self, why: BaseException) -> None:
        """Nothing comes any more."""
        with self._change:
            self.over = why
            for future in self._futures.values():
                if not future.done():
                    future.set_exception(why)
            self._futures.clear()
            self._change.notify_all()
