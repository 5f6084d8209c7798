"""Deadlines for work on a GPU: proved, planned, and run.

>>> import tactus
>>> system = tactus.examples.forklift()
>>> advice = tactus.advise(system, vary=["cores"])
>>> advice.found
True
>>> slack = tactus.slack(advice.system)
>>> slack.factor > 1
True

`System`, `Task`, `Node` and `Platform` describe what is asked about; `analyze`, `slack`, `sweep`,
`advise`, `plan`, `simulate`, `validate` and `generate` ask; `method` adds a method of your own; `segment` marks GPU work of a program that runs
under the arbiter, `reserve` asks it for GPU time, `TaskPath` starts tasks when others end. Everything is computed by libtactus.so, which is called without the GIL. Ctrl-C
ends a long call early: its result holds what was found, and `interrupted` is true.
"""

from typing import TYPE_CHECKING, Any

from . import examples
from ._model import Element, Node, Platform, System, Task
from ._own import answer_questions, method
from ._paths import PathError, PathJob, PathReleases, PredecessorGone, TaskPath, next_arrival
from ._problems import (
    InvalidInput,
    NoAnswer,
    NotApplicable,
    Problem,
    TactusError,
    TactusWarning,
)
from ._questions import (
    advise,
    analyze,
    deploy,
    doctor,
    explain,
    export,
    generate,
    gpu_profiles,
    init,
    import_file,
    methods,
    plan,
    recipes,
    reserve_dry,
    simulate,
    slack,
    sweep,
    validate,
    version,
)
from ._reservations import Refused, Reservation, ReservationError, job, reserve
from ._results import (
    Advice,
    Analysis,
    ChainPart,
    ChainVerdict,
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
    Result,
    Run,
    Slack,
    Sweep,
    SweepPoint,
    TaskRun,
    TaskVerdict,
    Validation,
    Verdict,
)
from ._segments import (
    BEST_EFFORT,
    PROTECTED,
    SCHED_PRIORITY,
    SegmentError,
    State,
    checkpoint,
    segment,
    split,
    tier,
)

__all__ = [
    "System", "Task", "Node", "Platform", "Element", "examples",
    "analyze", "explain", "slack", "sweep", "advise", "reserve_dry", "plan", "simulate", "validate",
    "deploy", "Deployment", "doctor", "Checkup", "Check", "gpu_profiles", "generate", "init", "methods", "recipes", "import_file", "export", "version", "method", "answer_questions", "NotApplicable",
    "Result", "Analysis", "Verdict", "TaskVerdict", "ChainVerdict", "ChainPart", "Slack", "Reach", "Sweep", "Requests", "Requested",
    "SweepPoint", "Advice", "Option", "Plan", "Run", "TaskRun", "Validation", "Hunt", "Import", "Method", "Recipe",
    "Problem", "TactusError", "InvalidInput", "NoAnswer", "TactusWarning",
    "segment", "checkpoint", "split", "tier", "State", "SegmentError", "BEST_EFFORT", "SCHED_PRIORITY",
    "PROTECTED",
    "reserve", "job", "Reservation", "ReservationError", "Refused",
    "TaskPath", "PathJob", "PathReleases", "PathError", "PredecessorGone", "next_arrival",
    "__version__",
]  # fmt: skip

if TYPE_CHECKING:
    __version__: str
else:

    def __getattr__(name: str) -> Any:
        """The version is that of the library, which is loaded when it is first needed."""
        if name == "__version__":
            return version()
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
