#!/usr/bin/env python3
"""Makes system calls fail under every verb, one at a time, and looks at what comes of it.

    tests/faults/faults.py --tactus build/tactus --interposer build/tests/libfaults.so [--full] [--only plan]

Each command is run once to count its calls; then again and again with one call that fails, or with
every second one interrupted. Whatever fails: the program ends by itself, with 0, 1, 2 or 3; where it
does not do what it does without the fault, it says why, in one line; and a file that was there before
is the old one or the new one, whole, with nothing left beside it. What any program must bear
(interrupted calls, few bytes at a time) changes nothing at all.
"""
import argparse
import http.client
import json
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "tests", "soak"))
from client import Arbiter, Place  # noqa: E402
# In the order of the interposer.
CALLS = ["open", "read", "write", "fsync", "rename", "mkdir", "start", "thread", "mmap", "malloc",
         "poll", "fwrite", "socket", "pipe", "accept", "recv", "send"]
# What may happen to each; after that the program may give up, with a reason.
FATAL = {"open": ["EMFILE", "ENOSPC"], "read": ["EIO", "EAGAIN"], "write": ["ENOSPC", "EAGAIN"],
         "fsync": ["EIO"], "rename": ["ENOSPC"], "mkdir": ["ENOSPC"], "start": ["EAGAIN"],
         "thread": ["EAGAIN"], "mmap": ["ENOMEM"], "malloc": ["ENOMEM"], "poll": ["ENOMEM"],
         "fwrite": ["ENOSPC"], "socket": ["EMFILE"], "pipe": ["EMFILE"],
         "accept": ["ENOMEM", "EMFILE"], "recv": ["ECONNRESET"], "send": ["ECONNRESET"]}
# What any program must bear.
HARMLESS = [("read", "EINTR"), ("write", "EINTR"), ("poll", "EINTR"), ("read", "short"),
            ("write", "short"), ("accept", "EINTR"), ("recv", "EINTR"), ("send", "EINTR"),
            ("send", "EAGAIN")]
# The arbiter's messages come whole; over HTTP they may come in pieces.
HARMLESS_FOR = {"serve": [("recv", "short"), ("send", "short")]}
# zlib cannot go on after an interrupted read without losing bytes, so `import` gives up, with a line.
GIVES_UP = [("import", "read:EINTR:*")]
# These must bear a failed allocation wherever it comes, and go on.
GO_ON = ["serve", "tactusd"]
OLD = "what was there before\n"
NEW = "what serve is told to write\n"
SECONDS = 60


def example(name):
    return os.path.join(SOURCE, "examples", name + ".system.json")


def commands():
    """By name: the words of a verb, the file it writes (None: only standard output; a folder ends with
    "/"), the commands that make what it reads, and how it ends when nothing fails."""
    robot, dag, forklift = example("robot"), example("dag-example"), example("forklift")
    plan = ["plan", dag, "-m", "dag.balanced", "-o", "made.json"]
    deployed = ["plan", forklift, "-m", "gcaps.busy", "--variant", "safe-arbiter", "-o", "made.json"]
    runs = ["lab", "reproduce", "gcaps-table5", "--no-figures", "-j", "1", "-o", "runs"]
    trace = ["simulate", dag, "-p", "dag.balanced", "--jobs", "1", "--trace", "made.json"]
    return {
        "init": (["init", "--task", "camera 30 Hz, 8 ms GPU"], None, None, 0),
        "check": (["check", robot], None, None, 0),
        "check canonical": (["check", "--canonical", robot], None, None, 0),
        "import": (["import", "made.json", "-o", "out"], "out", trace, 0),
        "export": (["export", dag, "--to", "graphml", "-o", "out"], "out", None, 0),
        "methods": (["methods"], None, None, 0),
        "explain": (["explain", "jitter"], None, None, 0),
        "analyze": (["analyze", robot], None, None, 0),
        "slack": (["slack", robot, "-m", "gcaps.suspend"], None, None, 0),
        "advise": (["advise", robot, "-m", "gcaps.suspend", "--vary", "cores", "--stop-after", "5",
                    "-o", "out"], "out", None, 0),
        "reserve": (["reserve", robot, "--dry", "--trust", "--no-instead"], None, None, 0),
        "report": (["report", robot, "--no-slack", "-o", "out"], "out", None, 0),
        "plan": (["plan", robot, "-m", "gcaps.suspend.prio", "-o", "out"], "out", None, 0),
        "plan check": (["plan", dag, "--check", "made.json"], None, plan, 0),
        "simulate": (["simulate", dag, "-p", "dag.balanced", "--jobs", "1", "--trace", "out"], "out",
                     None, 0),
        "run": (["run", dag, "--plan", "made.json", "--jobs", "1", "--trace", "out"], "out", plan, 0),
        "deploy": (["deploy", forklift, "--plan", "made.json", "-o", "folder", "--accept", "leaves"], "folder/",
                   deployed, 0),
        "doctor": (["doctor"], None, None, 0),
        "exec": (["exec", "--best-effort", "--socket", "nowhere", "--", "true"], None, None, 0),
        "top": (["top", "--socket", "nowhere"], None, None, 3),
        "tiers": (["tiers"], None, None, 0),
        "gpu": (["gpu", "measure-batches", example("pbs-drone"), "--backend", "emulator",
                 "--max-size", "2", "--runs", "1", "-o", "out"], "out", None, 0),
        "measure": (["measure", "--", "true"], None, None, 3),
        "validate": (["lab", "validate", "--method", "gcaps.suspend", "--count", "2", "-j", "1"], None, None, 0),
        "generate": (["lab", "generate", "gcaps-table3", "--count", "2", "-o", "folder"], "folder/", None, 0),
        "reproduce": (["lab", "reproduce", "gcaps-table5", "--no-figures", "-j", "1", "-o", "folder"],
                      "folder/", None, 0),
        "results": (["lab", "results", "runs", "--csv"], None, runs, 0),
        "plot": (["lab", "plot", "runs", "-o", "folder"], "folder/", runs, 0),
        "serve": (["serve", "out", "--port", "0", "--socket", "nowhere"], "out", None, 0),
        "schema": (["schema", "system"], None, None, 0),
        "completion": (["completion", "bash"], None, None, 0),
        "tactusd": (["tactusd", "--socket", "own/s", "--log", "log", "--no-fast-path"], None, None, 0),
    }


def ask(url, method, path, body=None):
    """The status and the document of a question to `serve`; 0: there was no answer."""
    host, token = re.match(r"http://([^/]+)/#token=(\w+)", url).groups()
    connection = http.client.HTTPConnection(host, timeout=SECONDS / 4)
    try:
        connection.request(method, path, body=json.dumps(body) if body else None,
                           headers={"X-Tactus-Token": token, "Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read() or "{}")
    except (OSError, http.client.HTTPException, ValueError):
        return 0, {}
    finally:
        connection.close()


def converse(process):
    """With `serve`: is the system in order, what is in the file, write this into it. The statuses of the
    answers. At the end it is told to stop."""
    patience = threading.Timer(SECONDS, process.kill)
    patience.start()
    lines = iter(process.stdout.readline, b"")
    url = next((line.decode().strip() for line in lines if b"#token=" in line), None)
    patience.cancel()
    if url is None:
        return []
    with open(example("robot"), encoding="utf-8") as file:
        text = file.read()
    checked, _ = ask(url, "POST", "/api/check", {"system": text})
    found, document = ask(url, "GET", "/api/file")
    saved, _ = ask(url, "POST", "/api/save", {"text": NEW, "revision": document.get("revision", "")})
    process.terminate()
    return [checked, found, saved]


def be_a_client(process, folder):
    """Of `tactusd`: is a client let in, and its begin answered. At the end the arbiter is told to stop."""
    path, until = os.path.join(folder, "own", "s"), time.monotonic() + SECONDS
    while not os.path.exists(path) and process.poll() is None and time.monotonic() < until:
        time.sleep(0.002)
    statuses = []
    try:
        arbiter = Arbiter(Place(path), "client")
        statuses.append(200)
        arbiter.begin(5)
        for _ in range(1000):
            if arbiter.answered():
                statuses.append(200)
                break
            time.sleep(0.002)
        arbiter.socket.close()
    except (OSError, ValueError):
        try:
            process.wait(1)  # one that gives up is not to be told to stop before it has said why
        except subprocess.TimeoutExpired:
            pass
    if process.poll() is None:
        process.terminate()
    return statuses


class Outcome:
    def __init__(self, code, statuses, err, left):
        self.code, self.statuses, self.err, self.left = code, statuses, err, left


class Tester:
    def __init__(self, tactus, interposer, full, verbose):
        self.tactus, self.interposer = os.path.abspath(tactus), os.path.abspath(interposer)
        self.tactusd = os.path.join(os.path.dirname(self.tactus), "tactusd")
        self.full, self.verbose = full, verbose
        self.runs = self.failures = 0

    def run(self, words, writes, made, fault=None, counts=None, limits=()):
        """One command in a folder of its own."""
        folder = tempfile.mkdtemp(prefix="tactus-faults-")
        environment = dict(os.environ, TMPDIR=folder)
        try:
            if made is not None:
                shutil.copytree(made, folder, dirs_exist_ok=True)
            if writes is not None and not writes.endswith("/"):
                with open(os.path.join(folder, writes), "w", encoding="utf-8") as file:
                    file.write(OLD)
            before = set(os.listdir(folder))
            environment["LD_PRELOAD"] = self.interposer
            if fault:
                environment["TACTUS_FAULT"] = fault
            if counts:
                environment["TACTUS_FAULT_COUNTS"] = counts

            def prepare():
                for what, most in limits:
                    resource.setrlimit(what, (most, most))
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

            program = [self.tactus] if words[0] != "tactusd" else []
            process = subprocess.Popen([*program, *words], executable=self.tactusd if not program else None,
                                       cwd=folder, env=environment,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, preexec_fn=prepare)
            statuses = converse(process) if words[0] == "serve" else \
                be_a_client(process, folder) if words[0] == "tactusd" else []
            try:
                _, err = process.communicate(timeout=SECONDS)
                code = process.returncode
            except subprocess.TimeoutExpired:
                process.kill()
                _, err = process.communicate()
                code = "hang"
            left = {}
            for name in set(os.listdir(folder)) - (before - {writes}):
                path = os.path.join(folder, name)
                if os.path.isfile(path):
                    with open(path, "rb") as file:
                        left[name] = file.read()
                else:
                    left[name + "/"] = b""
            return Outcome(code, statuses, err.decode("utf-8", "replace"), left)
        finally:
            shutil.rmtree(folder)

    def problems_of(self, name, usual, seen, writes, harmless):
        problems = []
        lines = [line for line in seen.err.splitlines() if line.strip()]
        # 126 and 127 are those of `exec` for a command that cannot be started. A `serve` that has given up
        # may be told to stop while it ends.
        fine = (0, 1, 2, 3)
        fine += (126, 127) if name == "exec" else (-signal.SIGTERM,) if name == "serve" and lines else ()
        if seen.code not in fine:
            problems.append(f"ends with {seen.code}")
        as_usual = seen.code == usual.code
        if harmless and not as_usual:
            problems.append(f"ends with {seen.code}, not {usual.code}")
        if harmless and seen.statuses != usual.statuses:
            problems.append(f"answers {seen.statuses}, not {usual.statuses}")
        if not as_usual and not lines:
            problems.append("does not say why")
        if not as_usual and seen.code in (2, 3) and len(lines) > 3:
            problems.append(f"says {len(lines)} lines")
        for name, content in seen.left.items():
            if name == writes:
                if content == OLD.encode():
                    continue
                # Times differ from run to run: a whole file has the end of a whole file.
                usual_content = usual.left.get(name, b"")
                if content[-1:] != usual_content[-1:] or abs(len(content) - len(usual_content)) > \
                        max(200, len(usual_content) // 3):
                    problems.append(f"leaves a file of {len(content)} bytes, usually "
                                    f"{len(usual_content)}")
            elif name not in usual.left:
                problems.append(f"leaves {name}")
        if writes and not writes.endswith("/"):
            if writes not in seen.left:
                problems.append("the file that was there is gone")
            elif as_usual and usual.code == 0 and seen.left[writes] == OLD.encode() and \
                    usual.left.get(writes) != OLD.encode() and seen.statuses[-1:] in ([], [200]):
                problems.append("ends with 0 and has written nothing")
        return problems

    def judge(self, name, case, writes, usual, seen, harmless):
        self.runs += 1
        problems = self.problems_of(name, usual, seen, writes, harmless)
        if problems:
            self.failures += 1
            print(f"{name} with {case}: {'; '.join(problems)}\n    {seen.err.splitlines()[:3]}", flush=True)
        elif self.verbose:
            print(f"{name} with {case}: {seen.code} {seen.err.splitlines()[:1]}", flush=True)

    def numbers(self, verb, count, call):
        """Which calls fail: all of them with --full (of allocations, a sample), else a few."""
        if count == 0:
            return []
        most = 60 if call != "malloc" else count if verb in GO_ON else 40
        most = most if self.full else 2
        if count <= most:
            return list(range(1, count + 1))
        return sorted({1 + i * (count - 1) // (most - 1) for i in range(most)})

    def verb(self, name, words, writes, makes, code):
        made = None
        if makes:
            made = tempfile.mkdtemp(prefix="tactus-faults-")
            subprocess.run([self.tactus, *makes], cwd=made, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=True)
        with tempfile.NamedTemporaryFile() as counts:
            counts.write(bytes(8 * len(CALLS)))
            counts.flush()
            usual = self.run(words, writes, made, counts=counts.name)
            with open(counts.name, "rb") as file:
                called = dict(zip(CALLS, struct.unpack(f"{len(CALLS)}Q", file.read())))
        if name == "serve" and usual.code == 3 and "this tactus " in usual.err:
            print(f"serve is left out: {usual.err.strip()}")  # built without npm
            return
        if usual.code != code or any(status != 200 for status in usual.statuses):
            self.failures += 1
            print(f"{name}: ends with {usual.code}, not {code}, when nothing fails: {usual.err[:300]}")
        for call, error in HARMLESS + HARMLESS_FOR.get(name, []):
            if called[call] > 0:
                case = f"{call}:{error}:*"
                bears = (name, case) not in GIVES_UP
                self.judge(name, case, writes, usual, self.run(words, writes, made, case), bears)
        for call, errors in FATAL.items():
            for error in errors if self.full else errors[:1]:
                for number in self.numbers(name, called[call], call):
                    case = f"{call}:{error}:{number}"
                    self.judge(name, case, writes, usual, self.run(words, writes, made, case), False)
        megabytes = [2 ** i for i in range(5, 12)] if self.full else [64]
        for size in megabytes:
            seen = self.run(words, writes, made, limits=[(resource.RLIMIT_DATA, size << 20)])
            self.judge(name, f"{size} MiB of memory", writes, usual, seen, False)
        for size in [0, 1, 4096] if self.full else [1]:
            seen = self.run(words, writes, made, limits=[(resource.RLIMIT_FSIZE, size)])
            self.judge(name, f"files of {size} bytes", writes, usual, seen, False)
        if made:
            shutil.rmtree(made)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tactus", required=True)
    parser.add_argument("--interposer", required=True)
    parser.add_argument("--only", help="verbs, separated by commas")
    parser.add_argument("--full", action="store_true", default=os.environ.get("TACTUS_FULL") == "1")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    tester = Tester(arguments.tactus, arguments.interposer, arguments.full, arguments.verbose)
    only = arguments.only.split(",") if arguments.only else None
    for name, (words, writes, makes, code) in commands().items():
        if only is None or name.split()[0] in only:
            tester.verb(name, words, writes, makes, code)
    print(f"{tester.runs} runs with a fault: {tester.failures} failures")
    return 1 if tester.failures else 0


if __name__ == "__main__":
    sys.exit(main())
