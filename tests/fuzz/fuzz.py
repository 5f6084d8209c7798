#!/usr/bin/env python3
"""Feeds broken files to every verb that reads one, and looks at what comes back.

    tests/fuzz/fuzz.py --tactus build/tactus --runs 5000 --seed 7

Whatever a file holds, a run ends by itself with 0, 1, 2 or 3, says why in whole lines when it is 2,
and leaves nothing behind. What cannot be a file of ours is never taken for one. Everything random
comes from the seed; a failure prints the command and keeps the file it was about.
"""
import argparse
import copy
import json
import os
import random
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FAMILIES = [  # a system, a method that makes a plan of it, and a policy to simulate
    ("robot", "gcaps.suspend.prio", "gcaps.suspend"),
    ("gcaps-table4", "gcaps.busy.prio", "mpcp.suspend"),
    ("dag-example", "dag.balanced", "dag.balanced"),
    ("gang-shares", "gang.wc", "gang.wc"),
    ("gang-fig1", "gang.swc", "gang.swc"),
    ("pbs-drone", "pbs.graph", "pbs.graph"),
    ("rtgpu-perception", "rtgpu", "rtgpu"),
    ("rtgpu-spare-sms", "stgm", "self-suspension"),
    ("warehouse-pipeline", "gang.wc", "gang.wc"),
    ("deploy", "gcaps.busy", "gcaps.busy"),
]
EXPERIMENTS = ["gcaps-fig8a", "dag-fig4", "gang-fig8a", "pbs-fig4a", "rtgpu-fig8", "gcaps-table5"]
ODD_VALUES = [
    None, True, False, 0, 1, -1, -0.5, 1e-12, 1e18, 9223372036854775807, 9223372036854775808,
    -9223372036854775808, 18446744073709551615, 10 ** 400, "", "x", "\u00e9\u4e2d\U0001f600", "a\nb",
    "\u0000", "NaN", [], {}, [[]], [{}], [None], {"x": 1}, "9" * 500,
    "a\u202eb", "\u009b31m", "\u001b[2J", "=1+2", "\u2028",
]
# What no output may hold: it would steer a terminal, or turn around what stands there.
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
NONSENSE = "nonsense"  # a mutant that cannot be a file of ours


def strip_comments(text):
    return re.sub(r'("(?:[^"\\]|\\.)*")|//[^\n]*', lambda m: m.group(1) or "", text)


def places(value, path=()):
    """Every (path) of a JSON value, itself included."""
    yield path
    children = (value.items() if isinstance(value, dict)
                else enumerate(value) if isinstance(value, list) else ())
    for key, child in children:
        yield from places(child, path + (key,))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def change_value(rng, text):
    """A valid JSON text with one to three values deleted, doubled, exchanged or replaced."""
    value = json.loads(strip_comments(text))
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        path = rng.choice(list(places(value))[1:] or [()])
        if not path:
            break
        parent, key = at(value, path[:-1]), path[-1]
        what = rng.randrange(6)
        if what == 0:
            del parent[key]
        elif what == 1 and isinstance(parent, list):
            parent.insert(key, parent[key])
        elif what == 1:
            parent[rng.choice(["zz", "name", "wcet", "tasks", key + " "])] = parent[key]
        elif what == 2:
            parent[key] = copy.deepcopy(at(value, rng.choice(list(places(value)))))
        elif what == 3 and isinstance(parent[key], (int, float)):
            parent[key] = parent[key] * rng.choice([-1, 0, 2, 10, 1000, 10 ** 9])
        elif what == 4 and isinstance(parent[key], str):
            parent[key] = rng.choice([parent[key][::-1], parent[key] * 40, parent[key] + "\u0301"])
        else:
            parent[key] = rng.choice(ODD_VALUES)
    return json.dumps(value, ensure_ascii=rng.random() < 0.5, indent=rng.choice([None, 1])), None


def change_numbers(rng, text):
    """Mostly a file that is fine, and a system that is not."""
    value = json.loads(strip_comments(text))
    numbers = [path for path in places(value) if type(at(value, path)) in (int, float)]
    for path in rng.sample(numbers, min(len(numbers), rng.choice([1, 2, 5, 20]))):
        number = at(value, path)
        at(value, path[:-1])[path[-1]] = rng.choice([
            number * 10, number * 1000, number * 10 ** 12, number / 7, number / 10 ** 6, 0, 1, 2, 3,
            number + 1, -number, 2 ** 31, 2 ** 62 // 10 ** 6, rng.randrange(1, 100)])
    return json.dumps(value), None


def change_bytes(rng, text):
    data = bytearray(text if isinstance(text, bytes) else text.encode())
    for _ in range(rng.choice([1, 1, 2, 8])):
        position = rng.randrange(len(data))
        what = rng.randrange(3)
        if what == 0:
            data[position] ^= 1 << rng.randrange(8)
        elif what == 1:
            del data[position:position + rng.choice([1, 1, 7, 100])]
        else:
            data[position:position] = bytes(rng.randrange(256) for _ in range(rng.choice([1, 4])))
        if not data:
            break
    return bytes(data), None


def truncate(rng, text):
    whole = strip_comments(text).rstrip()
    return whole[:rng.randrange(len(whole))], NONSENSE


def spoil(rng, text):
    """What every reader of JSON must refuse, and what it must bear."""
    plain = strip_comments(text)
    spot = plain.index("{") + 1
    return rng.choice([
        (b"\xff\xfe" + plain.encode("utf-16-le"), NONSENSE),
        (plain.encode() + b"\x00", NONSENSE),
        (plain[:spot] + '"a": NaN,' + plain[spot:], NONSENSE),
        (plain[:spot] + '"a": Infinity,' + plain[spot:], NONSENSE),
        (plain[:spot] + '"a": 1e400,' + plain[spot:], NONSENSE),
        (plain[:spot] + '"tactus": 1, "tactus": 1,' + plain[spot:], NONSENSE),
        (plain[:spot] + '"a": ' + "[" * 100000 + "]" * 100000 + "," + plain[spot:], NONSENSE),
        (plain[:spot] + '"a": ' + '{"b":' * 5000, NONSENSE),
        (plain[:spot].encode() + b'"a": "\xc3\x28",' + plain[spot:].encode(), NONSENSE),
        (plain + plain, NONSENSE),
        ("", NONSENSE),
        ("[]", NONSENSE),
        ("7", NONSENSE),
        (plain.replace("\n", "\r\n"), None),
        ("\ufeff" + plain, None),
        (plain.replace("{", "{ // \u00e9\n"), None),
    ])


def change_store(rng, store, path):
    """A store that SQLite finds in order, with some values that no run has written."""
    with open(path, "wb") as file:
        file.write(store)
    database = sqlite3.connect(path)
    for _ in range(rng.choice([1, 1, 2, 4])):
        table = rng.choice(["experiments", "points", "curves", "sets", "runs"])
        columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
        value = rng.choice([-1, 0, 1, 77, 1000000, 10 ** 9, 2 ** 63 - 1, -2 ** 63, None, 1.5, "",
                            "x", "a\u202eb", b"\x00\xff", "9" * 400])
        try:
            database.execute(f"UPDATE {table} SET {rng.choice(columns)} = ? WHERE rowid IN (SELECT "
                             f"rowid FROM {table} ORDER BY random() LIMIT 1)"
                             if table in ("experiments", "runs") else
                             f"UPDATE {table} SET {rng.choice(columns)} = ? WHERE "
                             f"{columns[1]} = {rng.randrange(3)}", (value,))
        except sqlite3.Error:
            pass  # a key twice, or nothing where there must be something
    database.commit()
    database.close()


def tiny_profile():
    """A trace as the PyTorch profiler writes it: two jobs, a copy, two streams that wait."""
    events = []

    def event(name, category, process, thread, start, lasts, **args):
        events.append({"ph": "X", "name": name, "cat": category, "pid": process, "tid": thread,
                       "ts": start, "dur": lasts, "args": args})

    for job in range(2):
        start, first = 1000 * job, 10 * job
        event(f"job_{job}", "user_annotation", 9, 1, start, 200)
        for i, (call, category, stream) in enumerate([
                ("cudaMemcpyAsync", "gpu_memcpy", 7), ("cudaLaunchKernel", "kernel", 7),
                ("cudaEventRecord", None, 7), ("cudaStreamWaitEvent", None, 8),
                ("cudaLaunchKernel", "kernel", 8), ("cudaDeviceSynchronize", None, 0)]):
            event(call, "cuda_runtime", 9, 1, start + 5 + 10 * i, 4.5, correlation=first + i)
            if category:
                event("k", category, 0, stream, start + 8 + 10 * i, 9.25, correlation=first + i,
                      stream=stream, device=0, grid=[4, 2, 1], block=[128, 1, 1])
    return json.dumps({"deviceProperties": [{"id": 0, "name": "g", "numSms": 8}],
                       "traceEvents": events})


MUTATIONS = [change_value] * 4 + [change_numbers] * 4 + [change_bytes] * 2 + [truncate, spoil]


class Fuzzer:
    def __init__(self, tactus, folder, rng, cpu_limit):
        self.tactus, self.folder, self.rng, self.cpu_limit = tactus, folder, rng, cpu_limit
        self.failures, self.codes = 0, {}
        self.plans = {}
        for name, method, _ in FAMILIES:
            path = os.path.join(folder, "made.plan.json")
            subprocess.run([tactus, "plan", self.example(name), "--method", method, "-o", path],
                           stdout=subprocess.DEVNULL, check=True)
            with open(path, encoding="utf-8") as file:
                self.plans[name] = file.read()
            os.remove(path)
        self.documents = self.shown_by_report()
        subprocess.run([tactus, "lab", "reproduce", "gcaps-table5", "--no-figures", "-j", "1", "-o",
                        os.path.join(folder, "out")], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=True)
        with open(os.path.join(folder, "out", "results.db"), "rb") as file:
            self.store = file.read()
        shutil.rmtree(os.path.join(folder, "out"))
        self.foreign = [tiny_profile(), "Task ID, Job ID, Arrival min, Arrival max, Cost min, Cost max,"
                        " Deadline, Priority\n1, 1, 0, 0, 1, 2, 10, 1\n1, 2, 10, 10, 1, 2, 20, 1\n"]
        for name, _, _ in FAMILIES:
            for to in ["yaml", "dot", "graphml"]:
                made = subprocess.run([tactus, "export", self.example(name), "--to", to],
                                      stdout=subprocess.PIPE, check=True)
                self.foreign.append(made.stdout.decode())

    def shown_by_report(self):
        """Documents that only `report` reads: a trace, a run, slack, verdicts, advice."""
        robot = self.example("robot")
        trace = os.path.join(self.folder, "trace.json")

        def said(*words):
            return subprocess.run([self.tactus, *words], stdout=subprocess.PIPE, check=False,
                                  encoding="utf-8").stdout

        found = [said("simulate", robot, "-p", "gcaps.suspend", "--jobs", "2", "--json", "--trace",
                      trace),
                 said("slack", robot, "-m", "gcaps.suspend", "--json"),
                 said("slack", robot, "-m", "gcaps.suspend", "--sweep", "all=0.5..1.5", "--json"),
                 said("analyze", robot, "-m", "gcaps.suspend", "--json"),
                 said("advise", self.example("forklift"), "-m", "gcaps.suspend", "--target", "any", "--json")]
        with open(trace, encoding="utf-8") as file:
            found.append(file.read())
        os.remove(trace)
        return found

    @staticmethod
    def example(name):
        return os.path.join(SOURCE, "examples", name + ".system.json")

    def commands_on_system(self, name, method, policy, path):
        pick = self.rng.choice
        return pick([
            ["check", path], ["check", "--canonical", path], ["check", "--json", path],
            ["analyze", path, "--time-limit", "1", "--memory-limit", "100"],
            ["analyze", path, "--time-limit", "1", "--json"],
            ["analyze", path, "-m", method, pick(["--csv", "--json"])],
            ["analyze", path, "-m", method, "--set", pick(["camera.period=3", "gpu.units=2", "x"])],
            ["slack", path, "-m", "gcaps.suspend", pick(["--csv", "--json"])],
            ["advise", path, "-m", "gcaps.*", "--vary", "cores", "--stop-after", "2"],
            ["reserve", path, "--dry", pick(["--trust", "--no-enforce", "--no-all-places", "--json"])],
            ["plan", path, "-m", method, "-o", os.path.join(self.folder, "out.json")],
            ["simulate", path, "-p", policy, "--jobs", "3", "--scenario",
             pick(["sync", "sporadic,uniform", "burst,early"])],
            ["simulate", path, "-p", policy, "--jobs", "2", "--trace",
             os.path.join(self.folder, "out.json")],
            ["run", path, "-m", method, "--jobs", "2"],
            ["report", path, "--no-slack", "-o", os.path.join(self.folder, "out.json")],
            ["gpu", "measure-batches", path, "--backend", "emulator", "--max-size", "2",
             "--runs", "2", "-o", os.path.join(self.folder, "out.json")],
        ])

    def one(self):
        rng = self.rng
        kind = rng.choice(["system"] * 10 + ["plan"] * 6 + ["experiment"] * 2 + ["store"] +
                          ["foreign"] * 4 + ["document"] * 3)
        name, method, policy = rng.choice(FAMILIES)
        if kind == "experiment":
            with open(os.path.join(SOURCE, "experiments", rng.choice(EXPERIMENTS) + ".json"),
                      encoding="utf-8") as file:
                text = file.read()
        elif kind == "plan":
            text = self.plans[name]
        elif kind == "foreign":
            text = rng.choice(self.foreign[:1] * 8 + self.foreign[1:])
        elif kind == "document":
            text = rng.choice(self.documents)
        else:
            with open(self.example(name), encoding="utf-8") as file:
                text = file.read()
        path = os.path.join(self.folder, "mutant.json")
        if kind == "store" and rng.random() < 0.7:
            known = None
            change_store(rng, self.store, path)
        else:
            # What a document may hold beyond what is shown is not the business of `report`.
            change = rng.choice([one for one in MUTATIONS if kind != "document" or one is not spoil])
            if kind == "store":
                text, change = self.store, change_bytes
            if kind == "foreign" and not text.startswith("{"):
                change = change_bytes
            mutant, known = change(rng, text)
            if kind == "foreign" and change is spoil:
                known = None  # a reader of traces bears more
            data = mutant if isinstance(mutant, bytes) else mutant.encode("utf-8", "surrogatepass")
            with open(path, "wb") as file:
                file.write(data)
        if kind == "experiment":
            words = ["lab", "reproduce", path, "--sets", "1", "-j", "1", "--no-figures", "-o",
                     os.path.join(self.folder, "out")]
        elif kind == "foreign":
            words = ["import", path, "--fold", rng.choice(["none", "stream", "annotation", "task"]),
                     "-o", os.path.join(self.folder, "out.json")]
            words += rng.choice([[], ["--jobs", "idle"], ["--tasks", "stream"], ["--json"],
                                 ["--tasks", "thread", "--demand", "occupancy", "--bcet"]])
        elif kind == "plan":
            words = rng.choice([["plan", self.example(name), "--check", path],
                                ["simulate", self.example(name), "--plan", path, "--jobs", "2"],
                                ["run", self.example(name), "--plan", path, "--jobs", "2"],
                                ["report", self.example(name), path, "--no-slack", "-o",
                                 os.path.join(self.folder, "out.json")]])
        elif kind == "document":
            words = ["report", path, "-o", os.path.join(self.folder, "out.json")]
        elif kind == "store":
            words = ["lab", "results", path] + rng.choice([[], ["--csv"], ["--json"], ["--raw"],
                                                    ["--raw", "--times", "--json"]])
            if rng.random() < 0.5:
                os.makedirs(os.path.join(self.folder, "out"))
                shutil.copy(path, os.path.join(self.folder, "out", "results.db"))
                words = ["lab", "reproduce", "--resume", "-j", "1", "--no-figures", "-o",
                         os.path.join(self.folder, "out")]
        else:
            words = self.commands_on_system(name, method, policy, path)
        # An experiment may ask for as much work as it likes: only its reading is fuzzed.
        self.judge(words, path, known, limited=kind in ("experiment", "store"))

    def page_says_why(self):
        """A report shows a plan that does not hold, in red."""
        with open(os.path.join(self.folder, "out.json"), encoding="utf-8") as page:
            return '"problem":"' in page.read()

    def judge(self, words, path, known, limited):
        problems = []
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        process = subprocess.Popen([self.tactus] + words, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder)
        try:
            out, err = process.communicate(timeout=2 if limited else 20 * self.cpu_limit)
        except subprocess.TimeoutExpired:
            process.terminate()  # asks it to stop
            try:
                out, err = process.communicate(timeout=20 * self.cpu_limit)
            except subprocess.TimeoutExpired:
                process.kill()
                out, err = process.communicate()
            if not limited:
                problems.append("does not end")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        code = process.returncode
        self.codes[code] = self.codes.get(code, 0) + 1
        lines = err.decode("utf-8", "replace").splitlines()
        for stream in (out, err):
            found = STEERING.search(stream.decode("utf-8", "replace"))
            if found:
                problems.append(f"prints {found.group()!r}")
        if code not in (0, 1, 2, 3):
            problems.append(f"ends with {code}")
        if code == 2 and not lines and "--json" not in words:
            problems.append("ends with 2 and says nothing")
        if code == 0 and known == NONSENSE and not (words[0] == "report" and self.page_says_why()):
            problems.append("takes nonsense")
        if spent > self.cpu_limit and not limited:
            problems.append(f"takes {spent:.1f} s")
        if len(lines) > 25 or any(len(line) > 2000 for line in lines):
            problems.append("says too much")
        strange = [line for line in lines
                   if not re.match(r"tactus: |[^ ]*mutant\.json:|.*resum|  |.*\d+ of \d+|\d+ sets in ", line)]
        if code == 2 and strange:
            problems.append(f"says `{strange[0][:200]}`")
        left = set(os.listdir(self.folder)) - {"mutant.json", "out.json", "out", "kept"}
        if left:
            problems.append(f"leaves {sorted(left)}")
        if problems:
            self.failures += 1
            kept = os.path.join(self.folder, "kept")
            os.makedirs(kept, exist_ok=True)
            copy = os.path.join(kept, f"{self.failures}.json")
            shutil.copy(path, copy)
            command = " ".join(words).replace(path, copy)
            print(f"{'; '.join(problems)}: tactus {command}\n    {lines[:3]}", flush=True)
        for name in os.listdir(self.folder):
            full = os.path.join(self.folder, name)
            if name == "kept":
                continue
            shutil.rmtree(full) if os.path.isdir(full) else os.remove(full)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tactus", required=True)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cpu-limit", type=float, default=10, help="seconds a run may take")
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="tactus-fuzz-")
    fuzzer = Fuzzer(os.path.abspath(arguments.tactus), folder, random.Random(arguments.seed),
                    arguments.cpu_limit)
    for _ in range(arguments.runs):
        fuzzer.one()
    codes = ", ".join(f"{count} ended with {code}" for code, count in sorted(fuzzer.codes.items()))
    print(f"{arguments.runs} runs: {codes}; {fuzzer.failures} failures")
    if fuzzer.failures:
        print(f"the files are in {folder}/kept")
        return 1
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
