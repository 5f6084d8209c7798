#!/usr/bin/env python3
"""Runs the fuzz targets, and adds up how often.

    tests/fuzz/run.py --build build-clang/tests/fuzz --seconds 600 --record bench/results/fuzz.json
    tests/fuzz/run.py --build build-clang/tests/fuzz --only plan --runs 2000
    tests/fuzz/run.py --sum bench/results/fuzz.json

With --seconds the targets share the time, and go on from what earlier runs in the same build folder
have found. With --runs each makes that many runs from a fixed seed and from what is in the
repository alone. An input that breaks a target is kept in the build folder, and its path is printed.
"""
import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
# Files of the repository that are inputs as they are, beside those in corpus/.
EXAMPLES = {
    "json_document": "examples/*.system.json",
    "system_json": "examples/*.system.json",
    "experiment": "experiments/*.json",
}
DICTIONARIES = {"system_json": "json", "system_yaml": "json", "plan": "json", "experiment": "json",
                "document": "json", "serve": "json", "set": "json", "json_document": "json",
                "import_kineto": "profiles", "import_trace": "profiles", "import_nsys": "profiles",
                "import_sag": "profiles", "import_times": "profiles", "import_dot": "graphs",
                "import_graphml": "graphs", "expression": "words", "words": "words",
                "http": "http", "store": "json"}
GOALS = {"readers": 10 ** 8, "daemon and shim": 10 ** 6}
MOST_BYTES = 4096


def targets_in(build):
    names = (os.path.basename(path)[len("fuzz_"):] for path in glob.glob(os.path.join(build, "fuzz_*"))
             if os.access(path, os.X_OK) and os.path.isfile(path))
    return sorted(names)


def group_of(target):
    return "daemon and shim" if target in ("daemon", "shim") else "readers"


def seeds_of(target, folder):
    """What the repository has for a target, in one folder."""
    os.makedirs(folder)
    paths = glob.glob(os.path.join(HERE, "corpus", target, "*"))
    paths += glob.glob(os.path.join(SOURCE, EXAMPLES.get(target, "nothing")))
    for number, path in enumerate(sorted(paths)):
        shutil.copy(path, os.path.join(folder, f"{number:03}-{os.path.basename(path)}"))


def run(target, build, options, corpus):
    """The number of runs, and whether all were in order."""
    broken = os.path.join(build, "broken")
    os.makedirs(broken, exist_ok=True)
    command = [os.path.join(build, "fuzz_" + target), f"-max_len={MOST_BYTES}", "-timeout=25",
               "-rss_limit_mb=2000", "-print_final_stats=1", "-verbosity=1",
               f"-artifact_prefix={broken}/{target}-", *options]
    if target in DICTIONARIES:
        command.append(f"-dict={HERE}/dictionaries/{DICTIONARIES[target]}.dict")
    environment = dict(os.environ)
    environment.setdefault("UBSAN_OPTIONS", "print_stacktrace=1")
    done = subprocess.run(command + corpus, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=environment, check=False)
    said = done.stdout.decode("utf-8", "replace")
    executed = re.search(r"stat::number_of_executed_units: (\d+)", said)
    if done.returncode != 0:
        noise = re.compile(r"#\d+\s+(NEW|REDUCE|pulse)|\s*(NEW_FUNC|INFO:)")
        print("\n".join(line[:300] for line in said.splitlines()[-60:] if not noise.match(line)))
    return int(executed.group(1)) if executed else 0, done.returncode == 0


def record(path, target, sanitized, executions, seconds):
    """Adds to what is there already."""
    kept = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            kept = json.load(file)
    entry = kept.setdefault(target, {})
    for key, more in (("sanitized" if sanitized else "plain", executions), ("seconds", seconds)):
        entry[key] = entry.get(key, 0) + more
    with open(path, "w", encoding="utf-8") as file:
        json.dump(kept, file, indent=1, sort_keys=True)
        file.write("\n")


def show_sum(path):
    with open(path, encoding="utf-8") as file:
        kept = json.load(file)
    print(f"{'target':16} {'sanitized':>14} {'plain':>14} {'seconds':>8}")
    for target, entry in sorted(kept.items()):
        print(f"{target:16} {entry.get('sanitized', 0):14,} {entry.get('plain', 0):14,} "
              f"{entry.get('seconds', 0):8,}")
    for group, goal in GOALS.items():
        all_runs = sum(entry.get("sanitized", 0) + entry.get("plain", 0)
                       for target, entry in kept.items() if group_of(target) == group)
        print(f"{group}: {all_runs:,} of {goal:,}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", help="folder with the targets")
    parser.add_argument("--only", help="targets, separated by commas")
    parser.add_argument("--seconds", type=int, help="in all")
    parser.add_argument("--runs", type=int, help="of each target")
    parser.add_argument("--record", help="file to add the numbers to")
    parser.add_argument("--sum", help="shows what such a file says")
    arguments = parser.parse_args()
    if arguments.sum:
        return show_sum(arguments.sum)
    targets = arguments.only.split(",") if arguments.only else targets_in(arguments.build)
    if not targets:
        sys.exit(f"run.py: there are no targets in {arguments.build}")
    with open(os.path.join(arguments.build, "..", "..", "CMakeCache.txt"), encoding="utf-8") as file:
        sanitized = bool(re.search(r"TACTUS_SANITIZE:STRING=\S", file.read()))
    good = True
    for target in targets:
        folder = tempfile.mkdtemp(prefix="tactus-fuzz-")
        seeds = os.path.join(folder, "seeds")
        seeds_of(target, seeds)
        if arguments.runs:
            found = os.path.join(folder, "found")
            options = [f"-runs={arguments.runs}", "-seed=1"]
            seconds = 0
        else:
            found = os.path.join(arguments.build, "found", target)
            seconds = max(arguments.seconds // len(targets), 1)
            options = [f"-max_total_time={seconds}"]
        os.makedirs(found, exist_ok=True)
        executions, fine = run(target, arguments.build, options, [found, seeds])
        shutil.rmtree(folder)
        good = good and fine
        print(f"{target}: {executions:,} runs{'' if fine else ', and it is BROKEN'}", flush=True)
        if arguments.record:
            record(arguments.record, target, sanitized, executions, seconds)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
