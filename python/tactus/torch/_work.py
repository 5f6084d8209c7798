"""What measured times and plans hold for: the work itself, and where it ran."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import warnings
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Union

from .. import session as plain
from .._model import System
from .._numbers import dumps, loads
from .._problems import InvalidInput, Problem, TactusWarning
from .._questions import version
from .._results import Plan
from ._graph import driver_version, nodes_of
from ._lazy import torch

if TYPE_CHECKING:
    from ._capture import Piece
    from ._session import Session

#: The part of a fingerprint that is no node.
MACHINE = "machine"


def fingerprints(session: "Session") -> Dict[str, str]:
    """Of each node that is captured, and of the machine in words."""
    made = {MACHINE: _machine(session)}
    for task in session._tasks.values():
        for step in task._steps:
            if step.piece is not None:
                made[f"{task.name}.{step.name}"] = _of(step.piece)
    return made


def _machine(session: "Session") -> str:
    t = torch()
    if not session.place.pinned:
        return f"no GPU, PyTorch {t.__version__}"
    name = t.cuda.get_device_name(session.device)
    return f"{name}, driver {driver_version()}, PyTorch {t.__version__}"


def _of(piece: "Piece") -> str:
    """Shapes and types of what goes in and out, parameters, and the graph's nodes."""
    about: List[Any] = [[list(x.shape), str(x.dtype)] for x in piece.inputs + piece.outputs]
    module = getattr(piece.function, "function", None)
    parameters = getattr(module, "parameters", None)
    if callable(parameters):
        about.append([[list(x.shape), str(x.dtype)] for x in parameters()])
        if hex(id(module)) not in repr(module):
            about.append(repr(module))  # of nn.Module: all its parts
    code = getattr(module, "__code__", None)
    if code is not None:
        about.append(code.co_code.hex())
    about.append(type(module).__qualname__)
    if piece.graph is not None:
        about.append(nodes_of(int(piece.graph.raw_cuda_graph())))
    return hashlib.sha256(json.dumps(about).encode()).hexdigest()[:16]


def refuse_other_work(plan: Plan, session: "Session") -> None:
    """A plan of other networks, or of another machine, promises nothing here."""
    if plan.work is None:
        if session.measurement is None:
            warnings.warn(
                "this plan does not say for which networks it was made, and this session did not "
                "measure them: use session.advise(), and save its plan",
                TactusWarning,
                stacklevel=3,
            )
        return
    now = session.work()
    other = [name for name in {**plan.work, **now} if plan.work.get(name) != now.get(name)]
    if other:
        told = [_difference(name, plan.work, now) for name in other]
        raise InvalidInput([Problem("this plan was made for other work: " + "; ".join(told)
                                    + ". Measure again, and plan anew")])  # fmt: skip


def _difference(name: str, then: Mapping[str, str], now: Mapping[str, str]) -> str:
    if name == MACHINE:
        return f"on {then.get(name)}, and here is {now[name]}"
    if name not in now:
        return f"`{name}` is not there"
    return f"`{name}` is " + ("another one" if name in then else "new")


class Kept:
    """A measurement in a folder, under a name that says for what it holds."""

    def __init__(
        self, folder: "Union[str, os.PathLike[str]]", session: "Session", asked: Mapping[str, Any]
    ) -> None:
        about = {
            "work": session.work(), "asked": {key: asked[key] for key in sorted(asked)},
            "system": session.system().to_json(), "reserved": session._reserved,
            "version": version(),
        }  # fmt: skip
        name = hashlib.sha256(dumps(about).encode()).hexdigest()[:24]
        self._path = pathlib.Path(folder) / f"{name}.measurement.json"

    def read(self) -> Optional[plain.Measurement]:
        """None where there is none, or none that can be read."""
        try:
            document = loads(self._path.read_text(encoding="utf-8"))
            return plain.Measurement(document, [], False, System.from_dict(document["file"]))
        except (OSError, ValueError, KeyError):
            return None

    def write(self, measurement: plain.Measurement) -> None:
        """As a whole, or not at all."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        document = {**measurement.document, "file": loads(measurement.system.to_json())}
        part = self._path.with_suffix(f".{os.getpid()}.part")
        part.write_text(dumps(document) + "\n", encoding="utf-8")
        os.replace(part, self._path)
