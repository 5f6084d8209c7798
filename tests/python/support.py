"""What the tests of the Python package share."""

import pathlib
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
PACKAGE = SOURCE / "python" / "tactus"
sys.path.insert(0, str(SOURCE / "python"))


def example(name):
    return SOURCE / "examples" / f"{name}.system.json"
