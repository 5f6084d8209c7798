#!/usr/bin/env python3
"""Networks that reserve the GPU one after the other, beside a training that knows nothing of it: each is
a process of its own, `tactus exec --period`. A fifth asks for too much and runs as best effort; a sixth
is admitted and then takes ten times its time.

    bench/torch/reserved.py OUT --programs build [--seconds 60] [--costs 0.3,1.2,0.8]

PROGRAMS is a build folder. COSTS of the GPU, in ms: start, off, on. Writes OUT/reserved.json and OUT/reserved.md:
the responses of each program, beside what it was told; OUT/answers.txt: what each was told; and OUT/arbiter.log.
--stand-in: no GPU and no PyTorch; segments only take time (with --prefix, what is put before `tactus exec`).
"""

import argparse
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "h200"), str(HERE), str(HERE.parent.parent / "python")]

#: Name, network, period in ms, GPU time of the stand-in in ms.
TASKS = [
    ("grip", "mobilenet_v3_large", 20, 0.5),
    ("front", "resnet50", 33, 1),
    ("rear", "resnet50", 40, 1),
    ("scene", "vit_b_16", 66, 2),
]
LIAR = ("liar", "mobilenet_v3_large", 100, 0.5)
FIFTH = ("fifth", "resnet50", 33, 1.5)
LAUNCH, CPU = 0.6, 0.4  # ms


def say(*words):
    print(f"[{time.strftime('%T')}]", *words, flush=True)


class Network:
    """On the GPU; `same` compares a result bit by bit with the first one."""

    def __init__(self, kind, seed):
        import torch

        import networks
        import tactus.torch as tt

        self.torch = torch
        torch.set_num_threads(1)
        frame = networks.frame(seed).cuda()
        self.captured = tt.capture(networks.network(kind, seed), frame)
        self.expected = self.captured(frame).cpu()
        self.stream = torch.cuda.Stream()
        torch.cuda.synchronize()

    def alone(self):
        longest = 0
        for _ in range(300):
            begin = time.monotonic()
            self.captured.replay()
            self.torch.cuda.synchronize()
            longest = max(longest, time.monotonic() - begin)
        return longest * 1000

    def segment(self, times):
        import tactus

        with tactus.segment(1, stream=self.stream):
            with self.torch.cuda.stream(self.stream):
                for _ in range(times):
                    self.captured.replay()

    def same(self):
        return self.torch.equal(self.captured.outputs.cpu(), self.expected)


class StandIn:
    def __init__(self, ms):
        self.ms = ms

    def alone(self):
        return self.ms

    def segment(self, times):
        import tactus

        with tactus.segment(1, threshold=1):
            time.sleep(self.ms * times / 1000)

    def same(self):
        return True


def work_of(name, stand_in):
    seed, (_, kind, period, ms) = next(
        (k, task) for k, task in enumerate([*TASKS, LIAR, FIFTH]) if task[0] == name)
    return (StandIn(ms) if stand_in else Network(kind, seed)), period / 1000


def wait_for(path, seconds, process=None):
    until = time.monotonic() + seconds
    while not path.exists():
        if time.monotonic() > until or (process is not None and process.poll() is not None):
            raise RuntimeError(f"{path.name} did not come")
        time.sleep(0.01)


def client(name, folder, seconds, stand_in):
    """A job every period; the liar takes ten times its time in the second half."""
    import tactus
    import tactus._reservations as reservations

    work, step = work_of(name, stand_in)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
    except OSError:
        pass
    (folder / f"{name}.ready").write_text("1")
    wait_for(folder / "begin", 300)
    begin = float((folder / "begin").read_text())
    jobs, wrong = [], 0
    for job in range(int(seconds / step)):
        release = begin + job * step
        time.sleep(max(release - time.monotonic(), 0))
        woken = time.monotonic()
        with tactus.job(int(release * 1e9)):
            work.segment(10 if name == "liar" and job * step > seconds / 2 else 1)
        jobs.append(((time.monotonic() - release) * 1000, (woken - release) * 1000))
        wrong += 0 if job % 20 or work.same() else 1
    (folder / f"{name}.json").write_text(
        json.dumps({"jobs": jobs, "wrong": wrong, "demotions": int(reservations._client().tactus_demotions())}))


def training(folder, seconds, stand_in):
    if not stand_in:
        import torch

        import networks
        import tactus.torch as tt

        train = tt.capture(networks.training_step()[0], grad=True)
        torch.cuda.synchronize()
    (folder / "train.ready").write_text("1")
    steps, end = 0, None
    while end is None or time.monotonic() < end:
        if end is None and (folder / "begin").exists():
            end, steps = float((folder / "begin").read_text()) + seconds, 0
        if stand_in:
            time.sleep(0.01)
        else:
            train.replay()
            torch.cuda.synchronize()
        steps += 1
    (folder / "train.json").write_text(json.dumps({"steps_per_s": steps / seconds}))


def quantile(values, part):
    ordered = sorted(values)
    return ordered[min(int(part * len(ordered)), len(ordered) - 1)]


class Run:
    def __init__(self, arguments):
        self.out, self.seconds, self.stand_in = arguments.out, arguments.seconds, arguments.stand_in
        self.programs, self.prefix = arguments.programs, shlex.split(arguments.prefix)
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.socket = self.folder / "arbiter" / "socket"
        self.socket.parent.mkdir(mode=0o700)
        self.environment = dict(
            os.environ, TACTUS_SOCKET=str(self.socket), PYTHONUNBUFFERED="1",
            TACTUS_LIBRARY=str(self.programs / "libtactus.so"),
            TACTUS_CLIENT_LIBRARY=str(self.programs / "libtactus_client.so"),
            LD_LIBRARY_PATH=f"{self.programs}:{os.environ.get('LD_LIBRARY_PATH', '')}")  # fmt: skip
        start, off, on = arguments.costs.split(",")
        (self.out / "machine.json").write_text(json.dumps({
            "tactus": 1, "name": "reserved", "time_unit": "ms", "tasks": [],
            "platform": {"elements": [
                {"name": "cpu", "kind": "cpu", "units": max((os.cpu_count() or 8) - 1, 7)},
                {"name": "gpu", "kind": "gpu", "units": 1, "start_cost": float(start),
                 "preempt_cost": float(off), "resume_cost": float(on)}]}}))  # fmt: skip
        self.running = {}

    def me(self, *words):
        stand_in = ["--stand-in"] if self.stand_in else []
        return [sys.executable, str(pathlib.Path(__file__).resolve()), "--folder", str(self.folder),
                "--seconds", str(self.seconds), *stand_in, *words]  # fmt: skip

    def tactus(self, *words):
        told = subprocess.run([str(self.programs / "tactus"), *words], env=self.environment,
                              capture_output=True, text=True, timeout=60)  # fmt: skip
        return told.stdout + told.stderr

    def start_arbiter(self):
        """As alone and as urgent as this machine lets it be."""
        cpus = os.cpu_count() or 2
        lonely = ["--cpu", str(cpus - 1), "--spin", "20"] if cpus > 4 else []
        for more in ([*lonely, "--realtime", "90"], lonely):
            self.arbiter = subprocess.Popen(
                [str(self.programs / "tactusd"), "--protocol", "boost", "--admit", str(self.out / "machine.json"),
                 "--notice", "0.3", "--log", str(self.out / "arbiter.log"), *more], env=self.environment)  # fmt: skip
            try:
                wait_for(self.socket, 10, self.arbiter)
                time.sleep(0.5)  # it listens before it takes its priority
                if self.arbiter.poll() is None:
                    return say("the arbiter runs with", *more)
            except RuntimeError:
                say("the arbiter does not run with", *more)
            self.arbiter.wait()
        raise RuntimeError("there is no arbiter")

    def alone(self, name):
        told = subprocess.run(self.me("--alone", name), env=self.environment, capture_output=True, text=True, timeout=200)
        if told.returncode != 0:
            raise RuntimeError(told.stderr[-500:])
        return round(float(told.stdout.split()[-1]) * 1.3 + 0.3, 2)

    def begin(self, name, options, *words):
        with open(self.out / f"{name}.txt", "w") as said:
            self.running[name] = subprocess.Popen(
                [*self.prefix, str(self.programs / "tactus"), "exec", *options, "--", *self.me(*words)],
                env=self.environment, stdout=said, stderr=subprocess.STDOUT)  # fmt: skip
        wait_for(self.folder / f"{name}.ready", 240, self.running[name])

    def reserve(self, name, period, gpu, *more):
        self.begin(name, ["--period", str(period), "--gpu-time", str(gpu), "--launch-time", str(LAUNCH),
                          "--cpu-time", str(CPU), "--name", name, "--declared", "--until-started", *more],
                   "--client", name)  # fmt: skip
        self.tactus("reserve", "--start", name)
        answer = next((line for line in (self.out / f"{name}.txt").read_text().splitlines()
                       if "admitted" in line or "refused" in line), "no answer")  # fmt: skip
        say(f"{name}: asked {gpu} of {period} ms: {answer}")
        with open(self.out / "answers.txt", "a") as answers:
            answers.write(f"{name}: asked {gpu} of {period} ms\n{answer}\n")

    def all(self):
        needs = {task[0]: self.alone(task[0]) for task in [*TASKS, LIAR]}
        say("GPU times asked for:", needs)
        self.start_arbiter()
        self.begin("train", ["--best-effort", "--tier", "channel", "--required"], "--train")
        for name, _, period, _ in [*TASKS, LIAR]:
            self.reserve(name, period, needs[name])
        self.reserve(FIFTH[0], FIFTH[2], 28, "--else-best-effort")
        before = json.loads(self.tactus("reserve", "--list", "--json"))
        (self.folder / "begin.new").write_text(str(time.monotonic() + 1))
        (self.folder / "begin.new").rename(self.folder / "begin")
        time.sleep(self.seconds)
        after = self.tactus("reserve", "--list", "--json")
        for process in self.running.values():
            process.wait(timeout=60)
        found = {"seconds": self.seconds, "asked": needs, "before": before, "tasks": {}}
        try:
            found["after"] = json.loads(after)
        except ValueError:
            found["after"] = after
        for name in self.running:
            path = self.folder / f"{name}.json"
            found["tasks"][name] = json.loads(path.read_text()) if path.exists() else {}
        found["costs"] = self.tactus("top", "--costs")
        return found

    def end(self):
        for process in [*self.running.values(), getattr(self, "arbiter", None)]:
            if process is not None and process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(timeout=10)
                except subprocess.TimeoutExpired:
                    process.kill()


def report(found, out):
    from tables import number, table

    bounds = {one["task"]: one for one in found["before"]["reservations"]}
    rows = []
    for name, seen in found["tasks"].items():
        if "jobs" not in seen:
            continue
        one = bounds.get(name)
        all_ = [response for response, _ in seen["jobs"]]
        over = lambda limit: sum(1 for value in all_ if value > limit) if one else "-"  # noqa: E731
        rows.append([name, len(all_), number(quantile(all_, 0.5), 2), number(quantile(all_, 0.99), 2),
                     number(max(all_), 2), number(max(woken for _, woken in seen["jobs"]), 2),
                     number(one["bound"], 2) if one else "best effort", over(one["bound"]) if one else "-",
                     over(one["deadline"]) if one else "-", seen["demotions"], seen["wrong"]])  # fmt: skip
    with open(out / "reserved.md", "w") as page:
        kept, sys.stdout = sys.stdout, page
        table(["program", "jobs", "p50", "p99", "max", "latest wake-up", "bound told", "over it", "over the deadline",
               "demotions", "wrong"], rows)  # fmt: skip
        steps = found["tasks"].get("train", {}).get("steps_per_s")
        print(f"\nTraining: {steps:.2f} steps/s. Times in ms.\n" if steps else "\nTimes in ms.\n")
        print(found["costs"])
        sys.stdout = kept
    print((out / "reserved.md").read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", nargs="?", type=pathlib.Path)
    parser.add_argument("--programs", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--costs", default="0.3,1.2,0.8")
    parser.add_argument("--prefix", default="")
    parser.add_argument("--stand-in", action="store_true")
    parser.add_argument("--client")
    parser.add_argument("--alone")
    parser.add_argument("--train", action="store_true")
    parser.add_argument("--folder", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.alone:
        return print(work_of(arguments.alone, arguments.stand_in)[0].alone())
    if arguments.client:
        return client(arguments.client, arguments.folder, arguments.seconds, arguments.stand_in)
    if arguments.train:
        return training(arguments.folder, arguments.seconds, arguments.stand_in)
    if arguments.out is None or arguments.programs is None:
        parser.error("OUT and --programs are needed")
    arguments.out.mkdir(parents=True, exist_ok=True)
    run = Run(arguments)
    try:
        found = run.all()
        (arguments.out / "reserved.json").write_text(json.dumps(found) + "\n")
        report(found, arguments.out)
    finally:
        run.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
