"""What is wrong, and where: the exceptions of the package."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import List, Optional, Sequence


@dataclass(frozen=True)
class Problem:
    """One problem, with its place.

    >>> Problem("`period` must be a time > 0", pointer="/tasks/0/period").path
    'tasks[0].period'
    """

    message: str
    severity: str = "error"  #: ``"error"`` or ``"warning"``
    document: Optional[str] = None  #: the file, or ``<system>``, ``<plan>``, ``<request>``
    line: Optional[int] = None  #: in the text of the document, from 1
    column: Optional[int] = None
    pointer: Optional[str] = None  #: a JSON Pointer (RFC 6901) to the value that is meant

    @property
    def path(self) -> str:
        """The value that is meant, as Python would write it: ``tasks[0].nodes[2].wcet``."""
        out = ""
        for part in (self.pointer or "").split("/")[1:]:
            part = part.replace("~1", "/").replace("~0", "~")
            if part.isdigit():
                out += f"[{part}]"
            else:
                out += f".{part}" if out else part
        return out

    def __str__(self) -> str:
        place = self.document or ""
        if self.line is not None:
            place += f":{self.line}:{self.column}"
        label = "warning: " if self.severity == "warning" else ""
        return f"{place}: {label}{self.message}" if place else label + self.message


class TactusError(Exception):
    """There is no answer; ``problems`` says why, all of them at once."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems) or "no answer")
        self.problems: List[Problem] = list(problems)


class InvalidInput(TactusError, ValueError):
    """A system, a plan or an argument is not in order.

    >>> import tactus
    >>> try:
    ...     tactus.System.loads('{"tactus": 1, "platform": {"elements": []}, "taks": []}')
    ... except tactus.InvalidInput as error:
    ...     for problem in error.problems:
    ...         print(problem.line, problem.column, problem.path, "-", problem.message)
    1 1  - `tasks` is missing
    1 45 taks - unknown key `taks`; did you mean `tasks`?
    """


class NoAnswer(TactusError):
    """Nothing can be said: no method applies, memory ran out, or the call was interrupted."""


class NotNow(TactusError, RuntimeError):
    """It cannot be done now: something runs, has ended, or was closed."""

    def __init__(self, message: str) -> None:
        super().__init__([Problem(message)])


def invalid(message: str) -> InvalidInput:
    """An argument is not in order."""
    return InvalidInput([Problem(message)])


class TactusWarning(UserWarning):
    """Something to know that is no error."""


def problems_of(text: str) -> List[Problem]:
    """The problems in the document of that name (``tactus_answer_problems``)."""
    known = ("message", "severity", "document", "line", "column", "pointer")
    return [
        Problem(**{key: value for key, value in problem.items() if key in known})
        for problem in json.loads(text)["problems"]
    ]


class NotApplicable(Exception):
    """Raise it in your method: it does not cover this system, and why."""
