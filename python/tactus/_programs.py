"""The programs of Tactus, started from Python: `python -m tactus`, and the commands that pip installs."""

from __future__ import annotations

import os
import pathlib
import shutil
import sys
from typing import NoReturn

_HERE = pathlib.Path(__file__).resolve().parent


def path_of(program: str) -> str:
    """Inside of the package (a wheel), in the build folder of the source tree, or where the system has it."""
    for place in (_HERE / "bin", _HERE.parent.parent / "build"):
        if (place / program).is_file():
            return str(place / program)
    found = shutil.which(program)
    # A command that pip has installed is this function again.
    if found is None or pathlib.Path(found).parent == pathlib.Path(sys.executable).parent:
        sys.exit(f"{program} was not found; build it (./run --version), or install the package of a release")
    return found


def _run(program: str) -> NoReturn:
    os.execv(path_of(program), [program, *sys.argv[1:]])


def tactus() -> NoReturn:
    """The command line."""
    _run("tactus")


def tactusd() -> NoReturn:
    """The arbiter."""
    _run("tactusd")
