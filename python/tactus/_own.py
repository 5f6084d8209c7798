"""Methods of your own: Python functions that take part like those of Tactus."""

from __future__ import annotations

import contextlib
import ctypes
import sys
import threading
from decimal import Decimal
from fractions import Fraction
from typing import Any, Callable, Dict, Mapping, Optional, TypeVar, Union

from . import _library
from ._model import System
from ._numbers import dumps, loads
from ._problems import InvalidInput, NotApplicable, problems_of

#: A function that judges a system. It returns bounds by the names of tasks (`None`: no bound), or
#: whether every deadline is met, or a whole answer (docs/use/own-methods.md).
Judge = Callable[[System], Union[Mapping[str, Any], bool]]
_J = TypeVar("_J", bound=Judge)

# The library knows methods to the end, also where this module is loaded again (importlib.reload).
_functions: Dict[str, Judge] = globals().get("_functions", {})
_policies: Dict[str, Optional[str]] = globals().get("_policies", {})
_joining = threading.Lock()


def method(
    id: str, *, policy: Optional[str] = None, title: Optional[str] = None
) -> Callable[[_J], _J]:
    """Adds a function as a method, under its id. Every question knows it from then on.

    `policy` names what happens at run time: the method whose policy it shares, or the policy. Then
    it can be simulated and validated. An id can be given again, to a better function.

    >>> import tactus
    >>> @tactus.method("doc.alone")
    ... def alone(system):
    ...     return {task.name: sum(node.wcet for node in task.nodes) for task in system.tasks
    ...             if not task.best_effort}
    >>> tactus.analyze(tactus.examples.robot(), "doc.alone").schedulable
    True
    """

    def add(function: _J) -> _J:
        with _joining:
            if id not in _functions:
                _join(id, policy, title or _first_line(function))
                _policies[id] = policy
            elif _policies[id] != policy:
                raise ValueError(
                    f"the method {id!r} was added with policy={_policies[id]!r}, and that cannot be "
                    "changed in a running program: use another id, or start Python again"
                )
            _functions[id] = function
        return function

    return add


def answer_questions() -> None:
    """Answers the questions of `tactus ... --method-command 'ID=python3 this_file.py'` with the
    methods of this program, until there are no more. Call it at the end of your file. What your
    methods print goes to standard error: standard output is for the answers."""
    answers = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):
        for line in sys.stdin:
            answers.write(_answer(line) + "\n")
            answers.flush()


def _first_line(function: Judge) -> Optional[str]:
    lines = (function.__doc__ or "").strip().splitlines()
    return lines[0] if lines else None


def _join(id: str, policy: Optional[str], title: Optional[str]) -> None:
    lib = _library.library()

    def reply(question: bytes, place: int, _data: Any) -> None:
        lib.tactus_reply_set(place, _answer(question.decode()).encode())

    callback = _library.AnswerFunction(reply)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(callback))  # the library calls it to the end
    given = {"id": id, "policy": policy, "title": title}
    request = dumps({key: value for key, value in given.items() if value is not None})
    answer = _library.Answer(lib.tactus_add_method(request.encode(), callback, None))
    if answer.status != _library.Answer.YES:
        raise InvalidInput(problems_of(answer.problems))


def _answer(text: str) -> str:
    """The answer to a question, whatever happens."""
    number: Any = None
    try:
        question = loads(text)
        number = question["question"]
        function = _functions.get(question["method"])
        if function is None:
            raise LookupError(f"there is no function for {question['method']!r} in this program")
        system = System.from_dict(question["system"])
        answer = _whole(system, function(system))
    except NotApplicable as reason:
        answer = {"status": "not-applicable", "reason": str(reason)}
    except BaseException as error:  # nothing may leave through the library
        answer = {"error": f"{type(error).__name__}: {error}"}
    try:
        return " ".join(_line({"question": number, **answer}).splitlines())
    except Exception as error:
        return _line({"question": number, "error": f"{type(error).__name__}: {error}"})


def _line(answer: Mapping[str, Any]) -> str:
    return " ".join(dumps(_plain(answer)).splitlines())


def _plain(value: Any) -> Any:
    """Fractions as decimals, rounded up: a bound must not become smaller."""
    if isinstance(value, Fraction):
        scaled = -((-value * 10**9).__floor__())
        return Decimal(scaled).scaleb(-9)
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    return value


def _whole(system: System, said: Union[Mapping[str, Any], bool]) -> Dict[str, Any]:
    """What a function returned, as an answer."""
    if isinstance(said, bool):
        return {"status": "schedulable" if said else "unschedulable"}
    if not isinstance(said, Mapping):
        raise TypeError(f"a method returns bounds, a truth value or an answer, not {said!r}")
    if "status" in said and isinstance(said["status"], str):
        return dict(said)
    tasks = []
    for task in system.tasks:
        if task.best_effort and task.name not in said:
            continue
        deadline = task.deadline if task.deadline is not None else task.period
        bound = said.get(task.name)
        good = bound is not None and (deadline is None or bound <= deadline)
        tasks.append({"task": task.name, "bound": bound, "schedulable": good})
    unknown = sorted(set(said) - {task.name for task in system.tasks})
    if unknown:
        raise LookupError(f"there is no task {unknown[0]!r} in system {system.name!r}")
    proved = all(task["schedulable"] for task in tasks)
    return {"status": "schedulable" if proved else "unschedulable", "tasks": tasks}
