#!/usr/bin/env python3
"""May the tier `channel` take copies off the GPU, too? Long absences, PyTorch, and the arbiter.

    bench/h200/copies_long.py PROGRAMS OUT

PROGRAMS: folder with tactusd, libtactus_client.so and libtactus_preload.so: a build folder. Needs PyTorch, torchvision
and the GPU to itself; takes about 7 minutes. OUT gets copies-long.json.

neighbour  an urgent program copies 16 MiB every 20 ms beside one that copies 512 MiB all the time: alone, shared by the
           driver, under the arbiter, and under the arbiter that takes copies off
long       copies (pinned and pageable), training (a loader that prefetches into pinned memory) and inference, each in a
           process of its own, taken off for 1, 10 and 30 s again and again; some are killed while they are off
short      the same for 1 to 20 ms, thousands of times
arbiter    the same as best-effort programs of an arbiter, beside an urgent one

Every byte that was copied is compared with what it should be, every loss, parameter and answer with that of a run that
nobody disturbed. The last line is the verdict; exit code 0: safe, 1: not safe, 2: a part is missing.
"""

import argparse
import collections
import ctypes
import faulthandler
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

PATIENCE = 60  # s, for work to go on again after it was put back: others may be in between
SETTLE = 0.3  # s, in which a program notices what was done before it was taken off


def quantiles(values, scale=1000.0):
    """p50, p99 and the longest."""
    values = sorted(values)
    if not values:
        return None
    return [round(values[int(part * (len(values) - 1))] * scale, 3) for part in (0.5, 0.99, 1)]


# What a program does. Each raises `steps` when the GPU has done something more, and `wrong` when it was not right.


class Work:
    steps = wrong = 0
    copying = end = False


class Copies(Work):
    """Parts of `size` MiB to the device and back, `count` of them behind each other, and every byte compared."""

    def __init__(self, torch, size, count, pinned):
        self.torch, self.count = torch, count
        words = (size << 20) // 8
        shape = (count, words)
        self.base = torch.arange(count * words, dtype=torch.int64).view(shape) * 0x9E3779B97F4A7C1
        self.into = torch.empty(shape, dtype=torch.int64, pin_memory=pinned)
        self.back = torch.empty(shape, dtype=torch.int64, pin_memory=pinned)
        self.device = torch.empty(shape, dtype=torch.int64, device="cuda")

    def run(self):
        turn = 0
        while not self.end:
            turn += 1
            self.torch.add(self.base, turn, out=self.into)
            self.back.zero_()
            self.copying = True
            for part in range(self.count):
                self.device[part].copy_(self.into[part], non_blocking=True)
                self.back[part].copy_(self.device[part], non_blocking=True)
            self.torch.cuda.synchronize()
            self.copying = False
            self.steps += 1
            self.wrong += 0 if self.torch.equal(self.into, self.back) else 1


class Inference(Work):
    """Frames to the device, a network, its answer back: in turn through pinned and pageable memory."""

    def __init__(self, torch):
        import torchvision

        self.torch = torch
        torch.manual_seed(1)
        self.network = torchvision.models.resnet50(num_classes=1000).cuda().half().eval()
        frames = [torch.randn(8, 3, 224, 224).half() for _ in range(8)]
        self.frames = frames + [frame.pin_memory() for frame in frames]
        self.pinned_answer = torch.empty(8, 1000, dtype=torch.float16, pin_memory=True)
        self.expected = [self.answer(frame) for frame in self.frames]
        self.wrong += sum(not torch.equal(self.answer(f), e) for f, e in zip(self.frames, self.expected))

    def answer(self, frame):
        self.copying = True
        with self.torch.no_grad():
            there = frame.to("cuda", non_blocking=True)
            answer = self.network(there)
            if frame.is_pinned():
                self.pinned_answer.copy_(answer, non_blocking=True)
                answer = self.pinned_answer
            else:
                answer = answer.cpu()
        came_back = there.cpu()  # waits
        self.torch.cuda.synchronize()
        self.copying = False
        self.wrong += 0 if self.torch.equal(came_back, frame) else 1
        return answer.clone()

    def run(self):
        while not self.end:
            for frame, expected in zip(self.frames, self.expected):
                self.wrong += 0 if self.torch.equal(self.answer(frame), expected) else 1
                self.steps += 1


class Frames:
    """A data set that is the same each time."""

    def __len__(self):
        return 64 * 24

    def __getitem__(self, index):
        import torch

        drawn = torch.Generator().manual_seed(index)
        return torch.rand(3, 96, 96, generator=drawn), index % 10


class Training(Work):
    """The first steps of a training, from the same beginning each time; a loader prefetches into pinned memory."""

    def __init__(self, torch):
        os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
        torch.use_deterministic_algorithms(True, warn_only=True)
        torch.backends.cudnn.benchmark = False
        self.torch = torch
        self.loader = torch.utils.data.DataLoader(
            Frames(), batch_size=64, num_workers=2, pin_memory=True, prefetch_factor=4, persistent_workers=True)
        self.expected = self.epoch()
        self.wrong += 0 if self.epoch() == self.expected else 1

    def network(self):
        """Without pooling, whose backward pass is not the same each time."""
        nn = self.torch.nn
        layers = []
        for before, after in ((3, 64), (64, 128), (128, 256), (256, 256)):
            layers += [nn.Conv2d(before, after, 3, stride=2, padding=1), nn.BatchNorm2d(after), nn.ReLU()]
        return nn.Sequential(*layers, nn.Flatten(), nn.Linear(256 * 6 * 6, 10)).cuda()

    def epoch(self):
        torch = self.torch
        torch.manual_seed(1)
        network = self.network()
        optimizer = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9)
        losses = []
        for frames, labels in self.loader:
            self.copying = True
            there = frames.to("cuda", non_blocking=True)
            loss = torch.nn.functional.cross_entropy(network(there), labels.to("cuda", non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            self.copying = False
            self.wrong += 0 if torch.equal(there.cpu(), frames) else 1
            self.steps += 1
        return losses, [value.cpu().numpy().tobytes() for value in network.state_dict().values()]

    def run(self):
        while not self.end:
            self.wrong += 0 if self.epoch() == self.expected else 1


def make(torch, name):
    kind, *rest = name.split(".")
    if kind == "copies":
        size, memory = int(rest[0]), rest[1]
        return Copies(torch, size, max(256 // size, 8), memory == "pinned")
    return {"inference": Inference, "training": Training}[kind](torch)


# Taken off and put back, from inside the process: the library's own functions, without an arbiter.


class Switch:
    def __init__(self):
        library = ctypes.CDLL(None)
        self.stop, self.resume = library.tactus_channel_stop, library.tactus_channel_resume

    def absences(self, work, lengths, until):
        drawn = random.Random(os.getpid())
        found = {"absences": {}, "in a copy": 0, "went on": 0, "did not come back": 0, "refused": 0}
        off, back, after = [], [], []
        count = collections.Counter()
        for length in lengths:
            if time.monotonic() + length > until:
                break
            waited = time.monotonic()
            while not work.copying and time.monotonic() < waited + 5:
                time.sleep(0.0002)
            time.sleep(drawn.random() * 0.01)
            begin = time.monotonic()
            channels = self.stop()
            off.append(time.monotonic() - begin)
            found["channels"] = channels
            if channels <= 0:
                found["refused"] += 1
            found["in a copy"] += 1 if work.copying else 0
            if length >= 1:
                time.sleep(SETTLE)
                before = work.steps
                time.sleep(length - SETTLE)
                found["went on"] += 1 if work.steps != before else 0
            else:
                time.sleep(length)
            seen = work.steps
            begin = time.monotonic()
            if self.resume() < 0:
                found["refused"] += 1
            back.append(time.monotonic() - begin)
            count[f"{length:g} s" if length >= 1 else "1 to 20 ms"] += 1
            if length < 1 and sum(count.values()) % 50:
                time.sleep(drawn.uniform(0.001, 0.01))
                continue
            while work.steps == seen and time.monotonic() < begin + PATIENCE:
                time.sleep(0.0005)
            after.append(time.monotonic() - begin)
            if work.steps == seen:
                found["did not come back"] += 1
                break
        found["absences"] = dict(count)
        found.update({"off ms": quantiles(off), "on ms": quantiles(back), "next step ms": quantiles(after)})
        return found


def worker(name, folder, plan, seconds):
    """A process with work. `plan`: lengths of absences, `short`, `die`, or `arbiter` (who then does it)."""
    faulthandler.dump_traceback_later(seconds + 120, exit=True)
    import torch

    torch.set_num_threads(2)
    work = make(torch, name)
    if work.wrong:
        print("not the same twice, without being disturbed", flush=True)
    found = {}
    until = time.monotonic() + seconds

    def disturb():
        try:
            drawn = random.Random(2)
            if plan == "arbiter":
                (folder / f"{os.getpid()}.ready").write_text(name)
                wait_for(folder / "end", seconds)
            elif plan == "die":
                while not work.copying:
                    time.sleep(0.0002)
                Switch().stop()
                time.sleep(2)
                os.kill(os.getpid(), signal.SIGKILL)
            elif plan == "short":
                lengths = (drawn.uniform(0.001, 0.02) for _ in range(1_000_000))
                found.update(Switch().absences(work, lengths, until))
            else:
                lengths = [float(text) for text in plan.split(",")]
                found.update(Switch().absences(work, lengths * 1000, until))
        except BaseException as problem:
            found["problem"] = repr(problem)
        work.end = True

    thread = threading.Thread(target=disturb, daemon=True)
    thread.start()
    try:
        work.run()
        thread.join()
    except Exception as problem:
        found["problem"] = repr(problem)
    found.update({"work": name, "steps": work.steps, "wrong": work.wrong})
    print("RESULT " + json.dumps(found), flush=True)


def wait_for(path, seconds):
    until = time.monotonic() + seconds
    while not path.exists() and time.monotonic() < until:
        time.sleep(0.01)


def stream(folder, seconds):
    """Copies of 512 MiB to the device all the time, four in flight; every 50th is compared."""
    import torch

    size = (512 << 20) // 8
    into = (torch.arange(size) * 0x9E3779B97F4A7C1).pin_memory()
    expected = into.cuda()
    device = [torch.empty_like(expected) for _ in range(4)]
    events = [torch.cuda.Event() for _ in range(4)]
    torch.cuda.synchronize()
    (folder / f"{os.getpid()}.ready").write_text("stream")
    until, copies, wrong = time.monotonic() + seconds, 0, 0
    while time.monotonic() < until and not (folder / "end").exists():
        slot = copies % 4
        events[slot].synchronize()
        if copies % 50 == 0:
            wrong += 0 if copies < 4 or torch.equal(device[slot], expected) else 1
            device[slot].zero_()
        device[slot].copy_(into, non_blocking=True)
        events[slot].record()
        copies += 1
    torch.cuda.synchronize()
    print("RESULT " + json.dumps({"work": "stream", "steps": copies, "wrong": wrong}), flush=True)


def urgent(folder, seconds, library, holds):
    """16 MiB to the device every 20 ms; a segment where there is an arbiter, every 300th as long as `holds` says."""
    import torch

    client = ctypes.CDLL(library) if library else None
    into = torch.arange((16 << 20) // 8).pin_memory()
    device = torch.empty_like(into, device="cuda")
    torch.cuda.synchronize()
    (folder / f"{os.getpid()}.ready").write_text("urgent")
    wait_for(folder / "begin", 120)
    begins, copies, states, segments = [], [], collections.Counter(), 0
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        release = time.monotonic()
        if client:
            states[client.tactus_segment_begin(1000)] += 1
        got = time.monotonic()
        device.copy_(into, non_blocking=True)
        torch.cuda.synchronize()
        copies.append(time.monotonic() - got)
        segments += 1
        if holds and segments % 300 == 0:
            time.sleep(holds[segments // 300 % len(holds)])
        if client:
            states[client.tactus_segment_end()] += 1
        begins.append(got - release)
        time.sleep(max(release + (0.004 if holds else 0.02) - time.monotonic(), 0.0005))
    result = {"work": "urgent", "steps": segments, "wrong": 0 if torch.equal(device.cpu(), into) else 1,
              "copy ms": quantiles(copies), "begin ms": quantiles(begins) if client else None,
              "told (0: alone on the GPU, 3: perhaps not)": states}
    print("RESULT " + json.dumps(result), flush=True)


# The parts.


class Xids(threading.Thread):
    """Errors that the driver reports of the GPU, its watchdogs' included."""

    def __init__(self):
        super().__init__(daemon=True)
        self.seen, self.watching = [], False
        try:
            self.nvml = ctypes.CDLL("libnvidia-ml.so.1")
            device, self.events = ctypes.c_void_p(), ctypes.c_void_p()
            steps = (lambda: self.nvml.nvmlInit_v2(),
                     lambda: self.nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(device)),
                     lambda: self.nvml.nvmlEventSetCreate(ctypes.byref(self.events)),
                     lambda: self.nvml.nvmlDeviceRegisterEvents(device, ctypes.c_ulonglong(8), self.events))
            self.watching = all(step() == 0 for step in steps)
        except (OSError, AttributeError) as problem:
            print("no NVML:", problem)
        if self.watching:
            self.start()

    class Data(ctypes.Structure):
        _fields_ = [("device", ctypes.c_void_p), ("type", ctypes.c_ulonglong), ("xid", ctypes.c_ulonglong),
                    ("instances", ctypes.c_uint * 2)]

    def run(self):
        while True:
            data = self.Data()
            if self.nvml.nvmlEventSetWait_v2(self.events, ctypes.byref(data), 1000) == 0:
                self.seen.append(data.xid)


class Bench:
    def __init__(self, programs, out):
        self.programs, self.out = pathlib.Path(programs).resolve(), out
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.record = {}
        self.problems, self.missing = [], []

    def file(self, name):
        return str(self.programs / name)

    def start(self, role, *arguments, copies=None, arbiter=False):
        """A process of this file, with the library unless `copies` is None."""
        environment = dict(os.environ, TACTUS_SOCKET=str(self.folder / "socket"), PYTHONUNBUFFERED="1", OMP_NUM_THREADS="2")
        if copies is not None:
            environment.update(LD_PRELOAD=self.file("libtactus_preload.so"), TACTUS_CHANNEL_COPIES=copies)
        if arbiter:
            environment.update(TACTUS_PRIORITY="best-effort", TACTUS_TIER="channel")
        return subprocess.Popen([sys.executable, __file__, "--role", role, "--folder", str(self.folder), *map(str, arguments)],
                                env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def ready(self, count):
        until = time.monotonic() + 90
        while len(list(self.folder.glob("*.ready"))) < count and time.monotonic() < until:
            time.sleep(0.05)

    def results(self, part, processes, seconds):
        found = []
        until = time.monotonic() + seconds
        for what, process in processes:
            try:
                text, _ = process.communicate(timeout=max(until - time.monotonic(), 1))
            except subprocess.TimeoutExpired:
                process.kill()
                text, _ = process.communicate()
                self.problems.append(f"{part}: {what} did not end")
            line = next((line for line in text.splitlines() if line.startswith("RESULT ")), None)
            for other in text.splitlines():
                if other != line and "Warning" not in other and other.strip():
                    print("   ", what, "|", other)
            if what == "urgent":
                (self.folder / "end").touch()
            if line is None:
                if what != "dies":
                    self.missing.append(f"{part}: {what} left no result (exit code {process.returncode})")
                continue
            result = json.loads(line[7:])
            found.append(result)
            for key in ("wrong", "went on", "did not come back", "refused", "problem"):
                if result.get(key):
                    self.problems.append(f"{part}: {what}: {key} {result[key]}")
            print(f"  {what}: " + ", ".join(f"{key} {value}" for key, value in result.items() if key != "work"), flush=True)
        self.record[part] = found
        return found

    def arbiter(self):
        process = subprocess.Popen([self.file("tactusd")], env=dict(os.environ, TACTUS_SOCKET=str(self.folder / "socket")))
        for _ in range(100):
            if (self.folder / "socket").exists():
                break
            time.sleep(0.02)
        return process

    def clear(self):
        for name in self.folder.glob("*"):
            name.unlink()

    def neighbour(self, name, beside, copies, arbiter, seconds=10):
        self.clear()
        daemon = self.arbiter() if arbiter else None
        others = [("stream", self.start("stream", "--seconds", seconds + 120, copies=copies, arbiter=arbiter))] if beside else []
        library = ["--library", self.file("libtactus_client.so")] if arbiter else []
        one = self.start("urgent", "--seconds", seconds, *library)
        self.ready(1 + len(others))
        (self.folder / "begin").touch()
        self.results(f"neighbour, {name}", [("urgent", one), *others], seconds + 60)
        if daemon:
            daemon.terminate()
            daemon.wait()

    def switched(self, part, plans, seconds):
        self.clear()
        processes = [(f"{name} ({plan})" if plan != "die" else "dies",
                      self.start("work", "--work", name, "--plan", plan, "--seconds", seconds, copies="yes"))
                     for name, plan in plans]
        self.results(part, processes, seconds + 120)

    def beside_arbiter(self, seconds):
        self.clear()
        daemon = self.arbiter()
        names = ["copies.4.pinned", "copies.64.pageable", "training", "inference"]
        processes = [(name, self.start("work", "--work", name, "--plan", "arbiter", "--seconds", seconds + 120, copies="yes",
                                       arbiter=True)) for name in names]
        one = self.start("urgent", "--seconds", seconds, "--library", self.file("libtactus_client.so"), "--holds", "0.05,1,0.2,3")
        self.ready(len(names) + 1)
        (self.folder / "begin").touch()
        self.results("arbiter", [("urgent", one), *processes], seconds + 90)
        daemon.terminate()
        daemon.wait()


def kernel_log():
    result = subprocess.run("dmesg", shell=True, capture_output=True, text=True)
    if result.returncode != 0:
        return None
    return [line for line in result.stdout.splitlines() if "NVRM" in line or "Xid" in line]


def bench(programs, out):
    run = Bench(programs, out)
    xids, before, began = Xids(), kernel_log(), time.monotonic()
    say = lambda text: print(f"== {text} ({time.monotonic() - began:.0f} s)", flush=True)
    say("machine")
    print(subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True).stdout.strip())
    say("neighbour: an urgent copy of 16 MiB; p50, p99, longest")
    run.neighbour("alone", False, None, False)
    run.neighbour("driver only", True, None, False)
    run.neighbour("arbiter", True, "no", True)
    run.neighbour("arbiter, copies off", True, "yes", True)
    say("long absences")
    run.switched("long", [
        ("copies.4.pinned", "1"), ("copies.64.pinned", "1"), ("copies.64.pageable", "1"),
        ("copies.4.pinned", "10"), ("copies.64.pinned", "10"), ("copies.256.pageable", "10"),
        ("copies.64.pinned", "30"), ("copies.4.pageable", "30"),
        ("training", "1,1,1,10,1,1,30"), ("inference", "1,1,1,10,1,1,30"),
        ("copies.64.pinned", "die"), ("copies.64.pageable", "die"), ("copies.4.pinned", "die"), ("training", "die")], 155)
    say("short absences")
    run.switched("short", [(name, "short") for name in (
        "copies.4.pinned", "copies.64.pageable", "training", "inference")], 60)
    say("under the arbiter")
    run.beside_arbiter(50)
    say("end")
    after = kernel_log()
    new = None if after is None else after[len(before or []):]
    print("lines of the driver in the kernel's log:", "not readable" if new is None else len(new), *(new or [])[:5])
    print("errors that the driver reported:", xids.seen if xids.watching else "not watched")
    if xids.seen:
        run.problems.append(f"the driver reported errors {xids.seen}")
    run.record["seconds"] = round(time.monotonic() - began)
    run.record["problems"], run.record["missing"] = run.problems, run.missing
    out.mkdir(parents=True, exist_ok=True)
    (out / "copies-long.json").write_text(json.dumps(run.record, indent=1))
    for text in run.problems + run.missing:
        print("  *", text)
    print("NOT SAFE" if run.problems else "NOT KNOWN: a part is missing" if run.missing else "SAFE: nothing wrong, nothing went on, all came back")
    return 1 if run.problems else 2 if run.missing else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="?")
    parser.add_argument("out", nargs="?", type=pathlib.Path)
    for name, kind in (("role", str), ("folder", pathlib.Path), ("work", str), ("plan", str), ("seconds", float), ("library", str), ("holds", str)):
        parser.add_argument("--" + name, type=kind, help=argparse.SUPPRESS)
    o = parser.parse_args()
    if o.role == "work":
        return worker(o.work, o.folder, o.plan, o.seconds)
    if o.role == "stream":
        return stream(o.folder, o.seconds)
    if o.role == "urgent":
        return urgent(o.folder, o.seconds, o.library, [float(text) for text in (o.holds or "").split(",") if text])
    if not (o.programs and o.out):
        parser.error("PROGRAMS and OUT are missing")
    return bench(o.programs, o.out)


if __name__ == "__main__":
    sys.exit(main())
