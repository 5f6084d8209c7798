#!/usr/bin/env python3
"""The types of both C interfaces are those of the last release, or were only added to (libabigail):

    tests/api/abi_test.py             compares tactus/tactus.h and tactus/client.h with tests/api/*.abi
    tests/api/abi_test.py --write     makes those files anew, for a release

From each header a library is made in which every function does nothing, so that the compiler writes down its
types. That the real libraries have these functions is compared elsewhere (symbols.txt)."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
HEADERS = ("tactus", "client")


def described(header, scratch):
    """A description (abixml) of what a header declares."""
    includes = f'#include "{header}"\n'
    probe, prototypes = scratch / "probe.c", scratch / "prototypes"
    probe.write_text(includes)
    compiler = ["gcc", "-std=c2x", "-fPIC"]
    subprocess.run([*compiler, "-aux-info", prototypes, "-fsyntax-only", probe], check=True)
    functions = re.findall(r"^/\* \S+ \*/ (extern .*\btactus_\w+ \(.*\));", prototypes.read_text(), re.M)
    assert len(functions) > 10, functions
    bodies = "".join(f"{function.removeprefix('extern ')} {{ __builtin_trap(); }}\n" for function in functions)
    probe.write_text(includes + bodies)
    library = scratch / "probe.so"
    subprocess.run([*compiler, "-g", "-shared", "-o", library, probe], check=True)
    out = scratch / "described.abi"
    subprocess.run(["abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--out-file", out, library],
                   check=True)
    return out


def difference(old, header, scratch):
    """What is said of changes that are no additions; empty where there are none."""
    said = subprocess.run(["abidiff", "--no-added-syms", old, described(header, scratch)], capture_output=True, text=True)
    return said.stdout + said.stderr if said.returncode else ""


def main():
    if not shutil.which("abidiff"):
        print("skipped: there is no abidiff (Debian: abigail-tools, tools/packages-ci)")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        for header in HEADERS:
            path, old = SOURCE / "tactus" / f"{header}.h", HERE / f"{header}.abi"
            if sys.argv[1:] == ["--write"]:
                shutil.copy(described(path, scratch), old)
                continue
            changed = difference(old, path, scratch)
            assert not changed, f"{header}.h: {changed}"
            # A function that is gone, and one with another type, are found.
            text = path.read_text(encoding="utf-8")
            for before, after in ((r"TACTUS_API [^;]*\btactus_(version|segment_end)\(void\);", ""),
                                  (r"const char\* (tactus_version|tactus_result_text)\(", r"int \1(")):
                broken = scratch / f"{header}.h"
                mutated, times = re.subn(before, after, text, count=1)
                assert times == 1, before
                broken.write_text(mutated, encoding="utf-8")
                assert difference(old, broken, scratch), f"{header}.h: not noticed: {before}"


main()
