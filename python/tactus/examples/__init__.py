"""Systems to try things on.

>>> import tactus
>>> [task.name for task in tactus.examples.forklift().tasks][:3]
['camera', 'lidar', 'depth']
"""

from __future__ import annotations

import pathlib

from .._model import System

_HERE = pathlib.Path(__file__).resolve().parent


def _example(name: str) -> System:
    """From the package, or from the source tree, which keeps them in one place."""
    for folder in (_HERE, _HERE.parent.parent.parent / "examples"):
        path = folder / f"{name}.system.json"
        if path.is_file():
            return System.load(path)
    raise FileNotFoundError(f"{name}.system.json")


def forklift() -> System:
    """A forklift as a newcomer writes it: five real-time tasks and a logger."""
    return _example("forklift")


def robot() -> System:
    """A camera, a lidar, a motor controller and a planner; with measured curves."""
    return _example("robot")


def drone() -> System:
    """Five kernels of a drone on a GPU with 8 SMs."""
    return _example("pbs-drone")
