#!/usr/bin/env python3
"""The networks of deadlines.py as separate processes, beside a training process: shared by the driver
alone, under the arbiter, and under the arbiter that opens gates.

    bench/torch/processes.py OUT --programs build [--seconds 30] [--modes arbiter,boost]

PROGRAMS is a build folder with tactus, tactusd and libtactus_preload.so. Networks mark their jobs as
segments; the training program knows nothing of the arbiter (`tactus exec --tier channel`). Writes
OUT/processes.json, every job in OUT/jobs-*.json.gz, and OUT/operations-boost.log.
"""

import argparse
import gzip
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "python")]


def say(*words):
    print(f"[{time.strftime('%T')}]", *words, flush=True)


# The processes.


#: What the GPU takes to change the process, after a gate was opened (ms); the arbiter does not see it
#: (bench/results/h200/boost-2026-11-16.md).
CONTEXT_SWITCH = 0.15


def wait_for(path):
    while not path.exists():
        time.sleep(0.01)
    return float(path.read_text())


def client(name, folder, seconds, mode):
    """A network: a job every period, each a segment."""
    import torch

    import networks
    import tactus
    import tactus.torch as tt

    place, (_, kind, period, priority) = next(
        (place, task) for place, task in enumerate(networks.TASKS) if task[0] == name)
    frame = networks.frame(place).cuda()
    captured = tt.capture(networks.network(kind, place), frame)
    expected = captured(frame).cpu()
    alone = []
    for _ in range(200):
        begin = time.monotonic()
        captured.replay()
        torch.cuda.synchronize()
        alone.append((time.monotonic() - begin) * 1000)
    stream = torch.cuda.Stream()
    (folder / f"{name}.ready").write_text("1")
    begin = wait_for(folder / "begin")
    step = float(period.split()[0]) / 1000
    responses, begins, wrong, states = [], [], 0, {}
    for job in range(int(seconds / step)):
        release = begin + job * step
        time.sleep(max(release - time.monotonic(), 0))
        if mode == "boost":
            with tactus.segment(priority, stream=stream, threshold=tactus.PROTECTED) as inside:
                begins.append((time.monotonic() - release) * 1000)
                with torch.cuda.stream(stream):
                    captured.replay()
            states[inside.state.name] = states.get(inside.state.name, 0) + 1
        elif mode == "arbiter":
            with tactus.segment(priority=priority) as inside:
                begins.append((time.monotonic() - release) * 1000)
                captured.replay()
                torch.cuda.synchronize()
            states[inside.state.name] = states.get(inside.state.name, 0) + 1
        else:
            captured.replay()
            torch.cuda.synchronize()
        responses.append((time.monotonic() - release) * 1000)
        if job % 50 == 0 and not torch.equal(captured.outputs.cpu(), expected):
            wrong += 1
    result = {"begin": begin, "responses": responses, "begins": begins, "alone": max(alone[20:]), "wrong": wrong, "states": states}
    (folder / f"{name}.json").write_text(json.dumps(result))


def training(folder, seconds):
    """A training loop that nobody has told anything."""
    import torch

    import networks
    import tactus.torch as tt

    step, _ = networks.training_step()
    train = tt.capture(step, grad=True)
    torch.cuda.synchronize()
    (folder / "train.ready").write_text("1")
    while not (folder / "begin").exists():  # the GPU is busy from the start
        train.replay()
        torch.cuda.synchronize()
    begin = wait_for(folder / "begin")
    steps, at = 0, time.monotonic()
    while time.monotonic() < begin + seconds:
        train.replay()
        torch.cuda.synchronize()
        steps += 1
    (folder / "train.json").write_text(json.dumps({"steps_per_s": steps / (time.monotonic() - at)}))


# The comparison.


def quantile(values, part):
    ordered = sorted(values)
    return ordered[min(int(part * len(ordered)), len(ordered) - 1)]


def run_all(programs, seconds, mode, out):
    """Starts everything, waits until all are ready, and lets them go at the same moment."""
    import networks

    folder = pathlib.Path(tempfile.mkdtemp())
    environment = dict(os.environ, TACTUS_SOCKET=str(folder / "arbiter.socket"), PYTHONUNBUFFERED="1")
    running, arbiter = [], None
    arbitrated = mode != "driver alone"
    libraries = dict(environment, LD_LIBRARY_PATH=str(programs))
    if arbitrated:
        cpu = (os.cpu_count() or 2) - 1
        arbiter = subprocess.Popen(
            [programs / "tactusd", "--cpu", str(cpu), "--spin", "20"]
            + (["--protocol", "boost", "--log", out / "operations-boost.log"] if mode == "boost" else []),
            env=libraries)  # fmt: skip
        time.sleep(0.5)
    me = [sys.executable, str(pathlib.Path(__file__).resolve())]
    try:
        for name, *_ in networks.TASKS:
            running.append(subprocess.Popen(
                me + ["--client", name, "--folder", str(folder), "--seconds", str(seconds), "--mode", mode],
                env=environment))  # fmt: skip
        for name, *_ in networks.TASKS:  # alone times without the training
            while not (folder / f"{name}.ready").exists():
                time.sleep(0.05)
                if any(process.poll() not in (None, 0) for process in running):
                    raise RuntimeError("a network could not be started")
        command = me + ["--train", "--folder", str(folder), "--seconds", str(seconds)]
        if arbitrated:
            command = [str(programs / "tactus"), "exec", "--best-effort", "--tier", "channel",
                       "--required", "--"] + command  # fmt: skip
        train = subprocess.Popen(command, env=libraries if arbitrated else environment)
        running.append(train)
        while not (folder / "train.ready").exists():
            time.sleep(0.05)
            if train.poll() is not None:
                raise RuntimeError(f"the training ended with {train.returncode}")
        time.sleep(1)
        (folder / "begin.new").write_text(str(time.monotonic() + 0.5))
        (folder / "begin.new").rename(folder / "begin")
        for process in running:
            process.wait(timeout=seconds + 60)
        found = {"tasks": {}}
        for name, _, period, _ in networks.TASKS:
            seen = json.loads((folder / f"{name}.json").read_text())
            responses, begins = seen.pop("responses"), seen.pop("begins")
            with gzip.open(out / f"jobs-{mode.replace(' ', '-')}-{name}.json.gz", "wt") as file:
                json.dump({"begin": seen.pop("begin"), "responses": responses, "begins": begins}, file)
            late = [late > 1 for late in begins] or [False] * len(responses)
            on_time = [response for response, is_late in zip(responses, late) if not is_late]
            deadline = float(period.split()[0])
            found["tasks"][name] = {
                "jobs": len(responses), "p50": quantile(responses, 0.5), "p99": quantile(responses, 0.99),
                "max": max(responses), "late_begins": sum(late), "max_on_time": max(on_time), "misses": sum(1 for x in responses if x > deadline), **seen,
                "begin_p50": quantile(begins, 0.5) if begins else None,
                "begin_max": max(begins) if begins else None,
            }  # fmt: skip
        found["steps_per_s"] = json.loads((folder / "train.json").read_text())["steps_per_s"]
        if arbiter is not None:
            for key, more in (("costs", ["--costs"]), ("arbiter", ["--json"])):
                told = subprocess.run([programs / "tactus", "top", *more], env=libraries,
                                      capture_output=True, text=True)  # fmt: skip
                found[key] = json.loads(told.stdout) if told.returncode == 0 else told.stderr
        return found
    finally:
        for process in running:
            if process.poll() is None:
                process.kill()
        if arbiter is not None:
            arbiter.send_signal(signal.SIGTERM)
            arbiter.wait()


def bounds_of(tasks, update_ms):
    """What the arbiter proves for these networks, if no update takes longer than that."""
    import networks
    import tactus

    system = tactus.System("processes", tactus.Platform.of(cpu=5, gpu=132))
    gpu = system.platform.element("gpu")
    gpu.runlist_update = round(update_ms, 3)
    # A network under the tier `gate` leaves when its job has ended.
    gpu.preemption_delay = round(max(task["alone"] for task in tasks.values()) * 1.2, 3)
    for core, (name, _, period, priority) in enumerate(networks.TASKS):
        task = system.add_task(name, period=period, priority=priority, core=core + 1)
        task.add("launch", "cpu", 0.3).add("net", "gpu", round(tasks[name]["alone"] * 1.2, 3))
    verdict = tactus.analyze(system, "gcaps.suspend", variant="safe-arbiter").verdicts[0]
    return {"status": verdict.status, "runlist_update": gpu.runlist_update,
            "preemption_delay": gpu.preemption_delay, "obstacles": verdict.obstacles,
            "bounds": {task.task: task.bound for task in verdict.tasks}}  # fmt: skip


def boost_bounds_of(tasks, costs):
    """What gates prove for these networks, if no operation takes longer than that (ms)."""
    import networks
    import tactus

    system = tactus.System("processes", tactus.Platform.of(cpu=5, gpu=132))
    gpu = system.platform.element("gpu")
    gpu.start_cost, gpu.preempt_cost, gpu.resume_cost = (round(costs[key], 3) for key in ("start", "off", "on"))
    for core, (name, _, period, priority) in enumerate(networks.TASKS):
        task = system.add_task(name, period=period, priority=priority, core=core + 1)
        task.add("launch", "cpu", 0.3).add("net", "gpu", round(tasks[name]["alone"] * 1.2, 3))
        task.add("wake", "cpu", 0.3)
    system.add_task("train", best_effort=True, core=5).add("step", "gpu", 50)
    verdict = tactus.analyze(system, "gcaps.boost.suspend", options={"thresholds": "never"}).verdicts[0]
    return {"status": verdict.status, "costs": costs, "obstacles": verdict.obstacles,
            "bounds": {task.task: task.bound for task in verdict.tasks}}  # fmt: skip


def operations_of(log):
    """Of each kind: count, median, p99, longest (ms)."""
    took = {}
    for line in log.read_text().splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if event.get("event") in ("start", "off", "on") and "took_ns" in event:
            took.setdefault(event["event"], []).append(event["took_ns"] / 1e6)
    return {kind: {"count": len(times), "p50": quantile(times, 0.5), "p99": quantile(times, 0.99),
                   "p999": quantile(times, 0.999), "max": max(times)} for kind, times in took.items()}  # fmt: skip


def proofs_of(mode, seen, out):
    """With the costs that are usual, and with the longest that were seen."""
    if mode == "arbiter":
        updates = [1.0]
        if isinstance(seen.get("arbiter"), dict):
            updates.append(seen["arbiter"]["update_max_ns"] / 1e6)
        return [bounds_of(seen["tasks"], update) for update in updates]
    seen["operations"] = operations_of(out / "operations-boost.log")
    proofs = []
    for quantity in ("p999", "max"):
        costs = {kind: seen["operations"].get(kind, {}).get(quantity, 0.2) for kind in ("start", "off", "on")}
        costs["start"] += CONTEXT_SWITCH
        proofs.append(boost_bounds_of(seen["tasks"], costs))
    return proofs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", nargs="?", type=pathlib.Path)
    parser.add_argument("--programs", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--modes", default="driver alone,arbiter")
    parser.add_argument("--client")
    parser.add_argument("--train", action="store_true")
    parser.add_argument("--mode")
    parser.add_argument("--folder", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.client:
        return client(arguments.client, arguments.folder, arguments.seconds, arguments.mode)
    if arguments.train:
        return training(arguments.folder, arguments.seconds)
    if arguments.out is None or arguments.programs is None:
        parser.error("OUT and --programs are needed")
    arguments.out.mkdir(parents=True, exist_ok=True)
    found = {"seconds": arguments.seconds, "modes": {}}
    for mode in arguments.modes.split(","):
        say(mode)
        try:
            seen = run_all(arguments.programs, arguments.seconds, mode, arguments.out)
            found["modes"][mode] = seen
            if mode != "driver alone":
                seen["proofs"] = proofs_of(mode, seen, arguments.out)
        except Exception as error:  # the other mode is worth having
            found["modes"].setdefault(mode, {})["failed"] = f"{type(error).__name__}: {error}"
        say(json.dumps(found["modes"][mode]))
        (arguments.out / "processes.json").write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
