"""The questions: analyze, slack, sweep, advise, reserve_dry, plan, simulate, validate, generate."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from . import _library
from ._library import Answer
from ._long import ShowProgress, ask_long, interrupted_without_answer
from ._model import System
from ._numbers import Time, dumps, in_unit
from ._problems import InvalidInput, NoAnswer, Problem, problems_of
from ._results import (
    Advice,
    Analysis,
    Check,
    Checkup,
    Deployment,
    Hunt,
    Import,
    Method,
    Option,
    Plan,
    Reach,
    Recipe,
    Requested,
    Requests,
    Run,
    Slack,
    Sweep,
    SweepPoint,
    TaskRun,
    Validation,
    Verdict,
)

#: A system, the path of its file, or what stands in one.
Subject = Union[System, str, "os.PathLike[str]", Mapping[str, Any]]


def _system(subject: Subject) -> System:
    if isinstance(subject, Mapping):
        return System.loads(dumps(dict(subject)))
    return subject if isinstance(subject, System) else System.load(subject)


#: Parameters that are no keys of a request.
_OF_THE_FUNCTION = ("self", "system", "task", "of", "begin", "end", "progress")


def _asked(said: Mapping[str, Any], unit: Optional[str] = None) -> Dict[str, Any]:
    """The parameters of a function as a request: they have the names of its keys."""
    request: Dict[str, Any] = {}
    for key, value in said.items():
        if value is None or key in _OF_THE_FUNCTION:
            continue
        if isinstance(value, Plan):
            value = value.document
        elif key in ("duration", "jitter", "notice"):
            value = dumps(in_unit(value, unit or _system(said["system"]).time_unit))
        elif not isinstance(value, (str, Mapping)) and isinstance(value, Iterable):
            value = list(value)
        request[key] = value
    return request


def _about(system: System, request: Dict[str, Any]) -> "List[Optional[str]]":
    if system.path is not None:
        request["file"] = system.path
    return [system.to_json(), dumps(request)]


def _document(answer: Answer, interrupted: bool = False) -> Dict[str, Any]:
    """The document of an answer, or the exception that says why there is none."""
    if answer.document is not None:
        return dict(json.loads(answer.document))
    problems: List[Problem] = problems_of(answer.problems)
    if answer.status == Answer.BAD_INPUT:
        raise InvalidInput(problems)
    raise interrupted_without_answer() if interrupted else NoAnswer(problems)


#: A document, what else is to be known, and whether Ctrl-C ended it: what each `Result` begins with.
Found = Tuple[Dict[str, Any], List[Problem], bool]


def _found(answer: Answer, interrupted: bool = False) -> Found:
    return _document(answer, interrupted), problems_of(answer.problems), interrupted


def _ask(name: str, about: Optional[System], request: Dict[str, Any], progress: ShowProgress) -> Found:
    arguments: List[Optional[str]] = [dumps(request)] if about is None else _about(about, request)
    return _found(*ask_long(name, arguments, progress))


def analyze(
    system: Subject,
    # asks analyze
    method: Union[str, Sequence[Any], None] = None,
    *,
    set: Union[Mapping[str, Any], Sequence[str], None] = None,
    costs: Optional[str] = None,
    variant: Optional[str] = None,
    threads: Optional[int] = None,
    options: Optional[Mapping[str, Any]] = None,
    # end
    progress: ShowProgress = None,
) -> Analysis:
    """Which methods prove every deadline, and with which bounds?

    `method` names methods by id or wildcard (``"gcaps.*"``); without it, all are asked, and the one
    that the file deploys judges (else one proof is enough). `options` are those of the methods.

    >>> import tactus
    >>> analysis = tactus.analyze(tactus.examples.robot(), "gcaps.suspend")
    >>> analysis.schedulable
    True
    >>> analysis["gcaps.suspend"].task("camera").bound
    10.3
    """
    request = _asked(locals())
    about = _system(system)
    found = _ask("tactus_analyze", about, request, progress)
    document = found[0]
    return Analysis(
        *found,
        about,
        document["status"],
        document["judged_by"],
        [Verdict._from(verdict, about) for verdict in document["methods"]],
    )


def explain(
    system: Subject,
    task: str,
    # asks analyze
    method: Union[str, Sequence[Any], None] = None,
    *,
    set: Union[Mapping[str, Any], Sequence[str], None] = None,
    costs: Optional[str] = None,
    variant: Optional[str] = None,
    threads: Optional[int] = None,
    options: Optional[Mapping[str, Any]] = None,
    # end
    progress: ShowProgress = None,
) -> Dict[str, Any]:
    """What the bound of one task is made of, term by term: the document of ``analyze --explain``.

    >>> import tactus
    >>> explained = tactus.explain(tactus.examples.robot(), "camera", "gcaps.suspend")
    >>> explained["task"]
    'camera'
    """
    request = {**_asked(locals()), "explain": task}
    return _ask("tactus_analyze", _system(system), request, progress)[0]


def slack(
    system: Subject,
    # asks slack
    method: Union[str, Sequence[Any], None] = None,
    *,
    set: Union[Mapping[str, Any], Sequence[str], None] = None,
    costs: Optional[str] = None,
    variant: Optional[str] = None,
    threads: Optional[int] = None,
    options: Optional[Mapping[str, Any]] = None,
    # end
    progress: ShowProgress = None,
) -> Slack:
    """How far may times, periods, deadlines and costs go, and who is late then?

    >>> import tactus
    >>> slack = tactus.slack(tactus.examples.robot(), "gcaps.suspend")
    >>> slack.factor, slack["camera.debayer.wcet"].holds
    (1.293, 21.5)
    """
    request = _asked(locals())
    about = _system(system)
    found = _ask("tactus_slack", about, request, progress)
    document = found[0]
    return Slack(
        *found,
        document["method"],
        document["variant"],
        document["status"],
        [
            Reach(
                reach["of"],
                reach["kind"],
                reach["now"],
                reach["holds"],
                reach["fails"],
                reach["exact"],
                reach.get("breaks", {}).get("task") or reach.get("breaks", {}).get("chain"),
            )
            for reach in document["slack"]
        ],
        list(document["notes"]),
    )


def sweep(
    system: Subject,
    of: str,
    begin: Time,
    end: Time,
    # asks slack
    method: Union[str, Sequence[Any], None] = None,
    *,
    set: Union[Mapping[str, Any], Sequence[str], None] = None,
    costs: Optional[str] = None,
    variant: Optional[str] = None,
    threads: Optional[int] = None,
    options: Optional[Mapping[str, Any]] = None,
    # end
    points: int = 16,
    progress: ShowProgress = None,
) -> Sweep:
    """How do the bounds follow one value (``"camera.detect.wcet"``, ``"gpu.units"``; ``"all"``: all
    times, by a factor), from `begin` to `end`?

    >>> import tactus
    >>> swept = tactus.sweep(tactus.examples.robot(), "camera.detect.wcet", 6, 12, points=3,
    ...                      method="gcaps.suspend")
    >>> [(point.value, point.bounds["camera"]) for point in swept.points]
    [(6, 9.8), (9, 12.8), (12, 15.8)]
    """
    request = _asked(locals())
    about = _system(system)
    first, last = (dumps(in_unit(value, about.time_unit)) for value in (begin, end))
    request["sweep"] = f"{of}={first}..{last}"
    found = _ask("tactus_slack", about, request, progress)
    document = found[0]
    return Sweep(
        *found,
        document["method"],
        document["variant"],
        document["of"],
        [SweepPoint(p["value"], p["status"], dict(p["bounds"])) for p in document["points"]],
    )


def reserve_dry(
    system: Subject,
    # asks reserve_dry
    *,
    set: Union[Mapping[str, Any], Sequence[str], None] = None,
    costs: Optional[str] = None,
    trust: Optional[bool] = None,
    enforce: Optional[bool] = None,
    notice: Optional[Time] = None,
    all_places: Optional[bool] = None,
    instead: Optional[bool] = None,
    # end
    progress: ShowProgress = None,
) -> Requests:
    """Would the tasks be admitted, if they asked for reservations one after the other?

    >>> import tactus
    >>> asked = tactus.reserve_dry(tactus.examples.forklift(), trust=True)
    >>> asked["lidar"].answer
    'admitted'
    """
    request = _asked(locals())
    found = _ask("tactus_reserve_dry", _system(system), request, progress)
    document = found[0]
    return Requests(
        *found,
        [
            Requested(
                each["task"],
                each["answer"],
                each.get("bound"),
                each.get("late", {}).get("task"),
                dict(each.get("instead", {})),
            )
            for each in document["requests"]
        ],
    )


def advise(
    system: Subject,
    # asks advise
    method: Union[str, Sequence[Any], None] = None,
    *,
    set: Union[Mapping[str, Any], Sequence[str], None] = None,
    costs: Optional[str] = None,
    vary: Optional[Sequence[Any]] = None,
    target: Optional[str] = None,
    goal: Optional[str] = None,
    seed: Optional[int] = None,
    threads: Optional[int] = None,
    stop_after: Optional[int] = None,
    # end
    progress: ShowProgress = None,
) -> Advice:
    """Which way to run it leaves most room?

    Searches what the file leaves open, and what `vary` names (cores, priorities, gpu-priorities,
    offsets, shares, method, sms). `target` is what you are ready to run (tactusd, partitions, tables, any),
    `goal` is ``factor`` (all times may grow most) or ``sms`` (fewest SMs).

    >>> import tactus
    >>> advice = tactus.advise(tactus.examples.robot(), vary=["cores"], target="tactusd")
    >>> advice.found, advice.best.run_by, advice.system.deploy["method"] == advice.best.method
    (True, 'tactusd', True)
    """
    request = {**_asked(locals()), "systems": True}
    about = _system(system)
    document, problems, interrupted = _ask("tactus_advise", about, request, progress)
    return Advice(
        document,
        problems,
        interrupted or bool(document.get("stopped", False)),
        document["found"],
        [_option(option) for option in document["options"]],
        list(document.get("would_do", [])),
        {left["method"]: left["why"] for left in document["left_out"]},
    )


def _option(document: Mapping[str, Any]) -> Option:
    chosen = document.get("system")
    system = None if chosen is None else System.from_dict(chosen)
    plan = document.get("plan")
    return Option(
        document["method"],
        document["variant"],
        document["proved"],
        document["factor"],
        document.get("limited_by"),
        document["run_by"],
        document["needs"],
        document["cores"],
        document["sms"],
        {path: change["to"] for path, change in document["to_change"].items()},
        system,
        None if plan is None else Plan(dict(plan), system),
        list(document.get("cover", {}).get("conditions", [])),
    )


def plan(
    system: Subject,
    # asks plan
    method: Union[str, Sequence[Any], None] = None,
    *,
    set: Union[Mapping[str, Any], Sequence[str], None] = None,
    costs: Optional[str] = None,
    variant: Optional[str] = None,
    threads: Optional[int] = None,
    options: Optional[Mapping[str, Any]] = None,
    # end
    progress: ShowProgress = None,
) -> Plan:
    """The plan that a method makes; `NoAnswer` tells everything that keeps it from making one.

    Without a method: of the one that the system deploys, else of the best that makes plans."""
    request = _asked(locals())
    about = _system(system)
    return Plan(_ask("tactus_plan", about, request, progress)[0], about)


def simulate(
    system: Subject,
    # asks simulate
    method: Union[str, Sequence[Any], None] = None,
    *,
    set: Union[Mapping[str, Any], Sequence[str], None] = None,
    costs: Optional[str] = None,
    variant: Optional[str] = None,
    threads: Optional[int] = None,
    options: Optional[Mapping[str, Any]] = None,
    plan: Optional[Plan] = None,
    scenario: Optional[str] = None,
    seed: Optional[int] = None,
    late_completions: Optional[bool] = None,
    jobs: Optional[int] = None,
    duration: Optional[Time] = None,
    script: Optional[Mapping[str, Any]] = None,
    trace: Optional[str] = None,
    # end
    progress: ShowProgress = None,
) -> Run:
    """A run under the policy behind a method, or of a plan.

    Without a method: the one that the system deploys, else the best that can be simulated.

    With ``late_completions`` the arbiter of ``gcaps.boost.*`` sees that GPU work is done late, by as
    much as its costs allow.

    >>> import tactus
    >>> run = tactus.simulate(tactus.examples.robot(), "gcaps.suspend", jobs=10)
    >>> run.good, run.task("motor").longest
    (True, 0.9)
    """
    request = _asked(locals())
    about = _system(system)
    found = _ask("tactus_simulate", about, request, progress)
    document = found[0]
    return Run(
        *found,
        document["method"],
        document["variant"],
        document["good"],
        document["end"],
        [_task_run(task) for task in document["tasks"]],
    )


def _task_run(task: Mapping[str, Any]) -> TaskRun:
    response = task.get("response", {})
    return TaskRun(
        task["task"],
        task["jobs"],
        task["longest"],
        response.get("mean"),
        response.get("p99"),
        task.get("bound"),
        task.get("deadline"),
        task["misses"],
    )


def validate(
    # asks validate
    method: Union[str, Sequence[Any], None] = None,
    *,
    variant: Optional[str] = None,
    threads: Optional[int] = None,
    options: Optional[Mapping[str, Any]] = None,
    count: Optional[int] = None,
    runs: Optional[int] = None,
    recipe: Optional[str] = None,
    set: Union[Mapping[str, Any], Sequence[str], None] = None,
    search: Optional[str] = None,
    late_completions: Optional[bool] = None,
    jobs: Optional[int] = None,
    duration: Optional[Time] = None,
    seed: Optional[int] = None,
    limit: Optional[int] = None,
    # end
    progress: ShowProgress = None,
) -> Validation:
    """Searches by simulation, over random systems, for runs that exceed a bound.

    The systems are drawn by a recipe for the method, or by ``recipe`` with the parameters that are ``set``.
    ``search`` is "random", "climb" or "offsets"; at most ``limit`` violations per method are listed.
    With ``late_completions`` the arbiter of ``gcaps.boost.*`` sees that GPU work is done late, by as
    much as its costs allow.

    >>> import tactus
    >>> tactus.validate("gcaps.suspend", count=20).violations
    0
    """
    request = _asked(locals(), "ms")
    found = _ask("tactus_validate", None, request, progress)
    return Validation(*found, [Hunt(**hunt) for hunt in found[0]["methods"]])


def generate(recipe: str, *, seed: int = 1, count: int = 1, **parameters: Any) -> Iterator[System]:
    """Random systems of a recipe, one by one; the same seed gives the same systems everywhere.

    >>> import tactus
    >>> [system.name for system in tactus.generate("gcaps-small", seed=7, count=2)]
    ['gcaps-small-7-0', 'gcaps-small-7-1']
    """
    for index in range(count):
        request = {"recipe": recipe, "seed": seed, "index": index, "set": parameters}
        answer = _library.ask("tactus_generate", dumps(request))
        _document(answer)
        assert answer.document is not None
        yield System.loads(answer.document)


def init(tasks: Sequence[str] = (), start: Sequence["Union[str, os.PathLike[str]]"] = (),
         **options: Any) -> System:
    """A first system from tasks in words, and from files that ``start`` names (``tactus init --from``).

    Options are those of the command line: ``chain=["camera > motor, 60 ms"]``, ``cores=6``,
    ``sms=132``, ``costs="h200/channel"``, ``name="robot"``.

    >>> import tactus
    >>> system = tactus.init(["camera 30 Hz, 2 ms CPU, 8 ms GPU, deadline 33"], costs="h200/channel")
    >>> tactus.analyze(system).schedulable
    True
    """
    request = {"task": list(tasks), "from": [os.fspath(file) for file in start], **options}
    answer = _library.ask("tactus_init", dumps(request))
    _document(answer)
    assert answer.document is not None
    return System.loads(answer.document)


def import_file(path: "Union[str, os.PathLike[str]]", **options: Any) -> Import:
    """A system from a profile or another tool's file, with what was assumed (``tactus import``).

    Options are those of the command line: ``jobs="job_*"``, ``fold="stream"``, ``margin=10``,
    ``gpu_only=True``, ``period=["33"]``.
    """
    request = dict(options)
    request["file"] = os.fspath(path)
    found = _found(_library.ask("tactus_import", None, dumps(request)))
    document = found[0]
    system = System.from_dict(document.pop("system"))
    return Import(*found, system, document["notes"])


def export(system: Subject, to: str) -> str:
    """The text of a system in another format: "yaml", "dot", "graphml", "sag".

    >>> import tactus
    >>> tactus.export(tactus.examples.forklift(), "yaml").splitlines()[0]
    'tactus: 1'
    """
    document = _document(_library.ask("tactus_export", _system(system).to_json(), dumps({"to": to})))
    return str(document["text"])


def deploy(
    system: Subject,
    # asks deploy
    *,
    set: Union[Mapping[str, Any], Sequence[str], None] = None,
    costs: Optional[str] = None,
    plan: Optional[Plan] = None,
    output: Optional[str] = None,
    format: Optional[str] = None,
    tier: Optional[str] = None,
    cpus: Optional[str] = None,
    backend: Optional[str] = None,
    realtime: Optional[bool] = None,
    accept: Optional[Sequence[Any]] = None,
    restart: Optional[str] = None,
    socket: Optional[str] = None,
    group: Optional[str] = None,
    programs: Optional[str] = None,
    replace: Optional[bool] = None,
    # end
) -> Deployment:
    """Writes the files that start a plan into the folder `output`: units for systemd, a script, or a
    launch file of ROS 2. It is false, and nothing is written, where what would be started does not
    cover the proof; `accept` names conditions that are waived.

    >>> import tactus, tempfile
    >>> system = tactus.examples.forklift()
    >>> plan = tactus.plan(system, "gcaps.suspend", variant="safe-arbiter")
    >>> bool(tactus.deploy(system, plan=plan, output=tempfile.mkdtemp(), format="script"))
    False
    """
    request = _asked(locals())
    found = _found(_library.ask("tactus_deploy", *_about(_system(system), request)))
    document = found[0]
    files = [str(file["name"]) for file in document["files"]]
    return Deployment(*found, document["folder"], files, document["conditions"])


def doctor(
    system: Optional[Subject] = None,
    # asks doctor
    *,
    plan: Optional[Plan] = None,
    tier: Optional[str] = None,
    cpus: Optional[str] = None,
    backend: Optional[str] = None,
    realtime: Optional[bool] = None,
    accept: Optional[Sequence[Any]] = None,
    set: Union[Mapping[str, Any], Sequence[str], None] = None,
    costs: Optional[str] = None,
    gpu_clock: Optional[int] = None,
    root: Optional[str] = None,
    running: Optional[bool] = None,
    socket: Optional[str] = None,
    # end
) -> Checkup:
    """Is this machine fit to keep what a plan of the system promises? Without a system: what is
    there?

    >>> import tactus
    >>> tactus.doctor()["driver"].why
    'without a driver there is no GPU to run on'
    """
    request = _asked(locals())
    about = [None, dumps(request)] if system is None else _about(_system(system), request)
    found = _found(_library.ask("tactus_doctor", *about))
    document = found[0]
    return Checkup(
        *found,
        document["fit"],
        [Check(**check) for check in document["checks"]],
        document.get("conditions", []),
    )


def gpu_profiles() -> List[Dict[str, Any]]:
    """What was measured of known GPUs; `costs` of the other functions names one.

    >>> import tactus
    >>> "h200/channel" in [profile["name"] for profile in tactus.gpu_profiles()]
    True
    """
    return list(_document(_library.ask("tactus_profiles"))["profiles"])


def methods(method: str = "all") -> List[Method]:
    """The methods there are.

    >>> import tactus
    >>> [method.id for method in tactus.methods("mpcp.*")]
    ['mpcp.suspend', 'mpcp.busy']
    """
    document = _document(_library.ask("tactus_methods", dumps({"method": method})))
    return [
        Method(
            m["id"],
            m["title"],
            m["paper"],
            m["assumes"],
            m["needs"],
            list(m["variants"]),
            m["makes_plan"],
            {option["name"]: option["doc"] for option in m["options"]},
        )
        for m in document["methods"]
    ]


def recipes() -> List[Recipe]:
    """The recipes for random systems."""
    document = _document(_library.ask("tactus_recipes"))
    return [
        Recipe(r["name"], r["doc"], {p["name"]: p["default"] for p in r["parameters"]})
        for r in document["recipes"]
    ]


def version() -> str:
    """The version of the library.

    >>> import tactus
    >>> tactus.version() == tactus.__version__
    True
    """
    text: bytes = _library.library().tactus_version()
    return text.decode()
