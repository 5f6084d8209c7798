"""A session's plan while it runs: inputs, outputs, report."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple, Type

from .. import session as plain
from .._results import Run
from ._capture import Piece

if TYPE_CHECKING:
    from ._session import Task


@dataclass
class Output:
    """What a job made."""

    value: Any  #: tensors on the CPU in the structure that the module returns, or what a function returned
    number: int  #: of the job in this run, from 1


class Inputs:
    """Where a task gets its data. Each job uses the newest; one that nobody replaced is used again."""

    def __init__(self, name: str, piece: Optional[Piece], inbox: "Optional[Inbox]") -> None:
        self._name, self._piece, self._inbox = name, piece, inbox

    def put(self, *values: Any) -> None:
        """Copies the values (tensors on the CPU or the GPU, or numpy arrays, with the shapes and
        types of the examples); from any thread. They may be changed when it returns. From the CPU
        the way is: pinned memory, then a slot on the device; jobs that are running go on with the
        one before. It waits only when it is called several times within one job."""
        if self._inbox is not None:
            self._inbox.set(values)
        elif self._piece is not None and self._piece.slots is not None:
            self._piece.slots.put(values)
        else:
            raise ValueError(
                f"nothing is staged for task `{self._name}`: write into `tensors` yourself"
            )

    @property
    def tensors(self) -> List[Any]:
        """The tensors on the device that the graph reads: views, no copies. Of a node with
        ``staged=False`` you write into them yourself, between two jobs."""
        return [] if self._piece is None else list(self._piece.inputs)


class Outputs:
    """What the last node of a task makes, in this run."""

    def __init__(
        self,
        name: str,
        read: "Callable[[], Optional[Tuple[int, Any]]]",
        count: Callable[[], int],
        before: int,
        done: Callable[[], bool],
        tensors: List[Any],
    ) -> None:
        self._name, self._read, self._count = name, read, count
        self._before, self._done, self._tensors = before, done, tensors
        self._seen = 0

    def get(self, timeout: Optional[float] = None) -> Output:
        """Waits for a job that ended after the last `get` (seconds; TimeoutError; EOFError when the
        run has ended), and returns the newest. Jobs in between are left out: `number` tells. It
        copies to the CPU."""
        end = None if timeout is None else time.monotonic() + timeout
        while self._count() - self._before <= self._seen:
            if self._done():
                raise EOFError(f"the run has ended, and task `{self._name}` has no newer output")
            if end is not None and time.monotonic() >= end:
                raise TimeoutError(f"task `{self._name}` has no newer output yet")
            time.sleep(0.0002)
        found = self.newest()
        assert found is not None
        self._seen = found.number
        return found

    def newest(self) -> Optional[Output]:
        """The newest output at once; None before the first."""
        found = self._read()
        if found is None or found[0] <= self._before:
            return None
        return Output(found[1], found[0] - self._before)

    @property
    def tensors(self) -> List[Any]:
        """The tensors on the device that the graph writes: views, which the next job overwrites."""
        return list(self._tensors)


class Inbox:
    """The newest value of something, for one side that writes and one that reads."""

    def __init__(self, first: Tuple[Any, ...]) -> None:
        self._lock = threading.Lock()
        self._value = first
        self._number = 0

    def set(self, value: Tuple[Any, ...]) -> None:
        with self._lock:
            self._value = value
            self._number += 1

    def get(self) -> Tuple[Any, ...]:
        with self._lock:
            return self._value

    @property
    def number(self) -> int:
        with self._lock:
            return self._number

    def read(self) -> Optional[Tuple[int, Any]]:
        with self._lock:
            return (self._number, self._value[0]) if self._number else None


class Running:
    """A plan that runs the session's work, in threads of the library. The end of the scope stops it."""

    def __init__(
        self,
        opened: plain.Session,
        start: Callable[[], plain.Running],
        tasks: "Dict[str, Task]",
        at_end: Callable[[], None],
    ) -> None:
        self._opened, self._tasks = opened, tasks
        self._at_end: Optional[Callable[[], None]] = at_end
        self._outputs = {
            name: made for name, task in tasks.items() if (made := self._outputs_of(task)) is not None
        }
        self._started = start()

    def _task(self, name: str) -> "Task":
        if name not in self._tasks:
            known = ", ".join(f"`{task}`" for task in self._tasks)
            raise KeyError(f"there is no task `{name}`; there are {known}")
        return self._tasks[name]

    def inputs(self, task: str) -> Inputs:
        """Of the first node of a task."""
        first = self._task(task)._steps[0]
        return Inputs(task, first.piece, first.inbox)

    def outputs(self, task: str) -> Outputs:
        """Of the last node of a task."""
        self._task(task)
        if task not in self._outputs:
            raise ValueError(f"what task `{task}` enqueues keeps no outputs")
        return self._outputs[task]

    def _outputs_of(self, task: "Task") -> Optional[Outputs]:
        last = task._steps[-1]
        if last.piece is not None and last.piece.ring is not None:
            piece, ring = last.piece, last.piece.ring

            def read() -> Optional[Tuple[int, Any]]:
                found = ring.read()
                return None if found is None else (found[0], piece.rebuilt(found[1]))

            return Outputs(
                task.name, read, lambda: ring.count, ring.count, self._ended, piece.outputs
            )
        if last.outbox is None:
            return None
        box = last.outbox
        return Outputs(task.name, box.read, lambda: box.number, box.number, self._ended, [])

    def _ended(self) -> bool:
        return self._started.done

    @property
    def done(self) -> bool:
        """Has the run ended?"""
        return self._started.done

    def stop(self) -> None:
        """Asks it to end soon; does not wait."""
        self._started.stop()

    def wait(self, timeout: Optional[float] = None) -> Run:
        """Waits for the end (seconds; TimeoutError), and returns the report."""
        try:
            return self._started.wait(timeout)
        finally:
            if self.done:
                self._close()

    def report(self) -> Run:
        """What was seen beside what was proved; of a run that has ended."""
        return self._started.report()

    def _close(self) -> None:
        at_end, self._at_end = self._at_end, None
        if at_end is not None:
            self._opened.close()
            at_end()

    def __enter__(self) -> "Running":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        try:
            self._started.__exit__(kind, error, trace)
        finally:
            if self.done:
                self._close()
