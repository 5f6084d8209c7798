"""Sessions: a plan runs your own work, in threads of the library.

>>> import tactus, tactus.session
>>> system = tactus.System("cell", tactus.Platform.of(cpu=2, gpu=16))
>>> vision = system.add_task("vision", period=40, core=1)
>>> _ = vision.add("net", "gpu", times=[{"units": 8, "wcet": 9}]).add("post", "cpu", 2)
>>> with tactus.session.Session(system, method="gang.swc") as session:
...     session.bind_cpu("vision", "post", lambda: None)
...     session.run(jobs=5).good
True

This is the part without PyTorch, on which `tactus.torch` stands: functions, captured CUDA graphs
(as addresses), functions that enqueue on a stream. The backend ``"emulator"`` runs the plan in
virtual time and calls nothing of yours; ``"driver"`` needs a GPU; ``"cpu"`` needs none, and calls what
is bound to nodes of a GPU (with the stream 0) for each job, to test programs. GPU work is started and
watched by threads that never take the GIL; a Python function on a CPU node takes it while it runs.
"""

from __future__ import annotations

import atexit
import ctypes
import json
import os
import threading
import time
import warnings
import weakref
from dataclasses import dataclass
from types import TracebackType
from typing import (
    Any,
    Callable,
    Dict,
    List,
    Mapping,
    Optional,
    Sequence,
    Set,
    Tuple,
    Type,
    Union,
)

from . import _library
from ._library import Answer, CpuFunction, EnqueueFunction, JobRecord, OverrunFunction
from ._long import ShowProgress, ask_long
from ._model import System
from ._numbers import Time, dumps, in_unit
from ._problems import (
    InvalidInput,
    NoAnswer,
    NotNow,
    Problem,
    TactusError,
    TactusWarning,
    invalid,
    problems_of,
)
from ._questions import _asked, _document, _task_run
from ._results import Plan, Result, Run, html_table

__all__ = ["Session", "Running", "Measurement", "Job", "Overrun"]


#: Whose function this thread is in.
_inside = threading.local()


@dataclass
class Measurement(Result[Dict[str, Any]]):
    """How long the work of a session takes, beside what may disturb it."""

    _parts = "rows"

    system: System  #: with the measured times in it

    def rows(self) -> List[Dict[str, Any]]:
        """A row per node, width and neighbour; ``units`` 0 is the whole GPU."""
        return [
            {
                "task": node["task"],
                "node": node["node"],
                "units": width["units"],
                "wcet": width["wcet"],
                **{key: value for key, value in beside.items() if key != "samples"},
            }
            for node in self.document["nodes"]
            for width in node["widths"]
            for beside in width["beside"]
        ]

    def to_html(self) -> str:
        """As a part of a page, without scripts."""
        shown = ("task", "node", "units", "neighbour", "p50", "p99", "max", "wcet")
        return html_table(self.rows(), shown)


@dataclass(frozen=True)
class Job:
    """A job of a run. Times are in ns since the beginning of the run."""

    task: str
    number: int  #: from 1 in every run; those that were skipped count, too
    state: str  #: ``"done"``, ``"late"`` (its deadline is missed), ``"skipped"``, ``"cut short"``
    release: int  #: when it was released
    end: int
    lost: int  #: jobs of this run that were not told, because nobody took them in time
    origin: int  #: when the run began, on the clock of `time.monotonic_ns`

    @property
    def response(self) -> int:
        """From its release to its end."""
        return self.end - self.release


_STATES = ("done", "late", "skipped", "cut short")


@dataclass(frozen=True)
class Overrun:
    """A job that took longer than the bound of a node, or than its deadline. Times are in ns."""

    task: str
    node: Optional[str]  #: None: it is late; it may still run
    number: int  #: of the job, from 1
    limit: int
    took: int


#: What may follow from an overrun.
_ACTIONS = {"log": 0, "skip-next": 1, "stop": 2}


class Session:
    """Work bound to the nodes of a system, to be measured, or to be run under a plan.

    With `plan` (or `method`, whose plan is made now) it can run; without, it can only measure, and
    the nodes need no times. `realtime` asks for SCHED_FIFO; `sms` is the size of the emulated GPU.
    Everything that is bound is kept alive until the session is closed.
    """

    def __init__(
        self,
        system: System,
        plan: Optional[Plan] = None,
        # asks session_open
        *,
        set: Union[Mapping[str, Any], Sequence[str], None] = None,
        costs: Optional[str] = None,
        method: Union[str, Sequence[Any], None] = None,
        variant: Optional[str] = None,
        threads: Optional[int] = None,
        options: Optional[Mapping[str, Any]] = None,
        backend: Optional[str] = None,
        device: Optional[int] = None,
        realtime: Optional[bool] = None,
        kernel: Optional[str] = None,
        sms: Optional[int] = None,
        partition_step: Optional[int] = None,
        # end
    ) -> None:
        request = _asked(locals())
        self.system = system
        handle = ctypes.c_void_p()
        answer = Answer(
            _library.library().tactus_session_open(
                system.to_json().encode(), dumps(request).encode(), None, ctypes.byref(handle)
            )
        )
        self._handle: Optional[int] = handle.value
        if self._handle is None:
            _document(answer)
            raise NoAnswer([Problem("the session was not opened")])
        self._free = weakref.finalize(self, _library.library().tactus_session_close, self._handle)
        self._free.atexit = False  # runs are ended there, in `_end_all`
        made = json.loads(answer.document or "{}")
        #: What it runs; none where it was opened to measure only.
        self.plan: Optional[Plan] = Plan(dict(made), system) if made else None
        self._kept: List[Any] = []  # ctypes' functions, and what they use
        self._failures: List[Tuple[str, BaseException]] = []
        self._runs = False
        self._lock = threading.Lock()

    # -- binding

    def bind_cpu(self, task: str, node: str, function: Callable[[], Any]) -> None:
        """A function for a node on a CPU. It is called on a thread of the library that is pinned to
        the core, and takes the GIL. An exception ends the run, which then raises it."""

        what = f"`{node}` of `{task}`"
        self._bind("cpu", task, node, self._guarded(CpuFunction, function, what), None)

    def bind_graph(self, task: str, node: str, graph: int) -> None:
        """A captured CUDA graph (the address of a ``cudaGraph_t``). It is cloned."""
        self._bind("graph", task, node, graph)

    def bind_stream(self, task: str, node: str, enqueue: Callable[[int], Any]) -> None:
        """A function that enqueues all the work of a node on the stream that it is given (the
        address of a ``cudaStream_t``), which is being captured. It is called before the run, and
        must not wait. Beside a graph it is used where the graph cannot be moved."""

        what = f"what enqueues `{node}` of `{task}`"
        self._bind("stream", task, node, self._guarded(EnqueueFunction, enqueue, what), None)

    def bind_copy(self, task: str, node: str, to: int, source: int, bytes: int) -> None:
        """A copy between pinned host memory and device memory (addresses), for a copy engine."""
        self._bind("copy", task, node, to, source, bytes)

    def bind_callbacks(
        self,
        task: str,
        node: str,
        before: Optional[Callable[[], Any]] = None,
        after: Optional[Callable[[], Any]] = None,
    ) -> None:
        """Functions right before and right after each job of a node. They take the GIL, and their
        time is part of the node's time."""

        def made(function: Optional[Callable[[], Any]], when: str) -> Any:
            if function is None:
                return CpuFunction(0)  # a null pointer
            what = f"what is called {when} `{node}` of `{task}`"
            return self._guarded(CpuFunction, function, what)

        self._bind("callbacks", task, node, made(before, "before"), made(after, "after"), None)

    def on_arrival(self, task: str, most: int = 1) -> None:
        """A task is released when `arrive` says that an input is there, not by its period, which is
        then the least time between two of its jobs. At most so many wait or run."""
        self._asked("on_arrival", task.encode(), most)

    def arrive(self, task: str, at: int = 0) -> int:
        """An input is there, since `at` (`time.monotonic_ns`; on the emulator: ns after the beginning;
        0: now). Returns the number of its job, from 1; 0 if as many wait as may."""
        number = int(_library.library().tactus_session_arrive(self._open(), task.encode(), at))
        if number < 0:
            raise invalid(f"task `{task}` is not released on arrival")
        return number

    def on_overrun(self, decide: Optional[Callable[[Overrun], Optional[str]]]) -> None:
        """A function that is called at each overrun, and returns ``"log"`` (or None), ``"skip-next"`` or
        ``"stop"``. It is called by the thread that runs the plan, which waits for it."""
        made = OverrunFunction(0)
        if decide is not None:
            ask = decide

            def called(told: Any, _data: Any) -> int:
                seen = told.contents
                node = None if seen.node is None else seen.node.decode()
                overrun = Overrun(seen.task.decode(), node, seen.job + 1, seen.limit_ns, seen.took_ns)
                try:
                    answer = ask(overrun) or "log"
                    if answer not in _ACTIONS:
                        raise invalid(f"{answer!r} is not one of log, skip-next and stop")
                    return _ACTIONS[answer]
                except BaseException as error:
                    self._fail("what is called at an overrun", error)
                    return _ACTIONS["stop"]

            made = OverrunFunction(called)
            self._kept.append(made)
        self._asked("on_overrun", made, None)

    def jobs(self, wait: float = 0.1) -> Optional[List[Job]]:
        """The jobs that have ended since the last call, after at most `wait` seconds for the first of
        them. None when nothing runs any more. For one thread."""
        records = (JobRecord * 256)()
        count = int(
            _library.library().tactus_session_jobs(
                self._open(), records, len(records), int(wait * 1000)
            )
        )
        if count < 0:
            return None
        names = [task.name for task in self.system.tasks]
        return [
            Job(names[r.task], r.job + 1, _STATES[r.state], r.release_ns, r.end_ns, r.lost, r.origin_ns)
            for r in records[:count]
        ]

    def keep(self, *things: Any) -> None:
        """Keeps memory that the bound work uses until the session is closed."""
        self._kept.extend(things)

    # -- measuring and running

    def measure(
        self,
        # asks session_measure
        *,
        units: Union[str, Sequence[Any], None] = None,
        runs: Optional[int] = None,
        enemies: Union[str, Sequence[Any], None] = None,
        pairs: Optional[bool] = None,
        margin: Optional[int] = None,
        bcet: Optional[bool] = None,
        noisy_ok: Optional[bool] = None,
        nodes: Optional[Sequence[Any]] = None,
        samples: Optional[bool] = None,
        # end
        progress: ShowProgress = None,
    ) -> Measurement:
        """How long everything that is bound takes, on each width (`units`, in SMs), alone and beside
        what may disturb it (`enemies`: all of them, ``"none"``, or names; also in `pairs`). The
        longest of all, plus `margin` percent, is written into the system. These are measurements,
        not proofs."""
        request = _asked(locals())
        with self._in_use():
            self._failures.clear()
            answer, interrupted = ask_long(
                "tactus_session_measure", [self._open(), dumps(request)], progress
            )
        self.raise_failures()
        document = _document(answer, interrupted)
        system = System.from_dict(document["file"])
        return Measurement(document, problems_of(answer.problems), interrupted, system)

    def run(
        self,
        # asks session_run
        *,
        jobs: Optional[int] = None,
        duration: Optional[Time] = None,
        until_stopped: Optional[bool] = None,
        on_overrun: Optional[str] = None,
        strategy: Optional[str] = None,
        share_gpu: Optional[bool] = None,
        strict: Optional[bool] = None,
        scenario: Optional[str] = None,
        seed: Optional[int] = None,
        fill: Optional[int] = None,
        jitter: Optional[Time] = None,
        trace: Optional[str] = None,
        trace_last: Optional[int] = None,
        # end
    ) -> Run:
        """Runs the plan until its jobs are done, for a time, or until `stop`; returns what was seen
        beside what was proved. `fill` is the percentage of its time that synthetic work takes."""
        said = {key: value for key, value in locals().items() if key != "self"}
        return self.start(**said).wait()

    def start(
        self,
        # asks session_run
        *,
        jobs: Optional[int] = None,
        duration: Optional[Time] = None,
        until_stopped: Optional[bool] = None,
        on_overrun: Optional[str] = None,
        strategy: Optional[str] = None,
        share_gpu: Optional[bool] = None,
        strict: Optional[bool] = None,
        scenario: Optional[str] = None,
        seed: Optional[int] = None,
        fill: Optional[int] = None,
        jitter: Optional[Time] = None,
        trace: Optional[str] = None,
        trace_last: Optional[int] = None,
        # end
    ) -> "Running":
        """The same, and returns at once."""
        return Running(self, dumps(_asked(locals(), self.system.time_unit)))

    def stop(self) -> None:
        """Ends the run soon, with a report on what it did. From any thread; does not wait."""
        if self._handle is not None:
            _library.library().tactus_session_stop(self._handle)

    def report(self) -> Run:
        """What was seen in the last run, or until now in the one that goes on, beside what was proved;
        then its notes say which jobs run. From any thread."""
        return self._seen(Answer(_library.library().tactus_session_report(self._open())))

    def metrics(self) -> str:
        """The same, or what the run that goes on has seen until a moment ago, as OpenMetrics text for
        monitoring (docs/use/watch.md). From any thread."""
        answer = Answer(_library.library().tactus_session_metrics(self._open()))
        if answer.document is None:
            raise NoAnswer(problems_of(answer.problems))
        return answer.document

    def close(self) -> None:
        """Ends the session. What was bound is not used any more."""
        with self._lock:
            if self._runs:
                raise NotNow("this session runs; stop it and wait for its end first")
            self._handle = None
        self._free()
        self._kept.clear()

    def __enter__(self) -> "Session":
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
            raise NotNow("this session was closed")
        return self._handle

    def _guarded(self, kind: Any, function: Callable[..., Any], what: str) -> Any:
        """A function for C, through which no exception passes; kept until the session is closed."""

        def called(*given: Any) -> None:
            _inside.session = self
            try:
                function(*(one or 0 for one in given[:-1]))  # the last is what C passes along
            except BaseException as error:
                self._fail(what, error)
            finally:
                _inside.session = None

        made = kind(called)
        self._kept.append(made)
        return made

    def _bind(self, kind: str, task: str, node: str, *what: Any) -> None:
        self._asked(f"bind_{kind}", task.encode(), node.encode(), *what)

    def _asked(self, name: str, *what: Any) -> None:
        answer = Answer(getattr(_library.library(), f"tactus_session_{name}")(self._open(), *what))
        if answer.status != Answer.YES:
            raise InvalidInput(problems_of(answer.problems))

    def _fail(self, what: str, error: BaseException) -> None:
        self._failures.append((what, error))
        self.stop()

    def raise_failures(self) -> None:
        """Raises what a function of the run has raised, if one has."""
        if self._failures:
            what, error = self._failures[0]
            raise TactusError([Problem(f"{what} failed: {type(error).__name__}: {error}")]) from error

    def _in_use(self) -> "_InUse":
        return _InUse(self)

    def _seen(self, answer: Answer) -> Run:
        document = _document(answer)
        return Run(
            document,
            problems_of(answer.problems),
            False,
            document["method"],
            document["variant"],
            document["good"],
            document["end"],
            [_task_run(task) for task in document["tasks"]],
        )


class _InUse:
    """A session is used by one thread at a time."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def __enter__(self) -> None:
        with self._session._lock:
            if self._session._runs:
                raise NotNow("this session is in use already")
            self._session._runs = True

    def __exit__(self, *_: Any) -> None:
        with self._session._lock:
            self._session._runs = False


#: How long the end of a scope waits for the jobs that run, in seconds; and after which of them it says
#: so.
PATIENCE_S = 10.0
_QUIET_S = 2.0

_runs: "Set[Running]" = set()

#: How long the end of the program waits for a function that does not return.
_LAST_PATIENCE_S = 30.0


def _end_all() -> None:
    """Functions of one's own must not be called while Python ends: that aborts the process."""
    runs = list(_runs)
    for run in runs:
        run.stop()
    for run in runs:
        run._done.wait(_LAST_PATIENCE_S)


atexit.register(_end_all)
os.register_at_fork(after_in_child=_runs.clear)


class Running:
    """A run in progress. It goes on in threads of the library, without the GIL.

    As a scope it is stopped at the end. Then the jobs that run are ended, and no others begun; if they
    have not ended within `patience` seconds, a `TactusError` says which they are. Ctrl-C ends the wait.

    >>> import tactus, tactus.session
    >>> system = tactus.System("cell", tactus.Platform.of(gpu=16))
    >>> _ = system.add_task("vision", period=40).add("net", "gpu", times=[{"units": 8, "wcet": 9}])
    >>> with tactus.session.Session(system, method="gang.swc") as session:
    ...     with session.start(jobs=100) as running:
    ...         seen = running.wait()
    >>> seen.task("vision").jobs
    100
    """

    def __init__(self, session: Session, request: str) -> None:
        self._session = session
        self.patience = PATIENCE_S
        self._process = os.getpid()
        self._answer: Optional[Answer] = None
        self._error: Optional[BaseException] = None
        self._report: Optional[Run] = None
        self._done = threading.Event()
        handle = session._open()
        use = session._in_use()
        use.__enter__()
        session._failures.clear()

        def work() -> None:
            try:
                function = _library.library().tactus_session_run
                self._answer = Answer(function(handle, request.encode()))
            except BaseException as error:  # told to whoever waits
                self._error = error
            finally:
                use.__exit__()
                _runs.discard(self)
                self._done.set()

        _runs.add(self)
        self._thread = threading.Thread(target=work, name="tactus run", daemon=True)
        self._thread.start()

    @property
    def done(self) -> bool:
        """Has it ended?"""
        return self._done.is_set()

    def stop(self) -> None:
        """Asks it to end soon; does not wait."""
        if not self.done:
            self._session.stop()

    def wait(self, timeout: Optional[float] = None) -> Run:
        """Waits for the end (seconds; TimeoutError), and returns what was seen. Ctrl-C stops the
        run; a second one raises KeyboardInterrupt."""
        if getattr(_inside, "session", None) is self._session:
            raise NotNow("this is a function of the run, and cannot wait for its end")
        interrupted = False
        left = timeout
        while not self.done:
            try:
                step = 0.1 if left is None else min(0.1, left)
                if self._done.wait(step):
                    break
                if left is not None:
                    left -= step
                    if left <= 0:
                        raise TimeoutError("the run has not ended yet")
            except KeyboardInterrupt:
                if interrupted:
                    raise
                interrupted = True
                self.stop()
        self._session.raise_failures()
        report = self.report()
        report.interrupted = report.interrupted or interrupted
        return report

    def report(self) -> Run:
        """What was seen beside what was proved, until now; its notes say which jobs run. From any
        thread."""
        if not self.done:
            return self._session.report()
        if self._error is not None:
            raise self._error
        if self._report is None:
            assert self._answer is not None
            self._report = self._session._seen(self._answer)
        return self._report

    def __enter__(self) -> "Running":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if os.getpid() != self._process:
            return  # a forked child has none of the threads that end the run
        self.stop()
        late = self._late()
        if kind is not None:  # what the scope raised counts
            if late is not None:
                warnings.warn(late, TactusWarning, stacklevel=2)
            return
        self._session.raise_failures()
        if late is not None:
            raise TactusError([Problem(late)])
        self.wait()

    def _late(self) -> Optional[str]:
        """Waits for the end as long as it may take; then it returns what is waited for."""
        begin = time.monotonic()
        said = False
        while not self._done.wait(0.05):
            waited = time.monotonic() - begin
            if waited > self.patience:
                return (
                    f"the run has not ended {self.patience:g} s after it was asked to; "
                    + self._waits_for()
                )
            if waited > _QUIET_S and not said:
                said = True
                warnings.warn(
                    f"the end of the scope waits (at most {self.patience:g} s; Ctrl-C ends it): "
                    + self._waits_for(),
                    TactusWarning,
                    stacklevel=3,
                )
        return None

    def _waits_for(self) -> str:
        try:
            notes = self._session.report().document["notes"]
        except TactusError:
            notes = []
        return "; ".join(note for note in notes if note.endswith("until now")) or "it does not say for what"
