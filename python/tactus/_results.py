"""What the questions return: plain data, shown as tables in a notebook."""

from __future__ import annotations

import html
import importlib
import json
import os
import pathlib
from dataclasses import dataclass, field
from typing import Any, ClassVar, Dict, Generic, Iterator, List, Mapping, Optional, Sequence, TypeVar, Union

from . import _library, _plots
from ._model import System, write_whole
from ._names import named
from ._problems import InvalidInput, NoAnswer, Problem, problems_of


_Item = TypeVar("_Item")


def html_of(document: str, system: Optional[System] = None) -> str:
    """Any document as HTML: a part of a page, without scripts."""
    text = None if system is None else system.to_json()
    answer = _library.ask("tactus_html", document, text, None)
    if answer.document is None:
        raise InvalidInput(problems_of(answer.problems))
    return answer.document


def html_table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """Rows as a plain table, for what the library has no table of its own for."""

    def cell(tag: str, value: Any) -> str:
        text = "" if value is None else str(value)
        return f"<{tag}>{html.escape(text)}</{tag}>"

    head = "".join(cell("th", name) for name in columns)
    body = "".join(
        "<tr>" + "".join(cell("td", row.get(name)) for name in columns) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


@dataclass
class Result(Generic[_Item]):
    """What all results have in common: the document that ``tactus --json`` prints, its rows, and
    how it looks in a notebook. A loop over a result goes over its parts (verdicts, tasks, points)."""

    _parts: ClassVar[str]  #: the attribute or method that has its parts
    _truth: ClassVar[str] = ""  #: the attribute that says whether it is good

    document: Dict[str, Any] = field(repr=False)  #: everything, as plain data
    problems: List[Problem] = field(repr=False)  #: warnings
    interrupted: bool  #: Ctrl-C ended it early: this is what was found until then

    def _all_parts(self) -> List[_Item]:
        parts = getattr(self, self._parts)
        return list(parts() if callable(parts) else parts)

    def __iter__(self) -> Iterator[_Item]:
        return iter(self._all_parts())

    def __len__(self) -> int:
        return len(self._all_parts())

    def __bool__(self) -> bool:
        """Is it good? (Not: has it parts.)"""
        if not self._truth:
            raise TypeError(f"{type(self).__name__} is neither true nor false; ask for its attributes")
        return bool(getattr(self, self._truth))

    def rows(self) -> List[Dict[str, Any]]:
        """The main table, a dict per row."""
        return [dict(vars(part)) for part in self]

    def to_frame(self) -> Any:
        """The main table as a `pandas.DataFrame`."""
        try:
            pandas = importlib.import_module("pandas")
        except ImportError as missing:
            raise ImportError("to_frame() needs pandas; rows() gives the same as dicts") from missing
        return pandas.DataFrame(self.rows())

    def to_html(self) -> str:
        """As a part of a page, without scripts."""
        return html_of(json.dumps(self.document))

    def _repr_html_(self) -> str:
        return self.to_html()


@dataclass
class Import(Result[str]):
    """A system that was imported, and what was assumed and left out."""

    _parts = "notes"

    system: System
    notes: List[str]

    def rows(self) -> List[Dict[str, Any]]:
        """What was found of each task."""
        return list(self.document["tasks"])

    def to_html(self) -> str:
        return html_of(self.system.to_json())


@dataclass
class TaskVerdict:
    """What a method says about one task."""

    task: str
    bound: Optional[float]  #: of its response time; none where it cannot be proved
    deadline: Optional[float]
    schedulable: bool
    terms: Dict[str, float] = field(default_factory=dict)  #: they add up to the bound
    demand: Optional[float] = None  #: without a bound: what exceeded the deadline
    latency: Optional[float] = None  #: at the end of a path of `after`: from its first arrival
    conditional_bound: Optional[float] = None  #: if every more urgent task met its deadline
    note: str = ""  #: why there is neither bound nor terms

    @property
    def slack(self) -> Optional[float]:
        """What is left until the deadline."""
        if self.bound is None or self.deadline is None:
            return None
        return self.deadline - self.bound


@dataclass
class ChainPart:
    """What a task of a chain adds to its bound, or several of which each starts the next."""

    tasks: List[str]
    waits: float  #: until the job arrives that reads; of the first, a period
    takes: float  #: from that arrival to the end


@dataclass
class ChainVerdict:
    """What a method says about one chain."""

    name: str
    bound: Optional[float]  #: of reaction and of age; none where it cannot be proved
    holds: bool
    parts: List[ChainPart]  #: they add up to the bound

    @classmethod
    def _from(cls, document: Mapping[str, Any]) -> "ChainVerdict":
        parts = [ChainPart(**part) for part in document["parts"]]
        return cls(document["name"], document["bound"], document["holds"], parts)


@dataclass(repr=False)
class Plan:
    """What must be done at run time so that the bounds hold.

    >>> import tactus
    >>> system = tactus.examples.robot()
    >>> plan = tactus.plan(system, "gcaps.suspend.prio")
    >>> plan.method, plan.bounds["motor"]
    ('gcaps.suspend.prio', 1.15)
    >>> plan.check(system)
    []
    """

    document: Dict[str, Any] = field(repr=False)
    system: Optional[System] = field(default=None, repr=False)  #: it was made for

    @property
    def method(self) -> str:
        return str(self.document.get("method", ""))

    @property
    def variant(self) -> str:
        return str(self.document.get("variant", ""))

    @property
    def bounds(self) -> Dict[str, float]:
        """Of every task, where the plan states them."""
        stated = self.document.get("bounds", {})
        if isinstance(stated, list):  # rtgpu says more of each
            return {bound["task"]: bound["bound"] for bound in stated}
        return dict(stated)

    @property
    def work(self) -> Optional[Dict[str, str]]:
        """Of a session: fingerprints of the networks, the GPU, its driver and PyTorch for which it was
        made. A session refuses it for others."""
        return self.document.get("work")

    @work.setter
    def work(self, made_for: Dict[str, str]) -> None:
        self.document["work"] = made_for

    def __repr__(self) -> str:
        about = "" if self.system is None else f" of {self.system.name}"
        return f"<plan{about}: {self.method} ({self.variant}), bounds {self.bounds}>"

    def check(self, system: Optional[System] = None) -> List[str]:
        """Every condition that does not hold, found by code independent of the planner."""
        about = system or self.system
        if about is None:
            raise ValueError("a plan is checked against its system, and this one has none")
        answer = _library.ask("tactus_check_plan", about.to_json(), self.to_json(), None)
        if answer.document is None:
            raise InvalidInput(problems_of(answer.problems))
        return [str(failure) for failure in json.loads(answer.document)["failures"]]

    def to_json(self) -> str:
        return json.dumps(self.document, indent=2, ensure_ascii=False) + "\n"

    def save(self, path: "Union[str, os.PathLike[str]]") -> None:
        """Writes the plan file, as a whole or not at all."""
        write_whole(path, self.to_json())

    @classmethod
    def load(
        cls, path: "Union[str, os.PathLike[str]]", system: Optional[System] = None
    ) -> "Plan":
        """Reads a plan file; `check` says whether it holds."""
        text = pathlib.Path(path).read_text(encoding="utf-8")
        return cls(dict(json.loads(text)), system)

    def _repr_html_(self) -> str:
        return html_of(self.to_json(), self.system)


@dataclass
class Verdict:
    """What one method says about a system."""

    method: str
    variant: str
    status: str  #: ``schedulable``, ``unschedulable``, ``undecided`` or ``not-applicable``
    reason: str
    tasks: List[TaskVerdict]
    warnings: List[str]
    notes: List[str]
    obstacles: List[str]  #: everything that keeps the method from applying
    chains: List[ChainVerdict] = field(default_factory=list)
    plan: Optional[Plan] = field(default=None, repr=False)

    @property
    def schedulable(self) -> bool:
        return self.status == "schedulable"

    def task(self, name: str) -> TaskVerdict:
        """What is said about one task; KeyError where there is none."""
        return named(self.tasks, name, "task", "task")

    @classmethod
    def _from(cls, document: Mapping[str, Any], system: System) -> "Verdict":
        known = TaskVerdict.__dataclass_fields__
        tasks = [{k: v for k, v in t.items() if k in known} for t in document["tasks"]]
        plan = document.get("plan")
        return cls(
            method=document["method"],
            variant=document["variant"],
            status=document["status"],
            reason=document.get("reason", ""),
            tasks=[TaskVerdict(**task) for task in tasks],
            warnings=list(document["warnings"]),
            notes=list(document["notes"]),
            obstacles=[str(o["reason"]) for o in document.get("obstacles", [])],
            chains=[ChainVerdict._from(chain) for chain in document.get("chains", [])],
            plan=None if plan is None else Plan(dict(plan), system),
        )


@dataclass
class Analysis(Result[Verdict]):
    """What the methods say about a system. It is true where every deadline is proved.

    >>> import tactus
    >>> analysis = tactus.analyze(tactus.examples.robot(), ["gang.wc", "gang.swc"])
    >>> [verdict.method for verdict in analysis if verdict.schedulable]
    ['gang.wc', 'gang.swc']
    >>> print(analysis)  # doctest: +ELLIPSIS
    robot: Every deadline is proved, and it runs here
    by gang.wc (safe), run by partitions
      task         bound   deadline  slack
      camera        25.9         30   13 %
      lidar         56.3         90   37 %
      motor          0.9          5   82 %
      planner       97.9        180   45 %
    not covered: memory contention ...
    """

    _parts = "verdicts"
    _truth = "schedulable"

    system: System = field(repr=False)
    status: str  #: the answer that counts
    judged_by: str  #: ``named``, ``any`` or ``deployed``
    verdicts: List[Verdict]

    @property
    def schedulable(self) -> bool:
        """Does the answer that counts prove every deadline?"""
        return self.status == "schedulable"

    @property
    def headline(self) -> str:
        """What to say first: proved and runs here, proved but needs something, or not proved."""
        return str(self.document["headline"]["text"])

    @property
    def runs_here(self) -> bool:
        """Is it proved, and does what tactus starts here cover the proof?"""
        return bool(self.document["headline"]["state"] == "runs here")

    @property
    def not_covered(self) -> List[str]:
        """What no proof of this system covers."""
        return list(self.document["headline"]["not_covered"])

    @property
    def conditions(self) -> List[Dict[str, Any]]:
        """What the proof of the best method assumes of its start, each with ``holds`` (``yes``,
        ``no``, ``not known``), ``from`` and ``help``; empty where nothing is proved or started."""
        best = self.document.get("best") or {}
        return list(best.get("cover", {}).get("conditions", []))

    @property
    def best(self) -> Verdict:
        """Of the method to deploy: the one with most room, of those that run here if there are some.
        `NoAnswer`, with what stands in the way, where no method proves every deadline."""
        best = self.document.get("best")
        if best is None:
            raise NoAnswer([Problem(line) for line in [self.headline, *self._obstacles()]])
        documents = [*self.document["methods"], *self.document.get("deployable", [])]
        found = next(d for d in documents if (d["method"], d["variant"]) == (best["method"], best["variant"]))
        return Verdict._from(found, self.system)

    @property
    def run_by(self) -> Optional[str]:
        """What runs the plan of the best method: ``tactusd``, ``partitions``, ...; none where nothing here does."""
        run_by = (self.document.get("best") or {}).get("run_by")
        return None if run_by is None else str(run_by)

    def _obstacles(self) -> List[str]:
        """What keeps methods from a proof, with the methods that say it."""
        said: Dict[str, List[str]] = {}
        for verdict in self.verdicts:
            if not verdict.schedulable:
                for reason in (verdict.obstacles or [verdict.reason])[:1]:
                    said.setdefault(reason or verdict.status, []).append(verdict.method)
        out = []
        for reason, methods in said.items():
            more = f" and {len(methods) - 3} more" if len(methods) > 3 else ""
            out.append(f"{', '.join(methods[:3])}{more}: {reason}")
        return out

    def plot(self, ax: Any = None) -> Any:
        """Bounds of the best method beside the deadlines, by matplotlib; returns the axes."""
        best = self.best
        names = [task.task for task in best.tasks]
        bounds, deadlines = [task.bound for task in best.tasks], [task.deadline for task in best.tasks]
        return _plots.bars(ax, names, bounds, deadlines, self.system.time_unit, f"bound by {best.method}")

    def verdict(self, method: str) -> Verdict:
        """Of one method; KeyError where it was not asked."""
        return named(self.verdicts, method, "method", "method")

    def __getitem__(self, method: str) -> Verdict:
        return self.verdict(method)

    def rows(self) -> List[Dict[str, Any]]:
        """A row per method and task."""
        return [
            {
                "method": verdict.method,
                "variant": verdict.variant,
                "status": verdict.status,
                "task": task.task,
                "bound": task.bound,
                "deadline": task.deadline,
                "slack": task.slack,
                "schedulable": task.schedulable,
            }
            for verdict in self.verdicts
            for task in verdict.tasks
        ]

    def __str__(self) -> str:
        lines = [f"{self.system.name}: {self.headline}"]
        deployed = self.document.get("deployed")
        if deployed is not None:
            lines.append(f"the file deploys {deployed['method']}: {self.status}")
        if self.document.get("best") is None:
            return "\n".join(lines + [f"  {line}" for line in self._obstacles()])
        best = self.best
        lines.append(f"by {best.method} ({best.variant})" + (f", run by {self.run_by}" if self.run_by else ""))
        width = max([4, *(len(task.task) for task in best.tasks)])
        lines.append(f"  {'task':<{width}} {'bound':>10} {'deadline':>10} {'slack':>6}")
        for task in best.tasks:
            bound, deadline = ("-" if time is None else f"{time:g}" for time in (task.bound, task.deadline))
            room = "-" if task.slack is None or not task.deadline else f"{int(round(100 * task.slack / task.deadline, 6))} %"
            lines.append(f"  {task.task:<{width}} {bound:>10} {deadline:>10} {room:>6}")
        lines += [f"  {line}" for line in ([] if self.schedulable else self._obstacles())]
        return "\n".join(lines + [f"not covered: {what}" for what in self.not_covered])


@dataclass
class Reach:
    """How far one value may go."""

    of: str  #: ``camera.detect.wcet``, ``all times``, ...
    kind: str
    now: float
    holds: Optional[float]  #: every deadline is proved there
    fails: Optional[float]  #: not any more there; none: as far as was tried
    exact: bool  #: nothing between the two was left untried
    breaks: Optional[str]  #: the task that is late first, or the chain that is too long


@dataclass
class Slack(Result[Reach]):
    """How much room a system has."""

    _parts = "reaches"

    method: str
    variant: str
    status: str
    reaches: List[Reach]
    notes: List[str]  #: what goes with a value here, and not with `changed`

    @property
    def factor(self) -> Optional[float]:
        """All times together may grow to this factor."""
        return self.reaches[0].holds if self.reaches else None

    def __getitem__(self, of: str) -> Reach:
        return named(self.reaches, of, "value", "of")

    def __str__(self) -> str:
        return f"{self.method} ({self.variant}): {self.status}, all times may go to {self.factor}"


@dataclass
class Requested:
    """What a task would be told that asks for a reservation."""

    task: str
    answer: str  #: admitted, refused or not-covered
    bound: Optional[float]  #: its response is at most this, if it is admitted
    late: Optional[str]  #: refused: the task that is late first
    instead: Dict[str, Any]  #: refused: ``period``, ``gpu_share`` or ``core`` that would do, each alone


@dataclass
class Requests(Result[Requested]):
    """Answers to requests for reservations, one after the other. Nothing was reserved."""

    _parts = "requests"

    requests: List[Requested]

    @property
    def admitted(self) -> List[str]:
        """The tasks that would have a reservation."""
        return [each.task for each in self.requests if each.answer == "admitted"]

    def __getitem__(self, task: str) -> Requested:
        return named(self.requests, task, "request", "task")

    def __str__(self) -> str:
        return f"{len(self.admitted)} of {len(self.requests)} would be admitted"


@dataclass
class SweepPoint:
    """What a method says at one value."""

    value: float
    status: str
    bounds: Dict[str, float]  #: of the tasks that have one there


@dataclass
class Sweep(Result[SweepPoint]):
    """How bounds follow one value."""

    _parts = "points"

    method: str
    variant: str
    of: str  #: ``camera.detect.wcet``, ``all``, ...
    points: List[SweepPoint]

    def rows(self) -> List[Dict[str, Any]]:
        """A row per point, with a column per task."""
        return [{self.of: p.value, "status": p.status, **p.bounds} for p in self.points]

    def plot(self, ax: Any = None) -> Any:
        """The bound of each task against the value, by matplotlib; returns the axes."""
        ax = _plots.axes(ax)
        for task in sorted({task for point in self for task in point.bounds}):
            known = [point for point in self if task in point.bounds]
            ax.plot([point.value for point in known], [point.bounds[task] for point in known], label=task)
        ax.set(xlabel=self.of, ylabel="bound")
        ax.legend()
        return ax

    def to_html(self) -> str:
        """As a part of a page, without scripts."""
        tasks = sorted({task for point in self.points for task in point.bounds})
        return html_table(self.rows(), [self.of, "status", *tasks])


@dataclass
class Option:
    """One way to run a system."""

    method: str
    variant: str
    proved: bool
    factor: float  #: all times may grow to this factor
    limited_by: Optional[str]
    run_by: str  #: ``tactusd``, ``partitions``, ...
    needs: str
    cores: int
    sms: int
    changes: Dict[str, Any]  #: path: new value
    system: Optional[System] = field(default=None, repr=False)  #: with everything chosen
    plan: Optional[Plan] = field(default=None, repr=False)
    #: what its proof assumes of the start; see `Analysis.conditions`
    conditions: List[Dict[str, Any]] = field(default_factory=list, repr=False)


@dataclass(repr=False)
class Advice(Result[Option]):
    """Which ways to run a system there are, best first. It is true where one of them is proved."""

    _parts = "options"
    _truth = "found"

    found: bool  #: is one of them proved?
    options: List[Option]
    would_do: List[Dict[str, Any]]  #: where none is: the smallest changes that would do
    left_out: Dict[str, str]  #: methods that were not searched, and why

    def __repr__(self) -> str:
        return f"<advice: {len(self.options)} ways, {'proved' if self.found else 'none proved'}>"

    @property
    def best(self) -> Option:
        """The best option; `NoAnswer` where none is proved."""
        if not self.found:
            would = [f"{c['change']}: {c['from']} -> {c['to']} would do" for c in self.would_do]
            left = [f"{method} was left out: {why}" for method, why in self.left_out.items()
                    if why != "not what --target asks for"]  # fmt: skip
            told = [str(self.document["conclusion"])] + would + left
            raise NoAnswer([Problem(message) for message in told])
        return self.options[0]

    def __str__(self) -> str:
        """The table of the command line: ways to run it, best first."""
        lines = [f"{self.document['conclusion']}" + (" (interrupted)" if self.interrupted else "")]
        rows = [("method", "variant", "factor", "limited by", "run by", "cores", "SMs", "changes")]
        for option in self.options:
            changes = ", ".join(f"{path}={value}" for path, value in option.changes.items()) or "-"
            rows.append((
                option.method, option.variant, f"{option.factor:g}", option.limited_by or "-",
                option.run_by, str(option.cores), str(option.sms), changes,
            ))  # fmt: skip
        if self.options:
            widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
            for row in rows:
                cells = (f"{cell:<{width}}" for cell, width in zip(row, widths))
                lines.append("  " + "  ".join(cells).rstrip())
        lines += [f"  {c['change']}: {c['from']} -> {c['to']} would do" for c in self.would_do]
        return "\n".join(lines)

    @property
    def plan(self) -> Plan:
        """Of the best option."""
        plan = self.best.plan
        if plan is None:
            raise NoAnswer([Problem(f"{self.best.method} makes no plan")])
        return plan

    @property
    def system(self) -> System:
        """With everything that the best option chooses."""
        system = self.best.system
        assert system is not None
        return system

    def rows(self) -> List[Dict[str, Any]]:
        """A row per option."""
        left_out = ("system", "plan", "conditions")
        return [{k: v for k, v in vars(o).items() if k not in left_out} for o in self.options]


@dataclass
class Deployment(Result[str]):
    """The files that start a plan. It is true where they were written."""

    _parts = "files"
    _truth = "written"

    folder: Optional[str]  #: none: what would be started does not cover the proof
    files: List[str]
    conditions: List[Dict[str, Any]]  #: what the proof assumes of its start

    @property
    def written(self) -> bool:
        return self.folder is not None

    def rows(self) -> List[Dict[str, Any]]:
        """A row per program, in the order of their start."""
        return list(self.document["programs"])


@dataclass
class Check:
    """One thing that was looked at."""

    check: str
    state: str  #: ``fine``, ``not fine`` or ``unknown``
    assumed: bool  #: the plan counts on it
    found: str
    why: str
    mend: str


@dataclass
class Checkup(Result[Check]):
    """Is a machine fit to keep what a plan promises? It is true where it is known to be."""

    _parts = "checks"
    _truth = "fit"

    fit: Optional[bool]  #: none: not known, or without a plan
    checks: List[Check]
    conditions: List[Dict[str, Any]]  #: what the proof assumes of its start

    def __getitem__(self, check: str) -> Check:
        return named(self.checks, check, "check", "check")


@dataclass
class TaskRun:
    """What was seen of one task."""

    task: str
    jobs: int
    longest: float
    mean: Optional[float]
    p99: Optional[float]
    bound: Optional[float]
    deadline: Optional[float]
    misses: int

    @property
    def within_bound(self) -> bool:
        return self.bound is None or self.longest <= self.bound


@dataclass
class Run(Result[TaskRun]):
    """What was observed in a run, beside what was proved. It is true where it was as proved."""

    _parts = "tasks"
    _truth = "good"

    method: str
    variant: str
    good: bool  #: no deadline missed, no bound exceeded
    end: float  #: how long it was
    tasks: List[TaskRun]

    def task(self, name: str) -> TaskRun:
        """Of one task; KeyError where there is none."""
        return named(self.tasks, name, "task", "task")

    @property
    def chains(self) -> List[Dict[str, Any]]:
        """What chains were seen to take: ``chain``, ``reaction``, ``age``, ``bound`` of both, ..."""
        return list(self.document.get("chains", []))

    @property
    def outside_model(self) -> bool:
        """Were jobs released as the file does not say? Then no bound covers the run."""
        return bool(self.document.get("outside_model", False))

    def plot(self, ax: Any = None) -> Any:
        """The longest response of each task beside its deadline, by matplotlib; returns the axes."""
        names, longest = [task.task for task in self], [task.longest for task in self]
        unit = str(self.document.get("time_unit", ""))
        return _plots.bars(ax, names, longest, [task.deadline for task in self], unit, "longest response")

    def __str__(self) -> str:
        """A line per task and chain: what was seen beside what was proved."""
        lines = [f"{self.method} ({self.variant}): " + ("as proved" if self.good else "NOT as proved")]
        lines.append(f"{'task':<16} {'jobs':>8} {'p99':>10} {'longest':>10} {'bound':>10} "
                     f"{'deadline':>10} {'misses':>7}")  # fmt: skip
        for task in self.tasks:
            seen = [task.p99, task.longest, task.bound, task.deadline]
            times = " ".join(f"{'-' if time is None else f'{time:.3f}':>10}" for time in seen)
            over = "" if task.within_bound else "  EXCEEDS ITS BOUND"
            lines.append(f"{task.task:<16} {task.jobs:>8} {times} {task.misses:>7}{over}")
        for chain in self.chains:
            bound = "none" if chain["bound"] is None else f"{chain['bound']:.3f}"
            lines.append(f"{chain['chain']}: reaction {chain['reaction']:.3f}, "
                         f"age {chain['age']:.3f}, bound {bound}")  # fmt: skip
        if self.outside_model:
            lines.append("outside of the model, which no bound covers: releases")
        return "\n".join(lines)


@dataclass
class Hunt:
    """What a search for violations found for one method."""

    method: str
    systems: int
    with_bounds: int
    runs: int
    violations: int
    caught: List[Dict[str, Any]] = field(repr=False)
    undecided: int = 0  #: systems about which the method said nothing
    not_applicable: int = 0
    why_undecided: Optional[str] = None  #: of the first of them
    why_not_applicable: Optional[str] = None


@dataclass
class Validation(Result[Hunt]):
    """Runs that exceed a bound, if there are any."""

    _parts = "hunts"

    hunts: List[Hunt]

    @property
    def violations(self) -> int:
        return sum(hunt.violations for hunt in self.hunts)

    def rows(self) -> List[Dict[str, Any]]:
        """A row per method."""
        return [{k: v for k, v in vars(hunt).items() if k != "caught"} for hunt in self.hunts]


@dataclass(frozen=True)
class Method:
    """A method: what it proves, assumes and needs."""

    id: str
    title: str
    paper: str
    assumes: str
    needs: str
    variants: List[str]
    makes_plan: bool
    options: Dict[str, str]  #: name: what it does


@dataclass(frozen=True)
class Recipe:
    """Random systems of one kind, with its parameters and their defaults."""

    name: str
    doc: str
    parameters: Dict[str, str]
