"""Tasks of PyTorch modules and Python functions, measured and run."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from datetime import timedelta
from decimal import Decimal
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Union

from .. import session as plain
from .._long import ShowProgress
from .._model import Platform, System
from .._numbers import Time, in_unit
from .._problems import NotNow, Problem, TactusError, invalid
from .._questions import advise as tactus_advise
from .._results import Advice, Option, Plan
from ._boxes import Inbox, Outbox
from ._buffers import PLACES, InputSlots, Mapped
from ._capture import WARM_UP, Call, Piece, gpu
from ._flow import Flow, Read
from ._host import longest_wake_up, one_thread, states_kept
from ._lazy import torch
from ._place import Cpu, Place
from ._running import Running
from ._trees import flatten
from ._work import Kept, fingerprints, refuse_other_work

#: How long a Python thread may keep the GIL from others while CPU nodes are measured or run (Python's
#: own value is 5 ms).
SWITCH_INTERVAL = 0.0005


class Step:
    """A node: work of the GPU (`piece`, or `enqueue` alone), or a function."""

    def __init__(self, name: str, kind: str) -> None:
        self.name, self.kind = name, kind
        self.piece: Optional[Piece] = None
        self.call: Optional[Call] = None  #: what the piece runs, with its arguments
        self.enqueue: Optional[Callable[[int], None]] = None
        self.function: Optional[Callable[[], None]] = None
        self.inbox: Optional[Inbox] = None  #: of a function that is the first node
        self.outbox: Optional[Outbox] = None  #: what a function returned

    def leaves(self) -> List[Any]:
        """What it made last, as tensors where it is work of the GPU."""
        if self.piece is not None:
            return list(self.piece.outputs)
        return [] if self.outbox is None else flatten(self.outbox.newest)[0]


class Task:
    """A chain of GPU work and functions; made by `Session.task`. Its methods return it, so that calls
    can follow each other. The first node has example inputs; every other node gets what the one
    before it returned."""

    def __init__(
        self,
        session: "Session",
        name: str,
        attributes: Dict[str, Any],
        best_effort: bool,
        queue: Optional[int] = None,
    ) -> None:
        self._session, self.name, self._attributes = session, name, attributes
        self._best_effort, self._queue = best_effort, queue
        self._steps: List[Step] = []
        self._taken: Optional[int] = None  #: by the first node, where that is a function
        self._taken_told: Optional[Mapped] = None  #: to, or by, the GPU

    def __repr__(self) -> str:
        nodes = ", ".join(f"{step.name} ({step.kind})" for step in self._steps) or "no work yet"
        return f"<task {self.name}: {nodes}>"

    def gpu(
        self,
        name: str,
        module: Callable[..., Any],
        *examples: Any,
        staged: bool = True,
        warm_up: int = WARM_UP,
        **named: Any,
    ) -> "Task":
        """A module (eager, compiled or TorchScript) or any function of tensors, captured as a CUDA
        graph with static buffers. It is called a few times now, without gradients, so that
        autotuning and compilation are over, and captured once on trial: `CaptureError` has PyTorch's
        reason where that fails. Examples may be tensors, arrays of numpy, tuples and dicts of them,
        and named (``mask=...``); numbers and texts stay as they are. ``staged=False``: no slots for
        inputs, you write into `Inputs.tensors` yourself."""
        return self._add_piece(name, module, examples, named, staged, warm_up, grad=False)

    def cpu(self, name: str, function: Callable[..., Any], *examples: Any) -> "Task":
        """A Python function, on a core of its own; it takes the GIL. It is called once now. Behind
        GPU work it gets the outputs as tensors in pinned host memory, which the next job
        overwrites; what it returns goes to the next node, or to the task's outputs. PyTorch has one
        thread in it: the core is its only one."""
        step = self._step(name, "cpu")
        before = self._steps[-1] if self._steps else None
        if before is None:
            step.inbox = Inbox(examples, in_order=self._queue is not None)
        elif examples:
            raise invalid(f"`{name}` gets what `{before.name}` returns; it needs no examples")
        if before is not None and before.piece is not None:
            before.piece.give_to_host()
        step.outbox = Outbox(PLACES + (self._queue or 0))

        def call() -> None:
            one_thread()
            result = function(*self._arguments(step, before))
            assert step.outbox is not None
            step.outbox.put(result, self._taken_by_now())
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
        place = self._session.place
        step = self._step(name, "gpu")

        def on(handle: int) -> None:
            stream = place.external(handle)
            with place.on(stream):
                enqueue(stream)

        warm = place.stream()
        with place.on(warm):
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
            raise invalid(f"task `{self.name}` has a node `{name}` already")
        return Step(name, kind)

    def _after(self, step: Step) -> Optional[Step]:
        at = self._steps.index(step) if step in self._steps else len(self._steps)
        return self._steps[at + 1] if at + 1 < len(self._steps) else None

    def _arguments(self, step: Step, before: Optional[Step]) -> Sequence[Any]:
        if before is None:
            assert step.inbox is not None
            self._taken, values = step.inbox.take()
            if self._taken_told is not None:
                self._taken_told.host.copy_(torch().tensor([self._taken], dtype=torch().int64))
            return values
        if before.piece is not None:
            made = before.piece.rebuilt([x.host for x in before.piece.host_outputs or ()])
        else:
            made = before.outbox.newest if before.outbox is not None else None
        if made is None:
            return ()
        return list(made) if isinstance(made, (tuple, list)) else [made]

    def _taken_by_now(self) -> Optional[int]:
        """The number of the input of the job that runs; None: not known."""
        first = self._steps[0] if self._steps else None
        if first is None or first.piece is None:
            return self._taken
        return None if self._taken_told is None else int(self._taken_told.host.item())

    def _add_piece(
        self, name: str, module: Callable[..., Any], examples: Sequence[Any],
        named: Mapping[str, Any], staged: bool, warm_up: int, grad: bool,
    ) -> "Task":  # fmt: skip
        place = self._session.place
        step = self._step(name, "gpu")
        before = self._steps[-1] if self._steps else None
        what = f"`{name}` of `{self.name}`"
        if before is not None and (examples or named):
            raise invalid(f"{what} gets what `{before.name}` returns; it needs no examples")
        if before is not None and before.enqueue is not None:
            raise invalid(f"{what}: `{before.name}` is enqueued by you, and gives nothing on")
        given = examples if before is None else before.leaves()
        step.call = Call(what, module, given, named, place)
        # Of a graph before it, the very tensors that it writes.
        static = given if before is not None and before.kind == "gpu" else step.call.static
        piece = Piece(what, step.call, static, place, grad=grad, warm_up=warm_up)
        if before is None:
            if staged and static:
                piece.take_inputs(self._queue)
        elif before.kind == "cpu":
            piece.take_from_host()
        step.piece = piece
        self._steps.append(step)
        return self

    def _finish(self) -> None:
        """Nothing is added any more: the last node keeps its outputs, and all graphs are captured."""
        if not self._steps:
            raise invalid(f"task `{self.name}` has no work")
        first, last = self._steps[0], self._steps[-1]
        if last.piece is not None and last.piece.ring is None:
            last.piece.keep_outputs(self._taken_on_device(first), self._queue)
        elif last.outbox is not None and first.piece is not None and first.piece.slots is not None:
            self._taken_told = first.piece.slots.tell_host()
        if self._session.place.pinned:
            for step in self._steps:
                if step.piece is not None:
                    step.piece.capture()

    def _taken_on_device(self, first: Step) -> Any:
        """Where the number of the input stands that a job took; None: nobody knows."""
        if first.piece is not None:
            return None if first.piece.slots is None else first.piece.slots.taken
        if first.inbox is None:
            return None
        self._taken_told = Mapped(torch().zeros(1, dtype=torch().int64), self._session.place)
        self._taken_told.host.copy_(torch().zeros(1, dtype=torch().int64))
        return self._taken_told.device

    def _flow(self) -> Flow:
        """Of the run that begins."""
        first, last = self._steps[0], self._steps[-1]
        slots = None if first.piece is None else first.piece.slots
        source: Union[InputSlots, Inbox, None] = first.inbox if slots is None else slots
        put: Optional[Callable[[Sequence[Any], Mapping[str, Any]], int]] = None
        if source is not None:
            source.begin()
        if slots is not None:
            staged = slots
            call = first.call

            def put(values: Sequence[Any], named: Mapping[str, Any]) -> int:
                assert call is not None
                return staged.put(call.tensors_of(values, named))

        elif first.inbox is not None:
            inbox = first.inbox

            def put(values: Sequence[Any], named: Mapping[str, Any]) -> int:
                if named:
                    raise invalid(f"`{first.name}` of `{self.name}` takes no named inputs")
                return inbox.put(tuple(values))

        read: Optional[Read] = None
        count: Callable[[], int] = lambda: 0
        if last.piece is not None and last.piece.ring is not None:
            piece, ring = last.piece, last.piece.ring
            count = lambda: ring.count

            def read(wanted: Optional[int]) -> Any:
                found = ring.read(wanted)
                return None if found is None else (*found[:2], piece.rebuilt(found[2]))

        elif last.outbox is not None:
            box = last.outbox
            read, count = box.read, lambda: box.count
        return Flow(
            self.name,
            queue=self._queue,
            put=put,
            puts_before=0 if source is None else source.last,
            read=read,
            count=count,
            tensors_in=[] if first.piece is None else first.piece.inputs,
            tensors_out=[] if last.piece is None else last.piece.outputs,
        )


class Session:
    """Networks with deadlines on one GPU.

    `device` is a CUDA device of PyTorch (by default the current one). `realtime` asks for SCHED_FIFO
    for the threads that run a plan. `backend` is ``"driver"``. Two others need no GPU, and emulate one
    of `sms` SMs: ``"cpu"`` runs everything on this computer, in real time, to test a program (its times
    say nothing about a GPU, and `measure` shortens them until there is a plan); ``"emulator"`` runs plans in virtual time and calls nothing.
    """

    def __init__(
        self,
        device: Any = None,
        *,
        name: str = "torch",
        realtime: bool = False,
        backend: str = "driver",
        sms: int = 16,
    ) -> None:
        if backend not in ("driver", "cpu", "emulator"):
            raise invalid(f"there is no backend {backend!r}; there are driver, cpu and emulator")
        on_gpu = backend == "driver" or (backend == "emulator" and torch().cuda.is_available())
        self.place: Place = gpu(device) if on_gpu else Cpu(sms)
        self.device: Any = self.place.device
        self.name, self.realtime, self.backend = name, realtime, backend
        #: What `measure` found: all neighbours, widths and conditions.
        self.measurement: Optional[plain.Measurement] = None
        self._tasks: Dict[str, Task] = {}
        self._chains: List[Dict[str, Any]] = []
        self._reserved = 0
        self._finished = False
        self._running: Optional[Running] = None
        self._measuring = False

    def __repr__(self) -> str:
        state = "running" if self._runs() else "measured" if self.measurement else "not measured"
        return f"<session {self.name} on {self.device}: {', '.join(self._tasks) or 'no tasks'}; {state}>"

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Ends what runs, and lets go of all graphs and buffers."""
        if self._running is not None and not self._running.done:
            self._running.stop()
            self._running.wait(plain.PATIENCE_S)
        self._finished = True
        self._tasks.clear()

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
        release: str = "period",
        queue: int = 4,
    ) -> Task:
        """Work that comes every `period` (``"33 ms"``; numbers are ms), and must be done before its
        `deadline` (by default the next period). Larger priorities are more urgent. A job may be
        released up to `jitter` after it arrives; `after` names the task whose jobs start those of this
        one, instead of a period. ``release="arrival"``: a job starts when an input is put, at least
        `period` after the one before; inputs that come earlier wait, up to `queue` of them, and each has
        a job of its own. Without a `jitter`, `measure` measures how late Python wakes up."""
        if not isinstance(name, str) or not name:
            raise invalid(f"the name of a task is a text, not {name!r}")
        if (period is None) == (after is None):
            raise invalid(f"task `{name}` needs either a period or a task that it is after")
        if release not in ("period", "arrival"):
            raise invalid(f'task `{name}`: release is "period" or "arrival", not {release!r}')
        if release == "arrival" and (after is not None or offset is not None):
            raise invalid(f"task `{name}` is released on arrival: it has neither `after` nor `offset`")
        if release == "arrival" and (not isinstance(queue, int) or queue < 1):
            raise invalid(f"task `{name}`: its queue holds at least 1 input, not {queue!r}")
        given: Dict[str, Any] = dict(period=period, deadline=deadline, offset=offset, jitter=jitter)
        times: Dict[str, Any] = {
            key: _milliseconds(f"the {key} of task `{name}`", value, least=key in ("offset", "jitter"))
            for key, value in given.items() if value is not None
        }  # fmt: skip
        if priority is not None:
            times["priority"] = priority
        if after is not None:
            times["after"] = after
        return self._add(
            Task(self, name, times, best_effort=False, queue=queue if release == "arrival" else None)
        )

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
            task._add_piece("step", step, examples, {}, True, warm_up, grad=True)
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
            raise invalid(f"there is a task `{task.name}` already")
        self._tasks[task.name] = task
        return task

    def _changed(self) -> None:
        if self._finished:
            raise NotNow("this session was measured or run already; tasks are added before")

    def _finish(self) -> None:
        if not self._finished:
            if not self._tasks:
                raise invalid("the session has no tasks")
            for task in self._tasks.values():
                task._finish()
            self.place.synchronize()
            self._finished = True

    # -- the system

    def system(self) -> System:
        """Its tasks, without times."""
        sms = self.place.sms()
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
        cache: "Union[str, os.PathLike[str], None]" = None,
        progress: ShowProgress = None,
    ) -> System:
        """Measures all work on each width (`units`, in SMs), alone and beside what may disturb it,
        and returns the system with the longest times plus `margin` percent. Functions on CPU nodes
        are measured beside a thread that keeps Python busy. Everything that was found is in
        `measurement`. The GPU must have nothing else to do meanwhile. Ctrl-C ends it early, with the
        widths that are done.

        With `cache` (a folder) the result is kept there, and used again for the same work, measured in
        the same way on the same GPU with the same driver and PyTorch. Modules are called many thousand
        times: their parameters and buffers are put back afterwards; other state is not."""
        self._refuse_while_it_runs("measure")
        if self.backend == "cpu":  # no width differs from another
            units = [max(self.place.sms() // (len(self._nodes("gpu")) + 1), 1)] if units is None else units
            runs = 3 if runs is None else runs
        self._finish()
        asked = dict(units=units, runs=runs, enemies=enemies, pairs=pairs, margin=margin)
        kept = None if cache is None else Kept(cache, self, asked)
        if kept is not None:
            self.measurement = kept.read()
            if self.measurement is not None:
                return self.measurement.system
        self._measuring = True
        try:
            with states_kept(self._functions()):
                self.measurement = self._measure(units, enemies, pairs, runs, margin, noisy_ok, progress)
        finally:
            self._measuring = False
            self.place.synchronize()
        self.measurement.document["work"] = self.work()
        if kept is not None and not self.measurement.interrupted:
            kept.write(self.measurement)
        return self.measurement.system

    def _measure(
        self,
        units: Optional[Sequence[int]],
        enemies: Union[str, Sequence[str], None],
        pairs: Optional[bool],
        runs: Optional[int],
        margin: Optional[int],
        noisy_ok: Optional[bool],
        progress: ShowProgress,
    ) -> plain.Measurement:
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
        if self._nodes("cpu") and not (found is not None and found.interrupted):
            with self._opened(system, None) as opened, _quick_switches(), _busy_python():
                on_cpu = opened.measure(nodes=self._nodes("cpu"), enemies="none", **how)
            system = on_cpu.system
            if found is None:
                found = on_cpu
            else:
                found.document["nodes"] += on_cpu.document["nodes"]
                found.interrupted = found.interrupted or on_cpu.interrupted
        if found is None:
            raise invalid("the session has only best-effort work: there is nothing to measure")
        if self.backend == "cpu":
            self._pretend(system)
        else:
            self._measure_wake_ups(system, 20 if margin is None else margin)
        gpu = system.platform.element("gpu")
        gpu.units = int(found.document.get("divisible", gpu.units)) - self._reserved
        found.system = system
        return found

    def _pretend(self, system: System) -> None:
        """Without a GPU times mean nothing; so that there always is a plan to test with, they are short."""
        for task in system.tasks:
            limit = task.deadline or task.period
            for node in task.nodes:
                if limit is None:
                    continue
                short = float(in_unit(limit, "ms")) / (4 * len(task.nodes))
                node.times = [
                    {**entry, "wcet": min(float(entry["wcet"]), short)} for entry in node.times or ()
                ] or None
                if node.wcet is not None:
                    node.wcet = min(float(in_unit(node.wcet, "ms")), short)

    def _measure_wake_ups(self, system: System, margin: int) -> None:
        """How late Python wakes up, when an input comes, is jitter of the tasks that wait for one."""
        waiting = [task for task in self._tasks.values() if task._queue is not None]
        waiting = [task for task in waiting if "jitter" not in task._attributes]
        if not waiting:
            return
        with _quick_switches(), _busy_python():
            late = longest_wake_up()
        for task in waiting:
            system.task(task.name).jitter = round(late * 1000 * (100 + margin) / 100, 3)

    def _estimate_best_effort(self, system: System) -> None:
        """Nobody promises anything about it, but plans want to know about how long it takes."""
        sms = system.platform.element("gpu").units
        for task in self._tasks.values():
            if not task._best_effort:
                continue
            piece = task._steps[0].piece
            milliseconds = max(0.001 if piece is None else piece.milliseconds(), 0.001)
            node = system.task(task.name).nodes[0]
            width = max(self._reserved, 1)
            node.times = [{"units": width, "wcet": round(milliseconds * max(sms / width, 1), 3)}]

    def advise(
        self, system: Optional[System] = None, *, target: Optional[str] = None, **options: Any
    ) -> Advice:
        """Looks for the best way to run what was measured: among those that a session runs, SMs of its
        own for each task, or, where that proves nothing, a table for all of them. Options are those of
        `tactus.advise`. Plans know for which work they were made."""
        if system is None:
            if self.measurement is None:
                raise NotNow("this session was not measured yet: give `system`, or measure() first")
            system = self.measurement.system
        tables = not self._has("cpu") and all(task._queue is None for task in self._tasks.values())
        targets = [target] if target else ["partitions"] + (["tables"] if tables else [])
        found: Optional[Advice] = None
        for one in targets:
            advice = tactus_advise(system, target=one, **options)
            found = advice if found is None or advice.found else found
            if advice.found:
                break
        assert found is not None
        self._finish()
        for option in found.options:
            if option.plan is not None:
                option.plan.work = self.work()
        return found

    def work(self) -> Dict[str, str]:
        """A fingerprint of each node (its kernels, shapes and types), and of the GPU, its driver and
        PyTorch: what measured times hold for."""
        self._finish()
        return fingerprints(self)

    def _functions(self) -> List[Any]:
        return [step.call.function for task in self._tasks.values() for step in task._steps
                if step.call is not None]  # fmt: skip

    # -- running

    def _runs(self) -> bool:
        return self._running is not None and not self._running.done

    def _refuse_while_it_runs(self, what: str) -> None:
        if self._runs():
            raise NotNow(f"this session runs already: {what} before, or after its end")
        if self._measuring:
            raise NotNow(f"this session is being measured: {what} after that")

    def run(
        self,
        plan: Union[Plan, Advice, Option],
        *,
        system: Optional[System] = None,
        duration: Optional[Time] = None,
        jobs: Optional[int] = None,
        on_overrun: Union[str, Callable[[plain.Overrun], Optional[str]]] = "skip-next",
        on_job: Optional[Callable[[plain.Job], Any]] = None,
        end_within: Time = "10 s",
    ) -> Running:
        """Starts the plan (or that of an advice) on the session's work, until the end of the scope (or of
        `duration`, or until `jobs` of each task are done). `system` is by default the one that the plan
        was made for.

        `on_overrun` says what follows from a job that exceeds a bound or its deadline: ``"skip-next"``
        (the next job of its task is not released, nor are those that come while it is late, so that no
        backlog grows), ``"log"``, ``"stop"``, or a function that returns one of these; all are counted.
        `on_job` is called with each job that has ended, or was skipped, on a thread of its own. The end
        of the scope waits for jobs that run, for at most `end_within`."""
        plan = _plan_of(plan)
        about = system or plan.system
        if about is None:
            raise invalid("the plan does not know its system: give `system`")
        actions = ("log", "skip-next", "stop")
        if not callable(on_overrun) and on_overrun not in actions:
            raise invalid(f"on_overrun is one of {', '.join(actions)}, or a function, not {on_overrun!r}")
        self._refuse_while_it_runs("run it")
        if self._running is not None:
            self._running._close()  # it ended after its scope did not wait for it any more
        self._finish()
        if self.backend != "cpu":  # which tests plans of a GPU, too
            refuse_other_work(plan, self)
        for task in self._tasks.values():
            first = task._steps[0].piece
            if first is not None and first.slots is not None:
                limit = task._attributes.get("deadline", task._attributes.get("period", 50))
                first.slots.longest_job = float(limit) / 1000
        seconds = float(_milliseconds("end_within", end_within, least=True)) / 1000
        opened = self._opened(about, plan)
        if callable(on_overrun):
            opened.on_overrun(on_overrun)
        switches = contextlib.ExitStack()
        if self._has("cpu"):
            switches.enter_context(_quick_switches())

        def start() -> plain.Running:
            return opened.start(
                duration=duration, jobs=jobs, until_stopped=duration is None and jobs is None,
                on_overrun=None if callable(on_overrun) else on_overrun,
            )  # fmt: skip

        try:
            running = Running(opened, start, self._tasks, switches.close, on_job, seconds)
        except BaseException:
            opened.close()
            switches.close()
            raise
        self._running = running
        return running

    def _opened(self, system: System, plan: Optional[Plan]) -> plain.Session:
        """A session of the library with all the work bound."""
        device = None if isinstance(self.place, Cpu) else self.device.index
        opened = plain.Session(
            system, plan, backend=self.backend, device=device, realtime=self.realtime
        )
        try:
            for task in self._tasks.values():
                for step in task._steps:
                    if step.piece is not None:
                        if self.place.pinned:
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


def _plan_of(given: Union[Plan, Advice, Option]) -> Plan:
    plan = given.plan if isinstance(given, (Advice, Option)) else given
    if not isinstance(plan, Plan):
        raise invalid(f"a session runs a plan (of advise() or tactus.plan), not {type(given).__name__}")
    return plan


def _milliseconds(what: str, value: Any, least: bool = False) -> Any:
    """A time, exact. @param least: it may be 0."""
    try:
        if isinstance(value, bool) or not isinstance(value, (int, float, Decimal, str, timedelta)):
            raise ValueError(f"{value!r} is not a time such as '33.3 ms'")
        time = in_unit(value, "ms")
    except ValueError as error:
        raise invalid(f"{what}: {error}") from None
    if time < 0 or (time == 0 and not least):
        raise invalid(f"{what} must be > 0, not {value}" if not least else f"{what} must not be {value}")
    return time


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
