#!/usr/bin/env python3
"""Runs the fuzz targets, and adds up how often.

    tests/fuzz/run.py --build build-clang/tests/fuzz --seconds 600 --record bench/results/fuzz.json
    tests/fuzz/run.py --build build-fuzz/tests/fuzz --seconds 400 --processes 16 --record counts.json
    tests/fuzz/run.py --build build-clang/tests/fuzz --only plan --runs 2000
    tests/fuzz/run.py --add counts.json --record bench/results/fuzz.json
    tests/fuzz/run.py --sum bench/results/fuzz.json

With --seconds the targets take turns, and go on from what earlier runs in the same build folder have
found; after an input that breaks a target the rest of its turn goes on. With --runs each makes that many
runs, always the same ones: from a fixed seed, from what is in the repository alone, in its order, and
without anything that a clock or an address decides. An input that breaks a target is kept in the build
folder, and its path is printed.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

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
                "import_arbiter": "profiles", "import_sag": "profiles", "import_times": "profiles",
                "import_tensorrt": "profiles", "import_onnx": "profiles", "import_chrome": "profiles",
                "import_ros2": "ros2", "import_amalthea": "amalthea", "import_dot": "graphs",
                "import_graphml": "graphs", "expression": "words", "words": "words",
                "http": "http", "store": "json", "plot_files": "json", "answer": "json",
                "script": "json"}
GOALS = {"readers": 10 ** 8, "daemon and shim": 10 ** 6}
MOST_BYTES = 4096
MOST_BREAKS = 20  # in one turn: more would be the same ones again


def targets_in(build):
    names = (os.path.basename(path)[len("fuzz_"):] for path in glob.glob(os.path.join(build, "fuzz_*"))
             if os.access(path, os.X_OK) and os.path.isfile(path))
    return sorted(names)


def group_of(target):
    return "daemon and shim" if target in ("daemon", "shim") else "readers"


def seeds_of(target):
    """What the repository has for a target, in the same order in every checkout."""
    paths = glob.glob(os.path.join(HERE, "corpus", target, "*"))
    paths += glob.glob(os.path.join(SOURCE, EXAMPLES.get(target, "nothing")))
    return sorted(paths)


def run(target, build, options):
    """The number of runs, and whether all were in order."""
    broken = os.path.join(build, "broken")
    os.makedirs(broken, exist_ok=True)
    # Neither a line for every function that is new (a symbolizer is asked each time), nor the accounts of
    # rare features: both take several times as long as our readers.
    command = [os.path.join(build, "fuzz_" + target), f"-max_len={MOST_BYTES}", "-timeout=25",
               "-rss_limit_mb=2000", "-print_final_stats=1", "-verbosity=1", "-print_funcs=0",
               "-entropic=0", f"-artifact_prefix={broken}/{target}-"]
    if target in DICTIONARIES:
        command.append(f"-dict={HERE}/dictionaries/{DICTIONARIES[target]}.dict")
    environment = dict(os.environ)
    environment.setdefault("UBSAN_OPTIONS", "print_stacktrace=1")
    inputs = seeds_of(target)
    if not inputs:
        print(f"{target}: nothing to begin with; put inputs into tests/fuzz/corpus/{target}")
        return 0, False
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".txt") as seeds:
        seeds.write(",".join(inputs))
        seeds.flush()
        command.append(f"-seed_inputs=@{seeds.name}")
        done = subprocess.run(command + options, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env=environment, check=False)
    said = done.stdout.decode("utf-8", "replace")
    executed = re.search(r"stat::number_of_executed_units: (\d+)", said)
    if done.returncode != 0:
        noise = re.compile(r"#\d+\s+(NEW|REDUCE|pulse)|\s*(NEW_FUNC|INFO:)")
        print("\n".join(line[:300] for line in said.splitlines()[-60:] if not noise.match(line)))
    return int(executed.group(1)) if executed else 0, done.returncode == 0


def always_the_same(target, build, runs):
    """Compared values are no hints here: some are addresses and times. Nothing is written, as it would be
    read again after a second."""
    return run(target, build, [f"-runs={runs}", "-seed=1", "-shuffle=0", "-reload=0", "-use_cmp=0",
                               "-use_memmem=0"])


def turn(target, number, build, seconds):
    """What one process does with its time: the number of runs, and how many inputs broke the target."""
    found = os.path.join(build, "found", target)
    own = os.path.join(found, str(number))
    os.makedirs(own, exist_ok=True)
    others = sorted(glob.glob(os.path.join(found, "*")))
    folders = [own] + [folder for folder in others if folder != own]
    until = time.monotonic() + seconds
    executions = breaks = 0
    while (left := round(until - time.monotonic())) > 0 and breaks < MOST_BREAKS:
        more, fine = run(target, build, [f"-max_total_time={left}", *folders])
        executions += more
        breaks += 0 if fine else 1
    return executions, breaks


def turns_of(targets, processes):
    """Who has a turn, in this order: every target as often as any other, or once more."""
    several = 1 if processes == 1 else 3 * processes
    rounds = -(-max(len(targets), several) // processes)
    return [(targets[i % len(targets)], i // len(targets)) for i in range(rounds * processes)]


def read_counts(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def record(path, more):
    """Adds to what is there already."""
    kept = read_counts(path) if os.path.exists(path) else {}
    for target, counts in more.items():
        entry = kept.setdefault(target, {})
        for key, count in counts.items():
            entry[key] = entry.get(key, 0) + count
    with open(path, "w", encoding="utf-8") as file:
        json.dump(kept, file, indent=1, sort_keys=True)
        file.write("\n")


def show_sum(path):
    kept = read_counts(path)
    print(f"{'target':16} {'sanitized':>14} {'plain':>14} {'seconds':>8}")
    for target, entry in sorted(kept.items()):
        print(f"{target:16} {entry.get('sanitized', 0):14,} {entry.get('plain', 0):14,} "
              f"{entry.get('seconds', 0):8,}")
    for group, goal in GOALS.items():
        all_runs = sum(entry.get("sanitized", 0) + entry.get("plain", 0)
                       for target, entry in kept.items() if group_of(target) == group)
        print(f"{group}: {all_runs:,} of {goal:,}")


class Account:
    """Says and keeps what has been done, as soon as it has."""

    def __init__(self, path, build):
        self.path, self.lock, self.good = path, threading.Lock(), True
        with open(os.path.join(build, "..", "..", "CMakeCache.txt"), encoding="utf-8") as file:
            sanitized = re.search(r"TACTUS_SANITIZE:STRING=\S", file.read())
        self.kind = "sanitized" if sanitized else "plain"

    def add(self, target, executions, fine, seconds):
        with self.lock:
            self.good = self.good and fine
            print(f"{target}: {executions:,} runs{'' if fine else ', and it is BROKEN'}", flush=True)
            if self.path:
                record(self.path, {target: {self.kind: executions, "seconds": seconds}})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", help="folder with the targets")
    parser.add_argument("--only", help="targets, separated by commas")
    parser.add_argument("--seconds", type=int, help="in all")
    parser.add_argument("--processes", type=int, default=1, help="so many targets at a time")
    parser.add_argument("--runs", type=int, help="of each target")
    parser.add_argument("--record", help="file to add the numbers to")
    parser.add_argument("--add", help="such a file of another machine, to be added to that of --record")
    parser.add_argument("--sum", help="shows what such a file says")
    arguments = parser.parse_args()
    if arguments.sum:
        return show_sum(arguments.sum)
    if arguments.add:
        return record(arguments.record, read_counts(arguments.add))
    targets = arguments.only.split(",") if arguments.only else targets_in(arguments.build)
    if not targets:
        sys.exit(f"run.py: there are no targets in {arguments.build}")
    account = Account(arguments.record, arguments.build)
    if arguments.runs:
        for target in targets:
            account.add(target, *always_the_same(target, arguments.build, arguments.runs), 0)
        return 0 if account.good else 1
    turns = turns_of(targets, arguments.processes)
    seconds = max(arguments.seconds * arguments.processes // len(turns), 1)

    def take(one):
        target, number = one
        executions, breaks = turn(target, number, arguments.build, seconds)
        account.add(target, executions, breaks == 0, seconds)

    with concurrent.futures.ThreadPoolExecutor(arguments.processes) as pool:
        list(pool.map(take, turns))
    return 0 if account.good else 1


if __name__ == "__main__":
    sys.exit(main())
