"""A session's plan while it runs: inputs, outputs, what was seen until now."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from concurrent.futures import Future
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Type

from .. import session as plain
from .._long import ShowProgress, shown_line
from .._problems import TactusError, invalid
from .._results import Run
from ._flow import Flow, Output

if TYPE_CHECKING:
    from ._session import Task


class Inputs:
    """Where a task gets its data. Each job uses the newest input; one that nobody replaced is used again.
    A task that is released on arrival has a job for each input, in order."""

    def __init__(self, flow: Flow, check: Callable[[], None]) -> None:
        self._flow, self._check = flow, check

    def put(self, *values: Any, **named: Any) -> int:
        """Copies the values (tensors on the CPU or the GPU, or numpy arrays, with the shapes and
        types of the examples), from any thread, and returns the number of the input, from 1. They may
        be changed when it returns. From the CPU the way is: pinned memory, then a slot on the device;
        jobs that are running go on with the one before. It waits only when it is called several times
        within one job. If the task is released on arrival, it releases a job; `tactus.torch.Full`
        says that as many inputs wait as may (`room`, `wait`)."""
        return self.put_at(time.monotonic(), *values, **named)

    def put_at(self, arrived: float, *values: Any, **named: Any) -> int:
        """The same for an input that was there at that time (`time.monotonic`): bounds and responses count
        from then."""
        self._check()
        return self._flow.put(values, named, arrived)

    @property
    def room(self) -> int:
        """How many more inputs of a task that is released on arrival may wait now."""
        return self._flow.room

    def wait(self, timeout: Optional[float] = None) -> bool:
        """Waits until there is room (seconds). Is there?"""
        found = self._flow.wait_for_room(timeout)
        self._check()
        return found

    @property
    def tensors(self) -> List[Any]:
        """The tensors on the device that the graph reads: views, no copies. Of a node with
        ``staged=False`` you write into them yourself, between two jobs."""
        return list(self._flow.tensors_in)

    def __repr__(self) -> str:
        return f"<inputs of {self._flow.name}>"


class Outputs:
    """What the last node of a task makes, in this run."""

    def __init__(self, flow: Flow, check: Callable[[], None]) -> None:
        self._flow, self._check = flow, check
        self._seen = 0

    def get(self, timeout: Optional[float] = None) -> Output:
        """Waits for a job that ended after the last `get` (seconds; TimeoutError; EOFError when the
        run has ended), and returns the newest. Jobs in between are left out: `number` tells. If the
        task is released on arrival, no job is left out. It copies to the CPU. What a function of the
        run has raised is raised here."""
        self._check()
        found = self._flow.next(self._seen, timeout)
        self._seen = found.number
        return found

    def newest(self) -> Optional[Output]:
        """The newest output at once; None before the first."""
        return self._flow.newest()

    def __iter__(self) -> "Outputs":
        return self

    def __next__(self) -> Output:
        try:
            return self.get()
        except EOFError:
            raise StopIteration from None

    @property
    def tensors(self) -> List[Any]:
        """The tensors on the device that the graph writes: views, which the next job overwrites."""
        return list(self._flow.tensors_out)

    def __repr__(self) -> str:
        return f"<outputs of {self._flow.name}: {self._flow.ended} jobs>"


class Running:
    """A plan that runs the session's work, in threads of the library. The end of the scope stops it: the
    jobs that run are ended, and no others begun. After `end_within` seconds it gives up, and says what
    it waits for; Ctrl-C ends the wait at once."""

    def __init__(
        self,
        opened: Optional[plain.Session],
        start: Callable[[], plain.Running],
        tasks: "Dict[str, Task]",
        at_end: Callable[[], None],
        on_job: Optional[Callable[[plain.Job], Any]] = None,
        end_within: float = plain.PATIENCE_S,
    ) -> None:
        self._opened, self._tasks = opened, tasks
        self._at_end: Optional[Callable[[], None]] = at_end
        self._process = os.getpid()
        self._on_job = on_job
        self._flows = {name: task._flow() for name, task in tasks.items()}
        self._outputs = {name: Outputs(flow, self._check) for name, flow in self._flows.items()}
        self._report: Optional[Run] = None
        self._metrics = ""
        self._began = time.monotonic()
        if opened is not None:
            for name, flow in self._flows.items():
                if flow.queue is not None:
                    opened.on_arrival(name, flow.queue)
                    flow.arrive = lambda at, name=name: opened.arrive(name, at)  # type: ignore[misc]
        self._started = start()
        self._started.patience = end_within
        self._follower: Optional[threading.Thread] = None
        if opened is None:
            for flow in self._flows.values():
                flow.unfollowed_end = lambda: self._started.done
        else:
            self._follower = threading.Thread(target=self._follow, name="tactus jobs", daemon=True)
            self._follower.start()

    # -- data

    def _flow(self, task: str) -> Flow:
        if task not in self._flows:
            known = ", ".join(f"`{name}`" for name in self._flows)
            raise KeyError(f"there is no task `{task}`; there are {known}")
        return self._flows[task]

    def inputs(self, task: str) -> Inputs:
        """Of the first node of a task."""
        return Inputs(self._flow(task), self._check)

    def outputs(self, task: str) -> Outputs:
        """Of the last node of a task."""
        if self._flow(task)._read is None:
            raise invalid(f"what task `{task}` enqueues keeps no outputs")
        return self._outputs[task]

    def send(self, task: str, *values: Any, **named: Any) -> "Future[Output]":
        """Puts an input of a task that is released on arrival; the future has the output of its job. From
        any thread, also from a callback."""
        self._check()
        flow = self._flow(task)
        if flow.queue is None:
            raise invalid(f'task `{task}` has a clock; make it with release="arrival" to submit inputs')
        future: "Future[Output]" = Future()
        flow.put(values, named, time.monotonic(), future)
        return future

    async def submit(self, task: str, *values: Any, **named: Any) -> Output:
        """The same in a coroutine: waits for the output of this input's job."""
        return await asyncio.wrap_future(self.send(task, *values, **named))

    # -- what was seen

    def report(self) -> Run:
        """What was seen beside what was proved, until now; notes say which jobs run. From any thread."""
        return self._report if self._report is not None else self._started.report()

    def metrics(self) -> str:
        """The same as OpenMetrics text for monitoring (docs/use/watch.md)."""
        if self._at_end is None or self._opened is None:
            return self._metrics
        return self._opened.metrics()

    def histogram(self, task: str) -> Dict[float, int]:
        """How many jobs took up to so many ms, from release to end."""
        return dict(sorted(self._flow(task).histogram.items()))

    @property
    def done(self) -> bool:
        """Has the run ended?"""
        return self._started.done

    def stop(self) -> None:
        """Asks it to end soon: jobs that run are ended, no others begun. Does not wait."""
        self._started.stop()

    def wait(self, timeout: Optional[float] = None, progress: ShowProgress = False) -> Run:
        """Waits for the end (seconds; TimeoutError), and returns the report. With `progress`, a line shows
        what happens until then. Ctrl-C stops the run."""
        try:
            if progress:
                self._show_until(progress, timeout)
            return self._started.wait(timeout)
        finally:
            if self.done:
                self._close()

    def _show_until(self, progress: ShowProgress, timeout: Optional[float]) -> None:
        end = None if timeout is None else time.monotonic() + timeout
        with shown_line(progress) as show:
            try:
                while not self.done and (end is None or time.monotonic() < end):
                    show(self._line())
                    time.sleep(0.2)
            except KeyboardInterrupt:
                self.stop()

    def _line(self) -> str:
        parts = []
        for name, flow in self._flows.items():
            part = f"{name} {flow.ended} jobs, longest {flow.longest:.2f} ms"
            parts.append(part + "".join(
                f", {count} {what}"
                for count, what in ((flow.late, "late"), (flow.skipped, "skipped"), (flow.refused, "refused"))
                if count
            ))  # fmt: skip
        return f"{time.monotonic() - self._began:.1f} s: " + "; ".join(parts)

    def __repr__(self) -> str:
        return f"<{'ended' if self.done else 'running'} for {self._line()}>"

    def _repr_html_(self) -> str:
        return self.report().to_html()

    # -- inside

    def _check(self) -> None:
        """Raises what a function of the run has raised."""
        if self._opened is not None:
            self._opened.raise_failures()

    def _follow(self) -> None:
        """Passes on the jobs that end, until none do any more."""
        assert self._opened is not None
        while True:
            over = self._started.done
            jobs = self._opened.jobs(0 if over else 0.1)
            for job in jobs or ():
                try:
                    self._flows[job.task].saw(job)
                    if self._on_job is not None:
                        self._on_job(job)
                except BaseException as error:
                    self._opened._fail("what follows the jobs", error)
            if jobs is None:
                if over:
                    break
                time.sleep(0.001)  # it only begins
        for name, flow in self._flows.items():
            flow.end(self._why_over(name))

    def _why_over(self, task: str) -> BaseException:
        try:
            self._check()
        except TactusError as error:
            return error
        return EOFError(f"the run has ended, and task `{task}` has no newer output")

    def _close(self) -> None:
        if os.getpid() != self._process:
            return
        at_end, self._at_end = self._at_end, None
        if at_end is None or self._opened is None:
            return
        if self._follower is not None and self._follower is not threading.current_thread():
            self._follower.join()
        try:
            self._report = self._started.report()
            self._metrics = self._opened.metrics()
        except TactusError:
            pass  # it did not begin; `report` says why
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
