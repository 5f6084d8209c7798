"""Tasks of PyTorch modules and Python functions, measured and run."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Union

from .. import session as plain
from .._long import ShowProgress
from .._model import Platform, System
from .._numbers import Time, in_unit
from .._problems import Problem, TactusError
from .._results import Plan
from ._buffers import static_copy
from ._capture import WARM_UP, Piece
from ._lazy import torch
from ._running import Inbox, Running
from ._trees import flatten

#: How long a Python thread may keep the GIL from others while CPU nodes are measured or run (Python's
#: own value is 5 ms).
SWITCH_INTERVAL = 0.0005


class Step:
    """A node: work of the GPU (`piece`, or `enqueue` alone), or a function."""

    def __init__(self, name: str, kind: str) -> None:
        self.name, self.kind = name, kind
        self.piece: Optional[Piece] = None
        self.enqueue: Optional[Callable[[int], None]] = None
        self.function: Optional[Callable[[], None]] = None
        self.inbox: Optional[Inbox] = None  #: of a function that is the first node
        self.outbox: Optional[Inbox] = None  #: what a function returned last

    def leaves(self) -> List[Any]:
        """What it made last, as tensors where it is work of the GPU."""
        if self.piece is not None:
            return list(self.piece.outputs)
        return [] if self.outbox is None else flatten(self.outbox.get()[0])[0]


class Task:
    """A chain of GPU work and functions; made by `Session.task`. Its methods return it, so that calls
    can follow each other. The first node has example inputs; every other node gets what the one
    before it returned."""

    def __init__(
        self, session: "Session", name: str, attributes: Dict[str, Any], best_effort: bool
    ) -> None:
        self._session, self.name, self._attributes = session, name, attributes
        self._best_effort = best_effort
        self._steps: List[Step] = []

    def gpu(
        self,
        name: str,
        module: Callable[..., Any],
        *examples: Any,
        staged: bool = True,
        warm_up: int = WARM_UP,
    ) -> "Task":
        """A module (eager, compiled or TorchScript) or any function of tensors, captured as a CUDA
        graph with static buffers. It is called a few times now, without gradients, so that
        autotuning and compilation are over. `CaptureError` has PyTorch's reason where it cannot be
        captured. ``staged=False``: no slots for inputs, you write into `Inputs.tensors` yourself."""
        return self._add_piece(name, module, examples, staged, warm_up, grad=False)

    def cpu(self, name: str, function: Callable[..., Any], *examples: Any) -> "Task":
        """A Python function, on a core of its own; it takes the GIL. It is called once now. Behind
        GPU work it gets the outputs as tensors in pinned host memory, which the next job
        overwrites; what it returns goes to the next node, or to the task's outputs."""
        step = self._step(name, "cpu")
        before = self._steps[-1] if self._steps else None
        if before is None:
            step.inbox = Inbox(examples)
        elif examples:
            raise ValueError(f"`{name}` gets what `{before.name}` returns; it needs no examples")
        if before is not None and before.piece is not None:
            before.piece.give_to_host()
        step.outbox = Inbox((None,))

        def call() -> None:
            result = function(*self._arguments(step, before))
            assert step.outbox is not None
            step.outbox.set((result,))
            following = self._after(step)
            if following is not None and following.piece is not None:
                for mapped, x in zip(following.piece.host_inputs or (), flatten(result)[0]):
                    mapped.host.copy_(x)

        step.function = call
        call()
        self._steps.append(step)
        return self

    def gpu_stream(self, name: str, enqueue: Callable[[Any], Any]) -> "Task":
        """A function that enqueues all of its work on the stream that it is given (a
        `torch.cuda.Stream`, which is also the current one) and does not wait: for CuPy, Triton,
        CUDA extensions, or a part of a module. It is captured once for every partition. What it
        reads and writes must stay where it is; `Running.inputs` and `outputs` do not know it."""
        t = torch()
        device = self._session.device
        step = self._step(name, "gpu")

        def on(handle: int) -> None:
            with t.cuda.device(device):
                stream = t.cuda.ExternalStream(handle, device=device)
                with t.cuda.stream(stream):
                    enqueue(stream)

        warm = t.cuda.Stream(device)
        with t.cuda.device(device), t.cuda.stream(warm):
            for _ in range(WARM_UP):
                enqueue(warm)
        warm.synchronize()
        step.enqueue = on
        self._steps.append(step)
        return self

    # -- inside

    def _step(self, name: str, kind: str) -> Step:
        self._session._changed()
        if any(step.name == name for step in self._steps):
            raise ValueError(f"task `{self.name}` has a node `{name}` already")
        return Step(name, kind)

    def _after(self, step: Step) -> Optional[Step]:
        at = self._steps.index(step) if step in self._steps else len(self._steps)
        return self._steps[at + 1] if at + 1 < len(self._steps) else None

    @staticmethod
    def _arguments(step: Step, before: Optional[Step]) -> Sequence[Any]:
        if before is None:
            return step.inbox.get() if step.inbox is not None else ()
        if before.piece is not None:
            made = before.piece.rebuilt([x.host for x in before.piece.host_outputs or ()])
        else:
            made = before.outbox.get()[0] if before.outbox is not None else None
        if made is None:
            return ()
        return list(made) if isinstance(made, (tuple, list)) else [made]

    def _add_piece(
        self, name: str, module: Callable[..., Any], examples: Sequence[Any], staged: bool,
        warm_up: int, grad: bool,
    ) -> "Task":  # fmt: skip
        t = torch()
        device = self._session.device
        step = self._step(name, "gpu")
        before = self._steps[-1] if self._steps else None
        what = f"`{name}` of `{self.name}`"
        if before is not None and examples:
            raise ValueError(f"{what} gets what `{before.name}` returns; it needs no examples")
        if before is not None and before.enqueue is not None:
            raise ValueError(f"{what}: `{before.name}` is enqueued by you, and gives nothing on")
        if before is None or before.kind == "cpu":
            given = examples if before is None else before.leaves()
            static = [static_copy(x, device) if isinstance(x, t.Tensor) else x for x in given]
        else:
            static = before.leaves()  # the very tensors that the graph before writes
        piece = Piece(what, module, static, device, grad=grad, warm_up=warm_up)
        if before is None:
            if staged and static:
                piece.take_newest()
        elif before.kind == "cpu":
            piece.take_from_host()
        step.piece = piece
        self._steps.append(step)
        return self

    def _finish(self) -> None:
        """Nothing is added any more: the last node keeps its outputs, and all graphs are captured."""
        if not self._steps:
            raise ValueError(f"task `{self.name}` has no work")
        last = self._steps[-1].piece
        if last is not None and last.ring is None:
            last.keep_outputs()
        for step in self._steps:
            if step.piece is not None:
                step.piece.capture()


class Session:
    """Networks with deadlines on one GPU.

    `device` is a CUDA device of PyTorch (by default the current one). `realtime` asks for SCHED_FIFO
    for the threads that run a plan. `backend` is ``"driver"``; ``"emulator"`` runs plans in virtual
    time and calls nothing.
    """

    def __init__(
        self,
        device: Any = None,
        *,
        name: str = "torch",
        realtime: bool = False,
        backend: str = "driver",
    ) -> None:
        t = torch()
        number = t.cuda.current_device() if device is None else t.device(device).index or 0
        self.device: Any = t.device("cuda", number)
        self.name, self.realtime, self.backend = name, realtime, backend
        #: What `measure` found: all neighbours, widths and conditions.
        self.measurement: Optional[plain.Measurement] = None
        self._tasks: Dict[str, Task] = {}
        self._chains: List[Dict[str, Any]] = []
        self._reserved = 0
        self._finished = False
        self._running = False

    # -- tasks

    def task(
        self,
        name: str,
        period: Optional[Time] = None,
        *,
        deadline: Optional[Time] = None,
        priority: Optional[int] = None,
        offset: Optional[Time] = None,
        jitter: Optional[Time] = None,
        after: Optional[str] = None,
    ) -> Task:
        """Work that comes every `period` (``"33 ms"``; numbers are ms), and must be done before its
        `deadline` (by default the next period). Larger priorities are more urgent. A job may be
        released up to `jitter` after it arrives; `after` names the task whose jobs start those of this
        one, instead of a period."""
        if (period is None) == (after is None):
            raise ValueError(f"task `{name}` needs either a period or a task that it is after")
        given: Dict[str, Any] = dict(
            period=period, deadline=deadline, priority=priority, offset=offset, jitter=jitter
        )
        times = {key: in_unit(value, "ms") if isinstance(value, str) else value
                 for key, value in given.items() if value is not None}  # fmt: skip
        if after is not None:
            times["after"] = after
        return self._add(Task(self, name, times, best_effort=False))

    def best_effort(
        self, name: str, step: Callable[..., Any], *examples: Any, sms: int = 8,
        warm_up: int = WARM_UP,
    ) -> Task:  # fmt: skip
        """Work without a deadline, such as a training step, again and again on the SMs that the plan
        leaves; at least `sms` of them are kept for it. The step (forward, backward, optimizer) is
        captured as a whole, with gradients: it must not wait for a value (use optimizers with
        ``capturable=True``), and is called a few times now. Random numbers are those of the
        capture, in every step."""
        task = self._add(Task(self, name, {}, best_effort=True))
        try:
            task._add_piece("step", step, examples, True, warm_up, grad=True)
        except BaseException:
            del self._tasks[name]
            raise
        self._reserved = max(self._reserved, sms)
        return task

    def chain(
        self,
        name: str,
        tasks: Sequence[str],
        *,
        reaction: Optional[Time] = None,
        age: Optional[Time] = None,
        phases: str = "any",
    ) -> None:
        """Tasks that pass on values, the first from outside: a run follows each value, and shows the
        longest `reaction` and `age` beside the bound (docs/use/pipelines.md)."""
        self._changed()
        limits = {key: in_unit(value, "ms") if isinstance(value, str) else value
                  for key, value in (("reaction", reaction), ("age", age)) if value is not None}  # fmt: skip
        self._chains.append({"name": name, "tasks": list(tasks), "phases": phases, **limits})

    def _add(self, task: Task) -> Task:
        self._changed()
        if task.name in self._tasks:
            raise ValueError(f"there is a task `{task.name}` already")
        self._tasks[task.name] = task
        return task

    def _changed(self) -> None:
        if self._finished:
            raise RuntimeError("this session was measured or run already; tasks are added before")

    def _finish(self) -> None:
        if not self._finished:
            if not self._tasks:
                raise ValueError("the session has no tasks")
            for task in self._tasks.values():
                task._finish()
            torch().cuda.synchronize(self.device)
            self._finished = True

    # -- the system

    def system(self) -> System:
        """Its tasks, without times."""
        t = torch()
        sms = int(t.cuda.get_device_properties(self.device).multi_processor_count)
        cores = max(len(os.sched_getaffinity(0)) - 2, 1) if self._has("cpu") else 1
        made = System(self.name, Platform.of(cpu=cores, gpu=sms), time_unit="ms")
        for task in self._tasks.values():
            added = made.add_task(task.name, best_effort=task._best_effort, **task._attributes)
            for step in task._steps:
                added.add(step.name, step.kind)
        made.chains = self._chains or None
        return made

    def _has(self, kind: str) -> bool:
        return any(step.kind == kind for task in self._tasks.values() for step in task._steps)

    def _nodes(self, kind: str) -> List[str]:
        return [
            f"{task.name}.{step.name}"
            for task in self._tasks.values()
            if not task._best_effort
            for step in task._steps
            if step.kind == kind
        ]

    def measure(
        self,
        units: Optional[Sequence[int]] = None,
        *,
        runs: Optional[int] = None,
        enemies: Union[str, Sequence[str], None] = None,
        pairs: Optional[bool] = None,
        margin: Optional[int] = None,
        noisy_ok: Optional[bool] = None,
        progress: ShowProgress = None,
    ) -> System:
        """Measures all work on each width (`units`, in SMs), alone and beside what may disturb it,
        and returns the system with the longest times plus `margin` percent. Functions on CPU nodes
        are measured beside a thread that keeps Python busy. Everything that was found is in
        `measurement`. The GPU must have nothing else to do meanwhile."""
        self._finish()
        how: Dict[str, Any] = dict(runs=runs, margin=margin, noisy_ok=noisy_ok, progress=progress)
        system = self.system()
        self._estimate_best_effort(system)
        found: Optional[plain.Measurement] = None
        if self._nodes("gpu"):
            with self._opened(system, None) as opened:
                found = opened.measure(
                    units=units, enemies=enemies, pairs=pairs, nodes=self._nodes("gpu"), **how
                )
            system = found.system
        if self._nodes("cpu"):
            with self._opened(system, None) as opened, _quick_switches(), _busy_python():
                on_cpu = opened.measure(nodes=self._nodes("cpu"), enemies="none", **how)
            system = on_cpu.system
            if found is None:
                found = on_cpu
            else:
                found.document["nodes"] += on_cpu.document["nodes"]
        if found is None:
            raise ValueError("the session has only best-effort work: there is nothing to measure")
        gpu = system.platform.element("gpu")
        gpu.units = int(found.document.get("divisible", gpu.units)) - self._reserved
        found.system = system
        self.measurement = found
        return system

    def _estimate_best_effort(self, system: System) -> None:
        """Nobody promises anything about it, but plans want to know about how long it takes."""
        t = torch()
        sms = system.platform.element("gpu").units
        for task in self._tasks.values():
            if not task._best_effort:
                continue
            graph = task._steps[0].piece.graph if task._steps[0].piece is not None else None
            begin, end = t.cuda.Event(enable_timing=True), t.cuda.Event(enable_timing=True)
            begin.record()
            graph.replay()
            end.record()
            end.synchronize()
            milliseconds = max(float(begin.elapsed_time(end)), 0.001)
            node = system.task(task.name).nodes[0]
            width = max(self._reserved, 1)
            node.times = [{"units": width, "wcet": round(milliseconds * max(sms / width, 1), 3)}]

    # -- running

    def run(
        self,
        plan: Plan,
        *,
        system: Optional[System] = None,
        duration: Optional[Time] = None,
        jobs: Optional[int] = None,
    ) -> Running:
        """Starts the plan on the session's work, until the end of the scope (or of `duration`, or
        until `jobs` of each task are done). `system` is by default the one that the plan was made
        for, as `tactus.advise` chose it."""
        about = system or plan.system
        if about is None:
            raise ValueError("the plan does not know its system: give `system`")
        if self._running:
            raise RuntimeError("this session runs already")
        self._finish()
        for task in self._tasks.values():
            first = task._steps[0].piece
            if first is not None and first.slots is not None:
                limit = task._attributes.get("deadline", task._attributes.get("period", 50))
                first.slots.longest_job = float(limit) / 1000
        opened = self._opened(about, plan)
        switches = contextlib.ExitStack()
        if self._has("cpu"):
            switches.enter_context(_quick_switches())

        def at_end() -> None:
            switches.close()
            self._running = False

        def start() -> plain.Running:
            return opened.start(
                duration=duration, jobs=jobs, until_stopped=duration is None and jobs is None
            )

        try:
            running = Running(opened, start, self._tasks, at_end)
        except BaseException:
            opened.close()
            at_end()
            raise
        self._running = True
        return running

    def _opened(self, system: System, plan: Optional[Plan]) -> plain.Session:
        """A session of the library with all the work bound."""
        opened = plain.Session(
            system, plan, backend=self.backend, device=self.device.index, realtime=self.realtime
        )
        try:
            for task in self._tasks.values():
                for step in task._steps:
                    if step.piece is not None:
                        opened.bind_graph(task.name, step.name, step.piece.capture())
                        opened.bind_stream(task.name, step.name, step.piece.enqueue_on)
                    elif step.enqueue is not None:
                        opened.bind_stream(task.name, step.name, step.enqueue)
                    elif step.function is not None:
                        opened.bind_cpu(task.name, step.name, step.function)
        except TactusError as error:
            opened.close()
            told = [Problem("the session's work does not fit the system; was it made by measure()?")]
            raise TactusError(told + error.problems) from error
        return opened


@contextlib.contextmanager
def _quick_switches() -> Iterator[None]:
    """A CPU node that needs the GIL gets it sooner."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(min(before, SWITCH_INTERVAL))
    try:
        yield
    finally:
        sys.setswitchinterval(before)


@contextlib.contextmanager
def _busy_python() -> Iterator[None]:
    """A thread that always has something to do in Python: the enemy of everything that needs the
    GIL."""
    stop = threading.Event()

    def spin() -> None:
        while not stop.is_set():
            for _ in range(10_000):
                pass

    thread = threading.Thread(target=spin, name="tactus busy python", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
