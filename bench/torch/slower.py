#!/usr/bin/env python3
"""A network that becomes slower halfway, beside another and a training program, under the arbiter and
`tactus watch`: how soon the watch says so, and whether the room that it tells is what `tactus slack` says of the
file with what was seen. The times of the file are those that a first watch saw, with a margin.

    bench/torch/slower.py OUT --programs build [--seconds 60] [--without-gpu]

Two networks mark their jobs; the training knows nothing of the arbiter. Needs PyTorch with torchvision and an NVIDIA
GPU; --without-gpu sleeps in their place, to try this script. Writes OUT/slower.json and the lines of the watch.
"""

import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "python")]

METHOD = "gcaps.boost.suspend"
#: Task, network, period in ms, priority, core, and the batch after half of the time.
TASKS = [("grip", "mobilenet_v3_large", 33, 2, 1, 1), ("front", "resnet50", 50, 1, 2, 32)]
#: No network is taken off for another one.
THRESHOLD = 9
#: What the file says of times, over the longest that the first watch saw.
MARGIN = 1.5
#: Seconds of that watch, before the --seconds of the second.
LEARNING = 10


def wait_for(path, living):
    while not path.exists():
        time.sleep(0.01)
        if any(process.poll() not in (None, 0) for process in living):
            raise RuntimeError(f"a program ended before {path.name}")
    return path.read_text()


# The programs.


class Network:
    """A captured network; larger batches take longer."""

    def __init__(self, kind, batch):
        import torch

        import networks
        import tactus.torch as tt

        self._torch, self.stream = torch, torch.cuda.Stream()
        frames = networks.frame(1).cuda().repeat(batch, 1, 1, 1)
        self._captured = tt.capture(networks.network(kind, 1), frames)
        self._expected = self._captured(frames).cpu()

    def launch(self):
        with self._torch.cuda.stream(self.stream):
            self._captured.replay()

    def wait(self):
        self.stream.synchronize()

    def right(self):
        return self._torch.equal(self._captured.outputs.cpu(), self._expected)


class Pause:
    """What stands for a network where there is no GPU."""

    stream = None

    def __init__(self, kind, batch):
        self._seconds = 0.002 if batch == 1 else 0.008
        self.longest = 0.003  # a busy machine wakes up late

    def launch(self):
        time.sleep(self._seconds)

    def wait(self):
        pass

    def right(self):
        return True


def client(name, folder, seconds, kind_of):
    import tactus

    _, kind, period, priority, core, batch = next(task for task in TASKS if task[0] == name)
    now, later = kind_of(kind, 1), kind_of(kind, batch)
    longest = 0.0
    for _ in range(200):
        begin = time.monotonic()
        now.launch()
        now.wait()
        longest = max(longest, time.monotonic() - begin)
    longest = getattr(now, "longest", longest)
    (folder / f"{name}.new").write_text(str(longest * 1000))
    (folder / f"{name}.new").rename(folder / f"{name}.ready")
    begin = float(wait_for(folder / "begin", []))
    os.sched_setaffinity(0, {core - 1})
    for network in (now, later):  # the first segment of a program takes longer
        with tactus.segment(priority, stream=network.stream, threshold=THRESHOLD):
            network.launch()
    half, seconds = LEARNING + seconds / 2, LEARNING + seconds
    ends, wrong = [], 0
    with tactus.TaskPath() as path:
        for job in range(int(seconds * 1000 / period)):
            release = int(begin * 1e9) + job * period * 1_000_000
            time.sleep(max(release / 1e9 - time.monotonic(), 0))
            taken = path.arrived(release)
            network = later if job * period / 1000 >= half else now
            with tactus.segment(priority, stream=network.stream, threshold=THRESHOLD):
                network.launch()
            path.ended(taken)
            ends.append(time.monotonic())
            if job % 50 == 0 and not network.right():
                wrong += 1
    slow = [end for job, end in enumerate(ends) if job * period / 1000 >= half]
    found = {"jobs": len(ends), "wrong": wrong, "first_slow_job_ended": slow[0] if batch > 1 else None}
    (folder / f"{name}.json").write_text(json.dumps(found))


def training(folder, seconds):
    import torch

    import networks
    import tactus.torch as tt

    train = tt.capture(networks.training_step()[0], grad=True)
    train.replay()
    torch.cuda.synchronize()
    (folder / "train.ready").write_text("1")
    begin = float(wait_for(folder / "begin", []))
    steps = 0
    while time.monotonic() < begin + LEARNING + seconds:
        train.replay()
        torch.cuda.synchronize()
        steps += 1
    (folder / "train.json").write_text(json.dumps({"steps_per_s": steps / (LEARNING + seconds)}))


# The watch.


def the_file(path, times):
    """The system, with these longest times of the networks in ms."""
    import tactus

    system = tactus.System("slower", tactus.Platform.of(cpu=max(os.cpu_count() or 4, 4), gpu=1))
    for name, _, period, priority, core, _ in TASKS:
        task = system.add_task(name, period=period, jitter=2, priority=priority, core=core)
        net = round(times[name] * MARGIN, 3)
        task.add("launch", "cpu", 2).add("net", "gpu", net, launch=1, gpu_threshold=THRESHOLD).add("wake", "cpu", 1)
    system.add_task("train", best_effort=True, core=4).add("step", "gpu", 50)
    path.write_text(system.to_json())
    return path


class Watch:
    """`tactus watch`, and when each of its lines came."""

    def __init__(self, arguments, file, seconds, environment):
        tactus, plan = str(arguments.programs / "tactus"), file.with_suffix(".plan.json")
        costs = ["--costs", "h200/channel"]
        subprocess.run([tactus, "plan", file, "-m", METHOD, *costs, "-o", plan, "--quiet"],
                       check=True, env=environment, stdout=subprocess.DEVNULL)  # fmt: skip
        self.lines = []
        self._process = subprocess.Popen(
            [tactus, "watch", file, *costs, "--plan", plan, "--json", "--duration", str(int(seconds * 1000)),
             "-o", file.with_suffix(".seen.json")],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip
        self._thread = threading.Thread(target=self._note)
        self._thread.start()

    def _note(self):
        for line in self._process.stderr:
            self.lines.append((time.monotonic(), line.rstrip()))

    def answer(self):
        answer = self._process.stdout.read()
        self._thread.join()
        if self._process.wait() not in (0, 1):
            raise RuntimeError("\n".join(text for _, text in self.lines))
        return json.loads(answer)


def run_all(arguments):
    folder = pathlib.Path(tempfile.mkdtemp())
    (folder / "watch").mkdir()
    arguments.out.mkdir(parents=True, exist_ok=True)
    environment = dict(os.environ, TACTUS_SOCKET=str(folder / "arbiter.socket"), PYTHONUNBUFFERED="1",
                       TACTUS_WATCH=str(folder / "watch"), LD_LIBRARY_PATH=str(arguments.programs),
                       TACTUS_CLIENT_LIBRARY=str(arguments.programs / "libtactus_client.so"),
                       TACTUS_LIBRARY=str(arguments.programs / "libtactus.so"))  # fmt: skip
    os.environ["TACTUS_LIBRARY"] = environment["TACTUS_LIBRARY"]
    cpu = (os.cpu_count() or 2) - 1
    spin = [] if arguments.without_gpu else ["--spin", "20"]
    arbiter = subprocess.Popen(
        [arguments.programs / "tactusd", "--protocol", "boost", "--cpu", str(cpu), *spin], env=environment
    )
    time.sleep(0.5)
    me = [sys.executable, str(pathlib.Path(__file__).resolve()), "--folder", str(folder), "--seconds",
          str(arguments.seconds)] + (["--without-gpu"] if arguments.without_gpu else [])  # fmt: skip
    running = []
    try:
        for name, *_ in TASKS:
            task = dict(environment, TACTUS_TASK=f"slower/{name}")
            running.append(subprocess.Popen(me + ["--client", name], env=task))
            wait_for(folder / f"{name}.ready", running)  # one after the other: times alone
        if not arguments.without_gpu:
            running.append(subprocess.Popen(
                [str(arguments.programs / "tactus"), "exec", "--best-effort", "--tier", "channel", "--required",
                 "--"] + me + ["--train"], env=dict(environment, TACTUS_TASK="slower/train")))  # fmt: skip
            wait_for(folder / "train.ready", running)
        alone = {name: float((folder / f"{name}.ready").read_text()) for name, *_ in TASKS}
        first = Watch(arguments, the_file(arguments.out / "first.system.json", alone), LEARNING, environment)
        time.sleep(0.5)
        begin = time.monotonic() + 0.5
        (folder / "begin.new").write_text(str(begin))
        (folder / "begin.new").rename(folder / "begin")
        longest = {node["task"]: node["max"] for node in first.answer()["nodes"] if node["node"] == "net"}
        if arguments.without_gpu:  # a busy machine: not these
            longest = alone
        file = the_file(arguments.out / "slower.system.json", longest)
        watch = Watch(arguments, file, arguments.seconds + 1, environment)
        for process in running:
            process.wait(timeout=arguments.seconds + 60)
        return told(arguments, folder, watch.answer(), watch.lines, begin + LEARNING, file)
    finally:
        for process in running:
            if process.poll() is None:
                process.kill()
        arbiter.send_signal(signal.SIGTERM)
        arbiter.wait()


def told(arguments, folder, answer, lines, begin, file):
    """`begin`: of the second watch."""
    half = begin + arguments.seconds / 2
    clients = {name: json.loads((folder / f"{name}.json").read_text()) for name, *_ in TASKS}
    slow = clients["front"]["first_slow_job_ended"]
    line, said = next(((at, text) for at, text in lines if at > half and "front: net" in text), (None, "took 0,"))
    took = re.search(r"took ([0-9.]+),", said).group(1)
    slack = subprocess.run(
        [arguments.programs / "tactus", "slack", file, "-m", METHOD, "--costs", "h200/channel", "--json",
         "--set", f"front.net.wcet={took}"], capture_output=True, text=True)  # fmt: skip
    (arguments.out / "slack.json").write_text(slack.stdout or slack.stderr)
    (arguments.out / "watched.json").write_text(json.dumps(answer, indent=1))
    with open(arguments.out / "lines.txt", "w", encoding="utf-8") as out:
        for at, text in lines:
            print(f"{at - begin:10.4f} s: {text}", file=out)
    found = {
        "clients": clients, "room": answer["room"], "status": answer["status"],
        "line_after_the_first_slow_job_ms": None if line is None else round((line - slow) * 1000, 2),
        "line": said,
        "lines_before": [text for at, text in lines if at < half],
        "all_times_by_slack": next((each for each in json.loads(slack.stdout)["slack"] if each["kind"] == "all-times"), None),
        "tasks": answer["tasks"], "nodes": answer["nodes"], "departures": answer["departures"],
    }  # fmt: skip
    if (folder / "train.json").exists():
        found["training"] = json.loads((folder / "train.json").read_text())
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", nargs="?", type=pathlib.Path)
    parser.add_argument("--programs", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--without-gpu", action="store_true")
    parser.add_argument("--client")
    parser.add_argument("--train", action="store_true")
    parser.add_argument("--folder", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.client:
        kind_of = Pause if arguments.without_gpu else Network
        return client(arguments.client, arguments.folder, arguments.seconds, kind_of)
    if arguments.train:
        return training(arguments.folder, arguments.seconds)
    if arguments.out is None or arguments.programs is None:
        parser.error("OUT and --programs are needed")
    found = run_all(arguments)
    (arguments.out / "slower.json").write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
