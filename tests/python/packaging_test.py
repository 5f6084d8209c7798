#!/usr/bin/env python3
"""The wheel, `pip install .` and the archive of sources, each as somebody gets it who has nothing else.

    tests/python/packaging_test.py BUILD_FOLDER

Exit code 77, with a message, where there is no hatchling, no patchelf, no venv or no pip.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
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
print("works", tactus.__version__)
"""
# Of every library whose code is in the wheel, and of what only one of them names.
LICENCES = ("libfmt-dev", "libgmp-dev", "libyaml-cpp-dev", "libutf8proc-dev", "libsqlite3-dev", "rapidjson-dev",
            "LGPL-3", "codemirror-view")


def run(*command, **more):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **more)
    if done.returncode != 0:
        print(*command, done.stdout, done.stderr, sep="\n")
        sys.exit(1)
    return done.stdout


def skip(*why):
    print("skipped:", *why)
    sys.exit(77)


def environment(python, folder, *options):
    """A new virtual environment, or the end of the test."""
    made = subprocess.run([python, "-m", "venv", *options, str(folder)], capture_output=True, text=True)
    if made.returncode != 0 or not (folder / "bin" / "pip").exists():
        skip("no virtual environment with pip can be made here:", made.stdout, made.stderr)
    return folder / "bin" / "python"


def check_wheel(wheel):
    found = re.fullmatch(r"tactus_gpu-([0-9.]+)-py3-none-manylinux_(\d+)_(\d+)_\w+\.whl", wheel.name)
    assert found, wheel.name
    archive = zipfile.ZipFile(wheel)
    names = archive.namelist()
    for wanted in ("lib/libtactus.so", "lib/libtactus_client.so", "lib/tactus/libtactus_preload.so", "bin/tactus",
                   "bin/tactusd", "py.typed", "session.py", "torch/__init__.py"):
        assert f"tactus/{wanted}" in names, wanted
    for library in LICENCES:
        assert any(name.startswith(f"tactus/licences/{library}") for name in names), library
    metadata = archive.read(f"tactus_gpu-{found[1]}.dist-info/METADATA").decode()
    for field in ("Name: tactus-gpu", "License: Apache-2.0", "Keywords:", "Classifier: Typing :: Typed",
                  "Provides-Extra: frames"):
        assert field in metadata, field
    # The tag says no less than the objects ask for: they pass the check, and it names the C library that they need.
    said = run(SOURCE / "tools" / "check-abi", wheel)
    assert " 0 wrong" in said, said


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    hatchling = shutil.which("hatchling")
    if hatchling is None or shutil.which("patchelf") is None:
        skip("the wheel is built by hatchling and patchelf (tools/packages-test)")
    offline = dict(os.environ, TACTUS_BUILD=str(build), PIP_NO_INDEX="1", PIP_DISABLE_PIP_VERSION_CHECK="1")
    offline.pop("PYTHONPATH", None)
    with tempfile.TemporaryDirectory() as scratch_name:
        scratch = pathlib.Path(scratch_name)
        for folder in ("one", "again"):
            run(hatchling, "build", "-t", "wheel", "-d", scratch / folder, cwd=SOURCE, env=offline)
        wheel = next((scratch / "one").glob("*.whl"))
        check_wheel(wheel)
        assert wheel.read_bytes() == (scratch / "again" / wheel.name).read_bytes(), "the same build, the same wheel"
        python = environment(sys.executable, scratch / "venv")
        run(python, "-m", "pip", "install", wheel, env=offline)
        print("wheel:", run(python, "-c", PROGRAM, SOURCE, cwd=scratch, env=offline).strip())
        robot = SOURCE / "examples" / "robot.system.json"
        for command in ([python, "-m", "tactus"], [python.parent / "tactus"]):
            assert "robot: every deadline is proved" in run(*command, "analyze", robot, cwd=scratch, env=offline)
        assert "tactusd" in run(python.parent / "tactusd", "--version", cwd=scratch, env=offline)
        # The preloaded library is found where the wheel has it.
        run(python.parent / "tactus", "exec", "--priority", "1", "--", "true", cwd=scratch, env=offline)

        # `pip install .`, with the hatchling of the system; and the sources say all that a build needs.
        system = pathlib.Path(pathlib.Path(hatchling).read_text(encoding="utf-8").splitlines()[0][2:].split()[0])
        python = environment(system, scratch / "system", "--system-site-packages")
        run(python, "-m", "pip", "install", "--no-build-isolation", "--no-deps", SOURCE, env=offline)
        print("pip install .:", run(python, "-c", PROGRAM, SOURCE, cwd=scratch, env=offline).strip())
        run(hatchling, "build", "-t", "sdist", "-d", scratch / "sdist", cwd=SOURCE, env=offline)
        with tarfile.open(next((scratch / "sdist").glob("*.tar.gz"))) as archive:
            archive.extractall(scratch / "sdist")
        unpacked = next(path for path in (scratch / "sdist").iterdir() if path.is_dir())
        run("cmake", "-G", "Ninja", "-S", unpacked, "-B", scratch / "configured")
        assert not (unpacked / "tests").exists() and not list(unpacked.glob("build*")), "only what a build needs"
    left = run("git", "-C", SOURCE, "status", "--short", "--", "python")
    assert "build" not in left and "egg-info" not in left, left


main()
