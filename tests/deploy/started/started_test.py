#!/usr/bin/env python3
"""Starts what `tactus deploy` writes, and asks the judge about the processes as they run.

    started_test.py TACTUS TACTUSD PRELOAD STAND_IN SOURCE

Plays systemd: reads the units (ExecStart, ExecStartPost, Environment, CPUAffinity, scheduling) and
starts them. Every method that can be deployed, with every tier: what was judged before the start must
be what `tactus doctor --running` sees afterwards. Without a GPU the tier channel is played by a
`tactus` that sets the variables of `tactus exec` and goes on as the command."""

import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TACTUS, TACTUSD, PRELOAD, STAND_IN, SOURCE = (pathlib.Path(a).resolve() for a in sys.argv[1:6])
PATIENCE_S = 60

# `tactus exec --tier channel` refuses a machine without a GPU, as it should.
PLAYED_EXEC = """#!/bin/sh
case "$*" in exec*"--tier channel"*) ;; *) exec {tactus} "$@" ;; esac
shift
while [ "$1" != -- ]; do
  case "$1" in --best-effort) export TACTUS_PRIORITY=best-effort ;; esac
  shift
done
shift
export LD_PRELOAD={preload} TACTUS_TIER=channel
exec "$@"
"""


def system(folder, gates):
    """Two users of the GPU and best effort on one core, the arbiter on the other. Each program finds its
    threshold in a file."""

    def task(name, nodes, command, **more):
        return {"name": name, "core": 1, "command": {"argv": command}, "nodes": nodes, **more}

    def gpu(wcet, threshold):
        node = {"name": "g", "on": "gpu", "wcet": wcet}
        return [{**node, "gpu_threshold": threshold} if gates else node]

    return {
        "tactus": 1,
        "name": "started",
        "platform": {
            "elements": [
                {"name": "cpu", "kind": "cpu", "units": 2},
                {"name": "gpu", "kind": "gpu", "units": 4, "runlist_update": 0.1, "arbiter_core": 2,
                 "context_switch": 0.1, "time_slice": 1, "preemption_delay": 4},
            ]
        },
        "tasks": [
            task("high", gpu(5, 3), [str(STAND_IN), f"{folder}/high"], priority=3, period=200),
            task("low", gpu(4, 2), [str(STAND_IN), f"{folder}/low"], priority=2, period=400),
            task("motor", [{"name": "c", "on": "cpu", "wcet": 1}], ["/bin/sleep", "1000"],
                 priority=9, period=100),
            task("logger", [{"name": "g", "on": "gpu", "wcet": 4}], [str(STAND_IN)],
                 best_effort=True),
        ],
    }


class Unit:
    """A service: what is needed of systemd's keys."""

    def __init__(self, path):
        self.path = path
        self.keys = {}
        for line in path.read_text().splitlines():
            if "=" in line and not line.startswith("#"):
                key, value = line.split("=", 1)
                self.keys.setdefault(key, []).append(value.replace("%%", "%"))

    def one(self, key):
        return self.keys.get(key, [None])[0]

    def command(self, key):
        text = self.one(key)
        return shlex.split(text.removeprefix(":")) if text else None

    def start(self):
        environment = {"PATH": os.environ["PATH"]}
        for value in self.keys.get("Environment", []):
            name, text = shlex.split(value)[0].split("=", 1)
            environment[name] = text
        cpu, priority = self.one("CPUAffinity"), self.one("CPUSchedulingPriority")

        def place():
            os.setsid()
            if cpu is not None:
                os.sched_setaffinity(0, {int(cpu)})
            if priority is not None:
                os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(int(priority)))

        process = subprocess.Popen(self.command("ExecStart"), env=environment, preexec_fn=place,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        after = self.command("ExecStartPost")
        if after is not None:
            subprocess.run(after, check=True, timeout=PATIENCE_S)
        return process


class Started:
    """All units of a folder, the arbiter first; ended with the block."""

    def __init__(self, folder):
        units = sorted(folder.glob("*.service"), key=lambda p: not p.stem.endswith("-arbiter"))
        self.units = [Unit(path) for path in units]
        self.processes = []

    def __enter__(self):
        for unit in self.units:
            self.processes.append(unit.start())
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            try:
                os.killpg(process.pid, signal.SIGTERM)
                process.wait(timeout=5)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                pass
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
            process.stderr.close()


def tactus(*words):
    return subprocess.run([TACTUS, *map(str, words)], capture_output=True, text=True, check=False,
                          timeout=PATIENCE_S * 4)


def start_conditions(document):
    return {c["id"]: c for c in document["conditions"] if c["whose"] != "machine"}


def may_be_real_time():
    return subprocess.run(["chrt", "-f", "1", "true"], capture_output=True, check=False).returncode == 0


class Place:
    """A folder with a `tactus` that plays the tier channel, and a system."""

    def __init__(self, folder):
        self.folder = folder
        self.programs = folder / "programs"
        self.programs.mkdir()
        played = self.programs / "tactus"
        played.write_text(PLAYED_EXEC.format(tactus=TACTUS, preload=PRELOAD))
        played.chmod(0o755)
        (self.programs / "tactusd").symlink_to(TACTUSD)
        cpus = sorted(os.sched_getaffinity(0))[:2]
        self.how = ["--cpus", ",".join(map(str, cpus)), "--programs", str(self.programs)]
        if not may_be_real_time():
            self.how.append("--no-realtime")

    def options_of_doctor(self, tier):
        words = [w for w in self.how if w not in ("--programs", str(self.programs))]
        return ["--tier", tier, *words]

    def deploy(self, file, plan, socket, tier):
        """The folder, what the judge said before the start, and what had to be accepted."""
        out = self.folder / "out"
        words = ["deploy", file, "--plan", plan, "-o", out, "--replace", "--socket", socket,
                 "--tier", tier, "--json", *self.how]
        ran = tactus(*words)
        assert ran.returncode in (0, 1), ran.stderr
        refused = [c["id"] for c in json.loads(ran.stdout)["conditions"] if c["holds"] == "no"]
        assert (ran.returncode == 1) == bool(refused), (ran.returncode, refused)
        if refused:
            ran = tactus(*words, *[w for one in refused for w in ("--accept", one)])
            assert ran.returncode == 0, ran.stderr
        return out, start_conditions(json.loads(ran.stdout)), refused


def differences(planned, seen, tier):
    """What runs otherwise than was judged before the start: (condition, before, now)."""
    for one in sorted(planned.keys() | seen.keys()):
        before = planned.get(one, {}).get("holds", "absent")
        now = seen.get(one, {}).get("holds", "absent")
        # Nobody sees a program's code before it runs; and without a GPU no program without
        # segments joins under the tier channel.
        learnt = (before, now) == ("not known", "yes")
        hidden = tier == "channel" and one in ("best-effort", "gpu-priority", "leaves") \
            and (before, now) == ("yes", "not known")
        if before != now and not learnt and not hidden:
            yield one, before, now, planned.get(one), seen.get(one)


def seen_running(place, file, plan, socket, tier, planned):
    """What doctor says when every task that joins an arbiter has joined it."""
    until = time.monotonic() + PATIENCE_S
    while True:
        ran = tactus("doctor", file, "--plan", plan, "--running", "--socket", socket, "--json",
                     *place.options_of_doctor(tier))
        assert ran.returncode in (0, 1, 3), ran.stderr
        seen = start_conditions(json.loads(ran.stdout))
        joined = seen.get("segments", {}).get("holds") != "not known"
        if joined and not list(differences(planned, seen, tier)) or time.monotonic() > until:
            return seen
        time.sleep(0.1)


def check(place, method, variant, tier, gates):
    file, plan = place.folder / "s.json", place.folder / "p.json"
    # Under /tmp: the path of a socket must be short.
    socket = place.folder / "run" / "s"
    socket.parent.mkdir(exist_ok=True)
    socket.parent.chmod(0o700)
    file.write_text(json.dumps(system(place.folder, gates)))
    made = tactus("plan", file, "--method", method, "--variant", variant, "-o", plan)
    if made.returncode != 0:
        return f"no plan: {made.stderr.strip()}"
    for task, (threshold,) in json.loads(plan.read_text()).get("gpu_thresholds", {}).items():
        (place.folder / task).write_text(str(threshold))
    out, planned, refused = place.deploy(file, plan, socket, tier)
    with Started(out) as started:
        seen = seen_running(place, file, plan, socket, tier, planned)
        for process, unit in zip(started.processes, started.units):
            assert process.poll() is None, (unit.path.name, process.stderr.read().decode())
        if refused and (out / "tactus-started-arbiter.service").exists():
            top = tactus("top", "--once", "--socket", socket).stdout
            assert "Waived: " in top, top
    found = list(differences(planned, seen, tier))
    assert not found, (method, tier, found)
    assert seen.get("segments", {}).get("holds") != "not known", (method, tier, seen)
    return f"{len(planned)} conditions, refused: {', '.join(refused) or 'none'}"


def check_players(place):
    """Plans that one program plays, on the emulator."""
    count = 0
    methods = json.loads(tactus("methods", "--json").stdout)["methods"]
    examples = sorted((SOURCE / "examples").glob("*.system.json"))
    for method in methods:
        if method.get("run_by") not in ("partitions", "table"):
            continue
        plan, out = place.folder / "p.json", place.folder / "player"
        for example in examples:
            made = tactus("plan", example, "--method", method["id"], "-o", plan)
            if made.returncode == 0 and plan.exists():
                break
        else:
            continue
        ran = tactus("deploy", example, "--plan", plan, "-o", out, "--replace", "--backend",
                     "emulator", "--no-realtime", "--accept", "real-gpu")
        assert ran.returncode == 0, ran.stderr
        (unit,) = [Unit(path) for path in out.glob("*.service")]
        process = unit.start()
        code = process.wait(timeout=PATIENCE_S * 4)
        assert code in (0, 1), (method["id"], example, process.stderr.read().decode())
        process.stderr.close()
        plan.unlink()
        count += 1
        print(f"{method['id']}: played on the emulator", flush=True)
    assert count >= 4, count


def main():
    if len(os.sched_getaffinity(0)) < 2:
        print("needs two CPUs")
        return 77
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tactus-started-", dir="/tmp"))
    try:
        place = Place(folder)
        count = 0
        for method in json.loads(tactus("methods", "--json").stdout)["methods"]:
            if method.get("run_by") not in ("tactusd", "driver"):
                continue
            tiers = ("gate", "channel", "process") if method["run_by"] == "tactusd" else ("gate",)
            gates = ".boost." in method["id"] and not method["id"].endswith(".prio")
            for tier in tiers:
                said = check(place, method["id"], method["run_variant"], tier, gates)
                print(f"{method['id']}, tier {tier}: {said}", flush=True)
                count += not said.startswith("no plan")
        assert count >= 20, count
        check_players(place)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
