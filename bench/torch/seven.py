#!/usr/bin/env python3
"""Seven networks with deadlines and a training loop in one session, as an inference engineer would use it.

    bench/torch/seven.py OUT PART... [--seconds 60] [--runs 50] [--units 8,16] [--backend driver]

plan       measures, plans, and runs everything for SECONDS beside the training: bounds against what was seen
streams    the same networks on plain streams and on streams with priorities, 12 s each
finer      the plan with the fewest SMs, for 10 s: what it leaves to the training
overload   a network that takes 30 times its time for 2 s, by each `on_overrun`
arrival    jobs that start when their input comes, awaited
kept       a second start from the kept measurement; a saved plan with another network
threads    what a function on a core of its own takes: an argmax of 0.5 M halves
samples    times of single replays, alone, for the tail of their distribution (OUT/samples-*.npz)

A part that fails does not stop the others. OUT/seven.json has what was found. `--backend cpu` is a rehearsal without
a GPU. Needs PyTorch; CuPy is used if it is there.
"""

import argparse
import asyncio
import copy
import json
import os
import pathlib
import sys
import threading
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "python")]

import torch  # noqa: E402

import tactus  # noqa: E402
import tactus.torch as tt  # noqa: E402

nn = torch.nn
SMALL = False  #: sizes for a rehearsal
DEVICE = "cuda"
#: Name, period in ms, priority; the networks are made below.
PERIODS = {"control": 5, "decode": 10, "mixer": 20, "seg": 33, "amp": 40, "lstm": 50, "vol": 100}
TASKS = [(name, name, f"{period} ms", 7 - place) for place, (name, period) in enumerate(PERIODS.items())]


def say(*words):
    print(f"[{time.strftime('%T')}]", *words, flush=True)


def half(module):
    return module.half() if DEVICE == "cuda" else module


def type_of(kind):
    return kind if DEVICE == "cuda" else torch.float32


class UNet(nn.Module):
    def __init__(self, width=8 if SMALL else 32):
        super().__init__()
        conv = lambda a, b: nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU())
        self.down = nn.ModuleList(conv(3 if i == 0 else width << (i - 1), width << i) for i in range(4))
        self.up = nn.ModuleList(conv((width << i) * 3, width << i) for i in reversed(range(3)))
        self.head = nn.Conv2d(width, 8, 1)

    def forward(self, x):
        kept = []
        for stage in self.down:
            kept.append(x := stage(x))
            x = nn.functional.max_pool2d(x, 2)
        x = kept.pop()
        for stage in self.up:
            x = nn.functional.interpolate(x, scale_factor=2)
            x = stage(torch.cat([x, kept.pop()], 1))
        return self.head(x)


class Decode(nn.Module):
    """A step of a decoder with a KV cache: writes one place of it, and attends to all."""

    def __init__(self, width=512, heads=8, layers=6, length=256):
        super().__init__()
        self.heads, self.layers = heads, layers
        self.qkv = nn.ModuleList(nn.Linear(width, 3 * width) for _ in range(layers))
        self.out = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.mlp = nn.ModuleList(nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
                                 for _ in range(layers))  # fmt: skip
        self.register_buffer("cache", torch.zeros(layers, 2, heads, length, width // heads))
        self.register_buffer("place", torch.tensor([17]))

    def forward(self, x):
        for i in range(self.layers):
            q, k, v = self.qkv[i](x).view(1, 3, self.heads, -1).unbind(1)
            self.cache[i, 0].index_copy_(1, self.place, k.transpose(0, 1))
            self.cache[i, 1].index_copy_(1, self.place, v.transpose(0, 1))
            score = (q.transpose(0, 1) @ self.cache[i, 0].transpose(1, 2)) * 0.1
            seen = torch.softmax(score.float(), -1).to(x.dtype) @ self.cache[i, 1]
            x = x + self.out[i](seen.transpose(0, 1).reshape(1, -1))
            x = x + self.mlp[i](x)
        return x


class Amp(nn.Module):
    def __init__(self, width=256, layers=4):
        super().__init__()
        layer = nn.TransformerEncoderLayer(width, 8, 4 * width, batch_first=True, dropout=0.0)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)

    def forward(self, x):
        with torch.autocast(DEVICE, dtype=torch.bfloat16):
            return self.encoder(x)


def make(name):
    """A network and an input."""
    torch.manual_seed(sum(map(ord, name)))
    if name == "control":
        net = nn.Sequential(*(nn.Sequential(nn.Linear(128, 128), nn.Tanh()) for _ in range(3)))
        return half(net), torch.randn(1, 128).to(type_of(torch.float16))
    if name == "decode":
        return Decode().to(type_of(torch.bfloat16)), torch.randn(1, 512).to(type_of(torch.bfloat16))
    if name == "mixer":
        net = half(nn.Sequential(*(nn.Sequential(nn.LayerNorm(512), nn.Linear(512, 1024), nn.GELU(), nn.Linear(1024, 512))
                                   for _ in range(8)))).to(DEVICE).eval()  # fmt: skip
        compiled = torch.compile(net) if DEVICE == "cuda" else net
        return compiled, torch.randn(196, 512).to(type_of(torch.float16))
    if name == "seg":
        size = 64 if SMALL else 256
        net = half(UNet()).to(memory_format=torch.channels_last)
        return net, torch.randn(1, 3, size, size).to(type_of(torch.float16))
    if name == "amp":
        return Amp(), torch.randn(1, 128, 256)
    if name == "lstm":
        lstm = half(nn.LSTM(128, 256, 2, batch_first=True))
        class Last(nn.Module):
            def __init__(self):
                super().__init__()
                self.lstm = lstm
            def forward(self, x):
                return self.lstm(x)[0][:, -1]
        return Last(), torch.randn(1, 64, 128).to(type_of(torch.float16))
    net = half(nn.Sequential(nn.Conv3d(1, 16, 3, padding=1), nn.ReLU(), nn.Conv3d(16, 16, 3, padding=1), nn.ReLU(),
                             nn.Conv3d(16, 2, 3, padding=1)))  # fmt: skip
    size = 16 if SMALL else 48
    return net, torch.randn(1, 1, size, size, size).to(type_of(torch.float16))


def training():
    """A whole training step: an MLP in bf16 with AdamW."""
    torch.manual_seed(7)
    width = 64 if SMALL else 2048
    model = nn.Sequential(*(nn.Sequential(nn.Linear(width, width), nn.GELU()) for _ in range(4))).to(DEVICE)
    more = dict(fused=True, capturable=True) if DEVICE == "cuda" else {}
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, **more)
    x = torch.randn(16 if SMALL else 2048, width, device=DEVICE)

    def step():
        optimizer.zero_grad(set_to_none=False)
        with torch.autocast(DEVICE, dtype=torch.bfloat16):
            loss = model(x).float().square().mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def cupy_work():
    """A function for `gpu_stream`; None without CuPy."""
    try:
        import cupy
    except ImportError:
        return None
    data = cupy.ones(1 << 20, dtype=cupy.float32)

    def enqueue(stream):
        with cupy.cuda.ExternalStream(stream.cuda_stream):
            cupy.multiply(data, 1.0001, out=data)

    return enqueue


def times_of(values):
    values = sorted(values)
    at = lambda part: round(values[min(int(part * len(values)), len(values) - 1)], 4)
    return {"jobs": len(values), "p50": at(0.5), "p99": at(0.99), "max": round(values[-1], 4)}


def table(title, rows):
    """One line per row, so that a log shows it all."""
    print(f"\n-- {title}")
    if not rows:
        return
    keys = list(dict.fromkeys(key for row in rows for key in row))
    cells = [keys] + [[str(row.get(key, "-")) for key in keys] for row in rows]
    widths = [max(len(line[i]) for line in cells) for i in range(len(keys))]
    for line in cells:
        print("  ".join(f"{cell:>{width}}" for cell, width in zip(line, widths)))
    sys.stdout.flush()


class Seven:
    def __init__(self, arguments):
        self.arguments, self.out = arguments, arguments.out
        self.found = {}
        self.session = self.advice = None
        self.nets, self.frames, self.expected = {}, {}, {}
        few = {"control", "decode", "amp"}  # enough for these parts
        needs_all = not arguments.parts or set(arguments.parts) & {"plan", "finer", "streams", "kept"}
        for name in PERIODS:
            if not needs_all and name not in few:
                continue
            try:
                net, frame = make(name)
                self.nets[name], self.frames[name] = net.to(DEVICE).eval(), frame
                with torch.no_grad():
                    for _ in range(3):
                        made = self.nets[name](frame.to(DEVICE))
                    self.expected[name] = made.cpu()
            except Exception as error:
                say(f"{name} FAILED: {type(error).__name__}: {error}")
                self.nets.pop(name, None)
        say("networks:", ", ".join(self.nets))

    # -- the session

    def measured(self):
        """The session with everything, measured and planned; once."""
        if self.advice is not None:
            return
        a = self.arguments
        session = tt.Session(name="seven", backend=a.backend, sms=132)
        for name, _, period, priority in TASKS:
            if name not in self.nets:
                continue
            try:
                task = session.task(name, period, priority=priority)
                task.gpu("net", self.nets[name], self.frames[name].to(DEVICE))
            except Exception as error:
                session._tasks.pop(name, None)
                say(f"{name} is left out: {error}")
        enqueue = cupy_work()
        if enqueue is not None:
            try:
                session.task("cupy", "20 ms").gpu_stream("scale", enqueue)
            except Exception as error:
                session._tasks.pop("cupy", None)
                say(f"cupy is left out: {error}")
        session.best_effort("train", training(), sms=8 if SMALL else 16)
        begin = time.monotonic()
        session.measure(units=a.units, runs=a.runs, pairs=False, margin=a.margin, noisy_ok=True, progress=False,
                        cache=self.out / "kept")  # fmt: skip
        took = time.monotonic() - begin
        say(f"measured in {took:.1f} s")
        begin = time.monotonic()
        self.session = session
        self.advice = session.advise(stop_after=10, progress=False)
        say(f"advised in {time.monotonic() - begin:.1f} s")
        print(self.advice, flush=True)
        self.advice.system.save(self.out / "seven.system.json")
        self.advice.plan.save(self.out / "seven.plan.json")
        (self.out / "measurement.json").write_text(json.dumps(session.measurement.document, default=float))
        self.found["measured_s"] = took

    def run_plan(self, plan, seconds, title):
        """Beside the training, comparing outputs."""
        names = [name for name in self.nets if name in self.session._tasks]
        wrong, compared = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
        waits = {name: [] for name in names}
        stop = threading.Event()

        def compare(running):
            while not stop.is_set():
                for name in names:
                    running.inputs(name).put(self.frames[name])
                    made = running.outputs(name).get(timeout=10)
                    compared[name] += 1
                    wrong[name] += not torch.equal(made.value, self.expected[name])
                    if made.response is not None:
                        waits[name].append(made.response * 1000)
                time.sleep(0.02)

        with self.session.run(plan, end_within="10 s") as running:
            thread = threading.Thread(target=compare, args=(running,))
            thread.start()
            live = []
            end = time.monotonic() + seconds
            while time.monotonic() < end and not running.done:
                time.sleep(min(5, max(end - time.monotonic(), 0)))
                live.append(repr(running))
            stop.set()
            thread.join(30)
            begin = time.monotonic()
        ended = time.monotonic() - begin
        report = running.report()
        print("live:", live[0] if live else "-")
        rows = []
        for task in report.document["tasks"]:
            seen = task.get("response") or {}
            row = {"task": task["task"], "jobs": task["jobs"], "p50": seen.get("p50"), "p99": seen.get("p99"),
                   "max": task["longest"], "bound": task.get("bound"), "misses": task["misses"]}  # fmt: skip
            if task["task"] in wrong:
                row["wrong"] = f"{wrong[task['task']]}/{compared[task['task']]}"
                row["put to end p99"] = times_of(waits[task["task"]])["p99"] if waits[task["task"]] else "-"
            rows.append({key: round(value, 3) if isinstance(value, float) else value for key, value in row.items()})
        rate = next((t["jobs"] for t in report.document["tasks"] if t["task"] == "train"), 0) / (report.end / 1000)
        table(f"{title}: {'as proved' if report.good else 'NOT as proved'}, training {rate:.1f} steps/s, "
              f"the scope's end took {ended:.2f} s", rows)  # fmt: skip
        for line in report.document["failures"][:5] + report.document["notes"][-5:]:
            print("  ", line)
        return {"tasks": rows, "steps_per_s": rate, "good": report.good, "end_took_s": ended,
                "failures": report.document["failures"], "notes": report.document["notes"]}  # fmt: skip

    # -- the parts

    def plan(self):
        self.measured()
        return self.run_plan(self.advice, self.arguments.seconds, "the plan")

    def finer(self):
        self.measured()
        begin = time.monotonic()
        fewest = self.session.advise(goal="sms", stop_after=10, progress=False)
        took = time.monotonic() - begin
        say(f"goal sms: {fewest.best.method}, {fewest.best.sms} SMs in {took:.1f} s, interrupted {fewest.interrupted}")
        found = self.run_plan(fewest, 10, "the plan with the fewest SMs")
        return {**found, "sms": fewest.best.sms, "took_s": took}

    def streams(self):
        if DEVICE != "cuda":
            return "needs a GPU"
        import streams

        tasks = [task for task in TASKS if task[0] in self.nets]
        frames = {name: self.frames[name] for name, *_ in tasks}
        train = tt.capture(training(), grad=True)
        torch.cuda.synchronize()
        begin = time.monotonic()
        for _ in range(100):
            train.replay()
        torch.cuda.synchronize()
        found = {"training alone": {"steps_per_s": 100 / (time.monotonic() - begin)}}
        say(f"training alone: {found['training alone']['steps_per_s']:.1f} steps/s")
        for title, priorities in (("plain streams", False), ("priority streams", True)):
            alone = streams.Alone(tasks, frames, self.nets, priorities=priorities)
            responses, wrong, rate = streams.share(alone, train, 12)
            rows = [{"task": name, **times_of(seen), "misses": sum(x > PERIODS[name] for x in seen),
                     "wrong": wrong[name]} for name, seen in responses.items() if seen]  # fmt: skip
            table(f"{title}: training {rate:.1f} steps/s", rows)
            found[title] = {"tasks": rows, "steps_per_s": rate}
        return found

    def overload(self):
        """A network whose length depends on its input takes 30 times its time for 2 s."""
        found = {}
        for action in ("skip-next", "log"):
            session = tt.Session(name="overload", backend=self.arguments.backend, sms=132)
            size = 64 if SMALL else 512
            matrix = torch.randn(size, size, device=DEVICE) / size**0.5
            quick = torch.randn(1, 128).to(DEVICE)
            wait, wait_now = threading.Event(), [False]
            session.task("loop", "10 ms", priority=1).gpu("net", lambda x: x @ matrix, torch.randn(1, size)).cpu(
                "post", lambda y: wait.wait(0.3) if wait_now[0] else None)  # fmt: skip
            session.task("other", "10 ms", priority=2).gpu("net", lambda x: x * 2, quick)
            session.measure(units=[8], runs=30, pairs=False, margin=100, noisy_ok=True, progress=False)
            plan = session.advise(stop_after=5, progress=False)
            jobs = []
            with session.run(plan, on_overrun=action, on_job=jobs.append) as running:
                time.sleep(1)
                wait_now[0] = True
                time.sleep(2)
                wait_now[0] = False
                time.sleep(1)
                begin = time.monotonic()
            row = {"on_overrun": action, "end took s": round(time.monotonic() - begin, 3)}
            for task in ("loop", "other"):
                mine = [job for job in jobs if job.task == task]
                ran = [job.response / 1e6 for job in mine if job.state in ("done", "late")]
                row[f"{task} jobs"] = len(ran)
                row[f"{task} max ms"] = round(max(ran, default=0), 2)
                row[f"{task} late"] = sum(job.state == "late" for job in mine)
                row[f"{task} skipped"] = sum(job.state == "skipped" for job in mine)
            found[action] = row
            say(running.report().document["failures"][:2])
            session.close()
        table("overload: 0.3 s a job for 2 s at a period of 10 ms", list(found.values()))
        return found

    def arrival(self):
        session = tt.Session(name="arrival", backend=self.arguments.backend, sms=132)
        net, frame = self.nets["decode"], self.frames["decode"]
        session.task("detector", "10 ms", release="arrival", queue=8, priority=2).gpu("net", net, frame)
        session.task("post", "20 ms", release="arrival", priority=1).cpu("f", lambda x: x + 1, 0)
        session.task("clock", "10 ms", priority=3).gpu("net", lambda x: x * 2, frame)
        session.best_effort("train", training(), sms=8 if SMALL else 16)
        session.measure(units=[8], runs=50, pairs=False, margin=50, noisy_ok=True, progress=False)
        jitter = session.measurement.system.task("detector").jitter
        say(f"Python's wake-up as jitter: {jitter} ms")
        plan = session.advise(stop_after=5, progress=False)
        responses, wrong = [], 0

        async def feed(running):
            nonlocal wrong
            end = time.monotonic() + 5
            pause = 0.010
            while time.monotonic() < end:
                made = await running.submit("detector", frame)
                responses.append(made.response * 1000)
                wrong += not torch.equal(made.value, self.expected["decode"])
                pause = 0.010 + (pause * 7919) % 0.010  # sporadic
                await asyncio.sleep(pause)
            burst = await asyncio.gather(*(running.submit("detector", frame) for _ in range(6)))
            return [round(one.response * 1000, 2) for one in burst], await running.submit("post", 41)

        with session.run(plan) as running:
            burst, added = asyncio.run(feed(running))
        report = running.report()
        task = next(t for t in report.document["tasks"] if t["task"] == "detector")
        rows = [{"what": "put to end of job", **times_of(responses)},
                {"what": "release to end", "jobs": task["jobs"], "p50": task["response"]["p50"],
                 "p99": task["response"]["p99"], "max": task["longest"]}]  # fmt: skip
        table(f"arrival: bound {task.get('bound')}, wrong {wrong}, {'as proved' if report.good else 'NOT as proved'}, "
              f"jitter {jitter}, releases {task.get('releases')}", rows)  # fmt: skip
        print("   six at once:", burst, "ms; a function answered", added.value)
        for note in report.document["notes"][-3:]:
            print("  ", note)
        session.close()
        return {"rows": rows, "burst": burst, "jitter": jitter, "wrong": wrong, "document": report.document}

    def kept(self):
        self.measured()
        begin = time.monotonic()
        self.session.measure(units=self.arguments.units, runs=self.arguments.runs, pairs=False,
                             margin=self.arguments.margin, noisy_ok=True, progress=False, cache=self.out / "kept")  # fmt: skip
        again = time.monotonic() - begin
        other = tt.Session(name="seven", backend=self.arguments.backend, sms=132)
        for name, _, period, priority in TASKS:
            if name in self.session._tasks:
                net = copy.deepcopy(self.nets["control"]) if name == "control" else self.nets[name]
                if name == "control":
                    net = nn.Sequential(net, net)
                other.task(name, period, priority=priority).gpu("net", net, self.frames[name].to(DEVICE))
        if "cupy" in self.session._tasks:
            other.task("cupy", "20 ms").gpu_stream("scale", cupy_work())
        other.best_effort("train", training(), sms=8 if SMALL else 16)
        plan = tactus.Plan.load(self.out / "seven.plan.json", self.advice.plan.system)
        differs = {name: (made, other.work().get(name)) for name, made in plan.work.items()
                   if other.work().get(name) != made}  # fmt: skip
        other.backend = "driver"
        try:
            other.run(plan, jobs=1)
            refused = "NOT refused"
        except tactus.InvalidInput as error:
            refused = str(error)
        say(f"a kept measurement is read in {again:.2f} s; another network under the plan: {refused}")
        say("fingerprints that differ:", differs, "; machine:", plan.work.get("machine"))
        return {"again_s": again, "refused": refused, "differs": differs}

    def threads(self):
        y = torch.randn(8, 1 << 16).to(type_of(torch.float16))
        rows = []
        for cores in (None, 1):
            taken = []

            def work():
                if cores:
                    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
                for _ in range(30):
                    begin = time.perf_counter()
                    y.argmax(0)
                    taken.append((time.perf_counter() - begin) * 1000)

            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
            rows.append({"argmax of 0.5 M halves": "all cores" if cores is None else "pinned to one", **times_of(taken)})
        session = tt.Session(name="threads", backend=self.arguments.backend, sms=132)
        taken = []

        def post(value):
            begin = time.perf_counter()
            value.argmax(0)
            taken.append((time.perf_counter() - begin) * 1000)

        session.task("t", "50 ms").gpu("net", lambda x: x * 2, y.to(DEVICE)).cpu("post", post)
        session.measure(units=[8], runs=20, pairs=False, noisy_ok=True, progress=False)
        node = session.measurement.system.task("t").node("post")
        rows.append({"argmax of 0.5 M halves": "in a session", **times_of(taken[1:])})
        table(f"a function on a core of its own; measured with {node.wcet} ms", rows)
        session.close()
        return rows

    def samples(self):
        """Single replays on 8 SMs, alone: the shortest network very often, two others often."""
        import numpy

        counts = {"control": self.arguments.samples, "decode": 10_000, "amp": 10_000}
        if SMALL:
            counts = {"control": 200, "decode": 50}
        found = {}
        for load in (False, True):
            stop = threading.Event()
            burners = []
            if load:  # of our own on the host: half of its cores compute
                import subprocess

                burn = "while True: pass"
                count = 1 if SMALL else max((os.cpu_count() or 2) // 2, 1)
                burners = [subprocess.Popen([sys.executable, "-c", burn]) for _ in range(count)]
            try:
                for name, count in counts.items():
                    if name not in self.nets or (load and name == "amp"):
                        continue
                    count = count // 4 if load else count
                    session = tt.Session(name="samples", backend=self.arguments.backend, sms=132)
                    session.task(name, "100 ms").gpu("net", self.nets[name], self.frames[name].to(DEVICE))
                    session._finish()
                    begin = time.monotonic()
                    with session._opened(session.system(), None) as opened:
                        seen = opened.measure(units=[8], runs=count, enemies="none", samples=True, noisy_ok=True,
                                              progress=False)  # fmt: skip
                    width = next(w for w in seen.document["nodes"][0]["widths"] if w["units"] == 8)
                    times = numpy.array([float(x) * 1e6 for x in width["beside"][0]["samples"]], dtype="int64")
                    key = f"{name}{'-load' if load else ''}"
                    numpy.savez_compressed(self.out / f"samples-{key}.npz", ns=times)
                    found[key] = {"of": key, **times_of((times / 1e6).tolist()), "took s": round(time.monotonic() - begin, 1),
                                  "wcet": width["wcet"]}  # fmt: skip
                    session.close()
            finally:
                stop.set()
                for burner in burners:
                    burner.kill()
                    burner.wait()
        table("single replays on 8 SMs, alone (ms)", list(found.values()))
        return found


def main():
    global SMALL, DEVICE
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("parts", nargs="*", default=[])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--margin", type=int, default=50)
    parser.add_argument("--samples", type=int, default=1_000_000)
    parser.add_argument("--units", type=lambda text: [int(n) for n in text.split(",")], default=[8, 16])
    parser.add_argument("--backend", default="driver")
    a = parser.parse_args()
    every = ["plan", "finer", "streams", "overload", "arrival", "kept", "threads", "samples"]
    if a.backend == "cpu":
        SMALL, DEVICE = True, "cpu"
        torch.set_num_threads(1)
    a.out.mkdir(parents=True, exist_ok=True)
    say(f"PyTorch {torch.__version__}, {a.backend}, {tactus.version()}")
    seven = Seven(a)
    for part in a.parts or every:
        begin = time.monotonic()
        say(f"== {part}")
        try:
            seven.found[part] = getattr(seven, part)()
        except BaseException as error:
            seven.found[part] = {"failed": f"{type(error).__name__}: {error}"}
            print(f"{part} FAILED: {type(error).__name__}: {error}")
            traceback.print_exc(limit=-6, file=sys.stdout)
            if isinstance(error, KeyboardInterrupt):
                break
        say(f"{part} took {time.monotonic() - begin:.1f} s")
        (a.out / "seven.json").write_text(json.dumps(seven.found, indent=1, default=str) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
