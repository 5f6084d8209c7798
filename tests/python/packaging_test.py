#!/usr/bin/env python3
"""The wheel, and `pip install ./python` offline, each in a new virtual environment.

    tests/python/packaging_test.py BUILD_FOLDER

Exit code 77, with a message, where there is no venv or no pip.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = """
import os, sys, tactus
assert not tactus.__file__.startswith(sys.argv[1]), tactus.__file__
analysis = tactus.analyze(tactus.examples.robot(), "gcaps.suspend")
assert analysis.schedulable
assert "<table" in analysis._repr_html_()
with open("/proc/self/maps") as maps:
    loaded = {line.split()[-1] for line in maps if ".so" in line}
own = os.path.dirname(tactus.__file__)
assert any("libtactus.so" in path for path in loaded), loaded
for carried in os.listdir(os.path.join(own, "lib")):  # not those of the machine
    elsewhere = [path for path in loaded if carried in path and not path.startswith(own)]
    assert not elsewhere, elsewhere
import warnings
warnings.simplefilter("ignore")
with tactus.segment(priority=1):
    pass
print("works", tactus.version())
"""


def run(*command, **more):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **more)
    if done.returncode != 0:
        print(*command, done.stdout, done.stderr, sep="\n")
        sys.exit(1)
    return done.stdout


def environment(folder):
    """A new virtual environment without anything, or the end of the test."""
    made = subprocess.run(
        [sys.executable, "-m", "venv", str(folder)], capture_output=True, text=True
    )
    if made.returncode != 0 or not (folder / "bin" / "pip").exists():
        print("skipped: no virtual environment with pip can be made here:", made.stdout, made.stderr)
        sys.exit(77)
    return folder / "bin" / "python"


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    offline = dict(os.environ, TACTUS_BUILD=str(build), PIP_NO_INDEX="1", PIP_DISABLE_PIP_VERSION_CHECK="1")
    offline.pop("PYTHONPATH", None)
    with tempfile.TemporaryDirectory() as scratch_name:
        scratch = pathlib.Path(scratch_name)
        python = environment(scratch / "one")
        wheel = run(SOURCE / "python" / "tactus_wheel.py", "--build", build, "--out", scratch).strip()
        assert "-py3-none-" in wheel, wheel
        names = zipfile.ZipFile(wheel).namelist()
        for wanted in ("tactus/lib/libtactus.so", "tactus/lib/libtactus_client.so", "tactus/py.typed",
                       "tactus/session.py", "tactus/torch/__init__.py"):
            assert wanted in names, wanted
        again = run(SOURCE / "python" / "tactus_wheel.py", "--build", build, "--out", scratch / "2")
        first, second = pathlib.Path(wheel).read_bytes(), pathlib.Path(again.strip()).read_bytes()
        assert first == second, "the same sources give the same wheel"
        run(python, "-m", "pip", "install", wheel, env=offline)
        print("wheel:", run(python, "-c", PROGRAM, SOURCE, cwd=scratch, env=offline).strip())

        python = environment(scratch / "two")
        run(python, "-m", "pip", "install", SOURCE / "python", env=offline)
        print("pip install:", run(python, "-c", PROGRAM, SOURCE, cwd=scratch, env=offline).strip())
        run(python, "-m", "pip", "uninstall", "-y", "tactus", env=offline)
        run(python, "-m", "pip", "install", "--no-build-isolation", SOURCE / "python", env=offline)
        run(python, "-c", PROGRAM, SOURCE, cwd=scratch, env=offline)
    left = subprocess.run(["git", "-C", SOURCE, "status", "--short", "--", "python"], capture_output=True, text=True)
    assert "build" not in left.stdout and "egg-info" not in left.stdout, left.stdout


main()
