"""Systems, built in code or read from files (docs/use/format.md)."""

from __future__ import annotations

import os
import pathlib
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Type, TypeVar, Union

from . import _library
from ._names import _Checked, named
from ._numbers import Time, dumps, in_unit, loads
from ._problems import InvalidInput, Problem, problems_of

_Part = TypeVar("_Part", "Node", "Element")

#: The attributes that are times, in elements, tasks, nodes and what is inside them.
_TIMES = frozenset(
    "wcet bcet load load_min overhead launch overlap period deadline offset t_min time_slice "
    "context_switch runlist_update preemption_delay preempt_cost resume_cost start_cost alone worst completion".split()
)


def _written(value: Any, unit: str, key: str = "") -> Any:
    """What stands in the file: times in the unit of the system."""
    if isinstance(value, Mapping):
        return {k: _written(v, unit, k) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_written(v, unit, key) for v in value]
    of_a_time = isinstance(value, timedelta) or (key in _TIMES and isinstance(value, str))
    return in_unit(value, unit) if of_a_time else value


def _attributes(part: Any, unit: str) -> Dict[str, Any]:
    """The attributes of a dataclass that are given, and those of `more`."""
    out: Dict[str, Any] = {}
    for name in part.__dataclass_fields__:
        value = getattr(part, name)
        if name == "more":
            out.update({k: _written(v, unit, k) for k, v in value.items()})
        elif value is not None and value is not False:
            out[name] = _written(value, unit, name)
    return out


def _read(kind: Type[_Part], document: Mapping[str, Any]) -> _Part:
    known = {k: v for k, v in document.items() if k in kind.__dataclass_fields__ and k != "more"}
    more = {k: v for k, v in document.items() if k not in known}
    return kind(**known, more=more)


@dataclass
class Node(_Checked):
    """A piece of work of a task, on one element.

    >>> Node("detect", "gpu", wcet="9 ms").wcet
    '9 ms'
    """

    name: str
    on: str  #: the name of an element
    wcet: Optional[Time] = None  #: longest time on the whole element, or on `parallelism` units
    bcet: Optional[Time] = None
    parallelism: Optional[int] = None
    times: Optional[Sequence[Mapping[str, Any]]] = None  #: measured: time per number of units
    load: Optional[Time] = None  #: of a malleable kernel: its time on ONE unit
    load_min: Optional[Time] = None
    overhead: Optional[Time] = None
    interleave: Optional[float] = None
    slowdown: Optional[float] = None
    launch: Optional[Time] = None  #: the CPU's part of GPU work
    overlap: Optional[Time] = None  #: by which both together are shorter, at least
    blocks: Optional[int] = None
    threads: Optional[int] = None
    registers: Optional[int] = None
    shared_memory: Optional[int] = None
    gpu_threshold: Optional[int] = None
    measured: Optional[Mapping[str, Any]] = None  #: where its times come from
    more: Dict[str, Any] = field(default_factory=dict)  #: further attributes of the file


@dataclass
class Element(_Checked):
    """A part of the platform: cores, a copy engine, a GPU."""

    name: str
    kind: str  #: ``"cpu"``, ``"copy"`` or ``"gpu"``
    units: int = 1  #: cores or SMs
    lanes: Optional[int] = None
    sm: Optional[Mapping[str, int]] = None
    t_min: Optional[Time] = None
    time_slice: Optional[Time] = None
    context_switch: Optional[Time] = None
    runlist_update: Optional[Time] = None
    preemption_delay: Optional[Time] = None
    preempt_cost: Optional[Time] = None
    resume_cost: Optional[Time] = None
    start_cost: Optional[Time] = None
    arbiter_core: Optional[int] = None
    sharing: Optional[str] = None  #: of a copy engine: ``"exclusive"`` or ``"shared"``
    more: Dict[str, Any] = field(default_factory=dict)


@dataclass
class Platform(_Checked):
    """The machine.

    >>> platform = Platform.of(cpu=4, copy=1, gpu=16)
    >>> platform.element("gpu").time_slice = "1.024 ms"
    >>> [element.name for element in platform.elements]
    ['cpu', 'copy', 'gpu']
    """

    elements: List[Element] = field(default_factory=list)

    @classmethod
    def of(cls, cpu: int = 0, copy: int = 0, gpu: int = 0) -> "Platform":
        """One element of each kind, named after its kind; none where there are no units."""
        counts = (("cpu", cpu), ("copy", copy), ("gpu", gpu))
        return cls([Element(kind, kind, units) for kind, units in counts if units])

    def element(self, name: str) -> Element:
        """The element with that name; KeyError where there is none."""
        return named(self.elements, name, "element")


@dataclass
class Task(_Checked):
    """Work that comes again and again, as a chain (or a graph) of nodes.

    >>> camera = Task("camera", period="33.3 ms", priority=40, core=1)
    >>> _ = camera.add("pre", "cpu", 2).add("detect", "gpu", 9)
    >>> camera.node("detect").wcet
    9
    """

    name: str
    period: Optional[Time] = None  #: none: released once
    deadline: Optional[Time] = None  #: none: the period
    offset: Optional[Time] = None
    jitter: Optional[Time] = None  #: longest time from arrival to release
    after: Optional[str] = None  #: the task whose jobs start those of this one
    priority: Optional[int] = None  #: larger is more urgent
    gpu_priority: Optional[int] = None
    core: Optional[int] = None  #: from 1
    wait: Optional[str] = None  #: ``"suspend"`` or ``"busy"``
    best_effort: bool = False
    nodes: List[Node] = field(default_factory=list)
    edges: Optional[List[Tuple[str, str]]] = None  #: none: a chain in this order
    more: Dict[str, Any] = field(default_factory=dict)

    def add(self, name: str, on: str, wcet: Optional[Time] = None, **attributes: Any) -> "Task":
        """Adds a node at the end, and returns the task, so that calls can follow each other."""
        self.nodes.append(Node(name, on, wcet, **attributes))
        return self

    def node(self, name: str) -> Node:
        """The node with that name; KeyError where there is none."""
        return named(self.nodes, name, "node")

    @classmethod
    def _from(cls, document: Mapping[str, Any]) -> "Task":
        known = {k: v for k, v in document.items() if k in cls.__dataclass_fields__ and k != "more"}
        more = {k: v for k, v in document.items() if k not in known}
        known["nodes"] = [_read(Node, node) for node in document.get("nodes", [])]
        if "edges" in known:
            known["edges"] = [(edge[0], edge[1]) for edge in document["edges"]]
        return cls(**known, more=more)

    def _document(self, unit: str) -> Dict[str, Any]:
        out = _attributes(self, unit)
        out["nodes"] = [_attributes(node, unit) for node in self.nodes]
        return out


@dataclass
class System(_Checked):
    """A platform and its tasks: what every question is about.

    Built in code:

    >>> system = System("arm", Platform.of(cpu=2, gpu=8))
    >>> system.platform.element("gpu").runlist_update = "0.25 ms"
    >>> vision = system.add_task("vision", period="40 ms", priority=2, core=1)
    >>> _ = vision.add("grab", "cpu", 2).add("net", "gpu", 9)
    >>> grip = system.add_task("grip", period=10, priority=3, core=2)
    >>> _ = grip.add("control", "cpu", 1)
    >>> system.check()
    []

    Read from a file, changed, and written again: ``System.load("a.system.json")``, attributes of
    its parts, ``system.save("b.system.json")``.
    """

    name: str = ""
    platform: Platform = field(default_factory=Platform)
    tasks: List[Task] = field(default_factory=list)
    time_unit: str = "ms"  #: of numbers that have no unit: ns, us, ms, s or unit
    note: Optional[str] = None
    interference: Optional[Mapping[str, Any]] = None
    batches: Optional[Sequence[Mapping[str, Any]]] = None
    chains: Optional[Sequence[Mapping[str, Any]]] = None  #: requirements from end to end
    deploy: Optional[Mapping[str, str]] = None  #: the method that is meant to run
    more: Dict[str, Any] = field(default_factory=dict)
    path: Optional[str] = field(default=None, compare=False)  #: of the file it was read from
    #: The text it was read from, and what that text says: as long as nothing is changed, problems
    #: are at their places in the file.
    _source: Optional[Tuple[str, Dict[str, Any]]] = field(default=None, repr=False, compare=False)

    # -- parts

    def add_task(self, name: str, **attributes: Any) -> Task:
        """Adds a task and returns it; the attributes are those of `Task`."""
        task = Task(name, **attributes)
        self.tasks.append(task)
        return task

    def task(self, name: str) -> Task:
        """The task with that name; KeyError where there is none."""
        return named(self.tasks, name, "task")

    # -- files

    @classmethod
    def load(cls, path: "Union[str, os.PathLike[str]]") -> "System":
        """Reads and checks a system file; `InvalidInput` tells everything that is wrong with it."""
        return cls.loads(pathlib.Path(path).read_text(encoding="utf-8"), os.fspath(path))

    @classmethod
    def loads(cls, text: str, path: Optional[str] = None) -> "System":
        """The same for the text of a system file, in JSON or YAML.

        >>> System.loads('{"tactus": 1, "platform": {"elements": []}, "tasks": []}').tasks
        []
        """
        _ask_about(text, path)
        if not text.lstrip().startswith(("{", "/")):  # YAML, which only the library reads
            text = _library.ask("tactus_canonical", text, None).document or text
        document: Dict[str, Any] = loads(text)
        system = cls.from_dict(document)
        system.path = path
        system._source = (text, system.to_dict())
        return system

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "System":
        """A system from what `json.load` makes of its file; nothing is checked."""
        plain = ("name", "time_unit", "note", "interference", "batches", "chains", "deploy")
        known = {key: document[key] for key in plain if key in document}
        taken = plain + ("tactus", "platform", "tasks")
        elements = document.get("platform", {}).get("elements", [])
        return cls(
            platform=Platform([_read(Element, element) for element in elements]),
            tasks=[Task._from(task) for task in document.get("tasks", [])],
            more={key: value for key, value in document.items() if key not in taken},
            **known,
        )

    def to_dict(self) -> Dict[str, Any]:
        """What stands in the file."""
        unit = self.time_unit
        out: Dict[str, Any] = {"tactus": 1}
        out.update({key: self.more[key] for key in ("$schema",) if key in self.more})
        out.update(name=self.name, time_unit=unit)
        if self.note is not None:
            out["note"] = self.note
        elements = [_attributes(element, unit) for element in self.platform.elements]
        out["platform"] = {"elements": elements}
        out["tasks"] = [task._document(unit) for task in self.tasks]
        for key in ("interference", "batches", "chains", "deploy"):
            if getattr(self, key) is not None:
                out[key] = _written(getattr(self, key), unit)
        out.update({key: _written(v, unit, key) for key, v in self.more.items() if key != "$schema"})
        return out

    def to_json(self) -> str:
        """The text of the file; the one it was read from, as long as nothing was changed."""
        document = self.to_dict()
        if self._source is not None and self._source[1] == document:
            return self._source[0]
        return dumps(document) + "\n"

    def save(self, path: "Union[str, os.PathLike[str]]") -> None:
        """Checks the system and writes its file, as a whole or not at all."""
        self.check()
        write_whole(path, self.to_json())

    # -- questions

    def check(self) -> List[Problem]:
        """`InvalidInput` with everything that is wrong; else what to know all the same.

        >>> system = System("x", Platform.of(cpu=1))
        >>> _ = system.add_task("t", period=-5).add("n", "gpu", 1)
        >>> try:
        ...     system.check()
        ... except InvalidInput as error:
        ...     for problem in error.problems:
        ...         print(problem.path)
        tasks[0].period
        tasks[0].nodes[0].on
        """
        return _ask_about(self.to_json(), self.path)

    def changed(self, *assignments: str, add: "Iterable[System]" = ()) -> "System":
        """A copy with other values, as with ``--set`` and ``--add`` on the command line.

        >>> import tactus
        >>> system = tactus.examples.forklift()
        >>> system.changed("camera.detect.wcet=11").task("camera").node("detect").wcet
        11
        """
        request: Dict[str, Any] = {"set": list(assignments), "add": [other.to_dict() for other in add]}
        if self.path is not None:
            request["file"] = self.path
        answer = _library.ask("tactus_canonical", self.to_json(), dumps(request))
        if answer.document is None:
            raise InvalidInput(problems_of(answer.problems))
        return System.loads(answer.document)

    def __str__(self) -> str:
        parts = ", ".join(f"{element.name} ({element.units})" for element in self.platform.elements)
        return f"{self.name}: {len(self.tasks)} tasks on {parts}"

    def _repr_html_(self) -> str:
        from ._results import html_of

        return html_of(self.to_json())


def _ask_about(text: str, path: Optional[str]) -> List[Problem]:
    request = None if path is None else dumps({"file": path})
    answer = _library.ask("tactus_check", text, request)
    problems = problems_of(answer.problems)
    if answer.status != _library.Answer.YES:
        raise InvalidInput(problems)
    return problems


def write_whole(path: "Union[str, os.PathLike[str]]", text: str) -> None:
    """Replaces a file as a whole: an interrupt leaves the old one or the new one."""
    target = pathlib.Path(path)
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, target)
    finally:
        beside.unlink(missing_ok=True)
