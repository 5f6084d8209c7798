#!/usr/bin/env python3
"""Puts known mistakes into methods and plan checkers, one at a time, and sees whether a test fails.

    tests/mutants/run.py [NAME...] [--tree DIR]

The mistakes are in mutants.txt. They are made in a copy of the sources (build-mutants/tree, kept for the
next time), of which only the test program that must fail is built. A mutant that no test notices has
survived: a test is missing. Exit code 0: all are killed.
"""
import argparse
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
KEYS = ("file", "from", "to", "test")
# A mistake may leave something unused, which is an error elsewhere.
PRAGMAS = "".join(f'#pragma GCC diagnostic ignored "-Wunused-{what}"\n'
                  for what in ("parameter", "variable", "function", "but-set-variable", "const-variable"))


def read_mutants(path):
    mutants, name = {}, None
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if line.startswith("["):
                name = line.strip("[]")
                if name in mutants:
                    sys.exit(f"{path}:{number}: there are two mutants {name}")
                mutants[name] = {}
            elif line and not line.startswith("#"):
                key, _, value = line.partition(": ")
                if key not in KEYS or name is None:
                    sys.exit(f"{path}:{number}: expected one of {', '.join(KEYS)}")
                mutants[name][key] = value
    for name, mutant in mutants.items():
        if set(mutant) != set(KEYS):
            sys.exit(f"{path}: {name} needs {', '.join(KEYS)}")
    return mutants


def problem_of(mutant, root):
    """Why a mutant cannot be made; None: it can."""
    with open(os.path.join(root, mutant["file"]), encoding="utf-8") as file:
        times = file.read().count(mutant["from"])
    return None if times == 1 else f"`from` is {times} times in {mutant['file']}"


def copy_tree(tree):
    """The files that git knows, as they are now; those that are the same keep their times."""
    os.makedirs(tree, exist_ok=True)
    names = subprocess.run(["git", "ls-files", "-z"], cwd=SOURCE, stdout=subprocess.PIPE, check=True)
    wanted = set()
    for name in names.stdout.decode().split("\0"):
        path = os.path.join(SOURCE, name)
        if not name or os.path.islink(path) or not os.path.isfile(path):
            continue
        wanted.add(name)
        with open(path, "rb") as file:
            content = file.read()
        replace(os.path.join(tree, name), content, os.stat(path).st_mode)


def replace(path, content, mode=None):
    if os.path.exists(path):
        with open(path, "rb") as file:
            if file.read() == content:
                return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)
    if mode is not None:
        os.chmod(path, mode)


def build(tree, program):
    folder = os.path.join(tree, "build")
    if not os.path.exists(os.path.join(folder, "build.ninja")):
        subprocess.run(["cmake", "--preset", "release", "-DTACTUS_BENCH=OFF"], cwd=tree,
                       stdout=subprocess.DEVNULL, check=True)
    made = subprocess.run(["ninja", "-C", folder, program], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    return made.returncode == 0, made.stdout.decode("utf-8", "replace")


def passes(tree, program, tests):
    """Do the tests pass? They must also exist. A mutant that runs for minutes has been noticed, too."""
    command = [os.path.join(tree, "build", "tests", program), f"--gtest_filter={tests}", "--gtest_brief=1",
               "--gtest_fail_fast"]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600,
                              cwd=tree, check=False)
    except subprocess.TimeoutExpired:
        return False
    if b" 0 tests " in done.stdout or b"Running 0 tests" in done.stdout:
        sys.exit(f"run.py: {program} has no tests {tests}")
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="mutants; none: all")
    parser.add_argument("--tree", default=os.path.join(SOURCE, "build-mutants", "tree"))
    parser.add_argument("--check", action="store_true", help="only see whether each can be made")
    arguments = parser.parse_args()
    mutants = read_mutants(os.path.join(HERE, "mutants.txt"))
    unknown = [name for name in arguments.names if name not in mutants]
    if unknown:
        sys.exit(f"run.py: there is no mutant {unknown[0]}")
    chosen = arguments.names or list(mutants)
    problems = [f"{name}: {problem}" for name in chosen
                if (problem := problem_of(mutants[name], SOURCE))]
    if problems:
        sys.exit("\n".join(problems))
    if arguments.check:
        print(f"{len(chosen)} mutants can be made")
        return 0
    copy_tree(arguments.tree)
    survived = []
    sound = {}  # by test program and tests: do they pass without a mutant?
    for name in chosen:
        mutant = mutants[name]
        program, _, tests = mutant["test"].partition(" ")
        tests = tests or "*"  # an empty filter chooses none
        began = time.monotonic()
        if mutant["test"] not in sound:
            good, said = build(arguments.tree, program)
            if not good:
                sys.exit(f"run.py: {program} cannot be built\n{said[-2000:]}")
            sound[mutant["test"]] = passes(arguments.tree, program, tests)
        if not sound[mutant["test"]]:
            sys.exit(f"run.py: {mutant['test']} fails without a mutant")
        path = os.path.join(arguments.tree, mutant["file"])
        with open(path, "rb") as file:
            whole = file.read()
        try:
            wrong = whole.replace(mutant["from"].encode(), mutant["to"].encode())
            replace(path, PRAGMAS.encode() + wrong)
            good, said = build(arguments.tree, program)
            if not good:
                sys.exit(f"run.py: {name} cannot be built\n{said[-2000:]}")
            alive = passes(arguments.tree, program, tests)
        finally:
            replace(path, whole)
        if alive:
            survived.append(name)
        print(f"{name}: {'SURVIVED' if alive else 'killed'} ({time.monotonic() - began:.0f} s)", flush=True)
    print(f"{len(chosen)} mutants: {len(chosen) - len(survived)} killed, {len(survived)} survived")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
