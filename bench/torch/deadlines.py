#!/usr/bin/env python3
"""Four networks with deadlines and a training loop on one GPU: plain streams, priority streams, and a
plan of Tactus, in one process.

    bench/torch/deadlines.py OUT [--seconds 60] [--runs 60] [--units 8,16,32]

Writes OUT/deadlines.json, of which tables.py makes tables, and what was measured and planned. Needs PyTorch, torchvision and a GPU to itself.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "python")]

import torch  # noqa: E402

import networks  # noqa: E402
import streams  # noqa: E402
import tactus  # noqa: E402
import tactus.torch as tt  # noqa: E402


def say(*words):
    print(f"[{time.strftime('%T')}]", *words, flush=True)


def machine():
    query = "name,driver_version,clocks.sm,temperature.gpu"
    smi = subprocess.run(
        ["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"], capture_output=True, text=True
    )
    return {
        "gpu": smi.stdout.strip(),
        "torch": torch.__version__,
        "python": sys.version.split()[0],
        "cpus": os.cpu_count(),
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "command": " ".join([pathlib.Path(sys.argv[0]).name] + sys.argv[1:]),
    }


def quantile(values, part):
    ordered = sorted(values)
    return ordered[min(int(part * len(ordered)), len(ordered) - 1)]


def rows_of(responses, wrong):
    periods = {name: float(period.split()[0]) for name, _, period, _ in networks.TASKS}
    return {
        name: {
            "jobs": len(seen),
            "p50": quantile(seen, 0.5),
            "p99": quantile(seen, 0.99),
            "max": max(seen),
            "misses": sum(1 for x in seen if x > periods[name]),
            "bound": None,
            "wrong": wrong[name],
        }
        for name, seen in responses.items()
        if seen
    }


def with_streams(alone, train, seconds):
    responses, wrong, rate = streams.share(alone, train, seconds)
    return {"tasks": rows_of(responses, wrong), "steps_per_s": rate}


def with_tactus(alone, frames, nets, step, arguments, out):
    """Measured beside enemies, advised, and run."""
    session = tt.Session(name="networks")
    for name, _, period, priority in networks.TASKS:
        session.task(name, period, priority=priority).gpu("net", nets[name], frames[name].cuda())
    session.best_effort("train", step, sms=arguments.training_sms)
    begin = time.monotonic()
    system = session.measure(
        units=arguments.units, runs=arguments.runs, pairs=arguments.pairs, margin=arguments.margin,
        noisy_ok=True, progress=False,
    )  # fmt: skip
    measuring = time.monotonic() - begin
    say(f"measured in {measuring:.1f} s")
    (out / "measurement.json").write_text(json.dumps(session.measurement.document, indent=1))
    best = tactus.advise(system, target="partitions", goal=arguments.goal)
    say("advice:", best.best.method, best.best.variant, "factor", best.best.factor, best.plan.bounds)
    best.system.save(out / "networks.system.json")
    best.plan.save(out / "networks.plan.json")
    wrong = {name: 0 for name in nets}
    compared = {name: 0 for name in nets}
    stop = threading.Event()

    def compare(running):
        outputs = {name: running.outputs(name) for name in nets}
        while not stop.is_set():
            for name, expected in alone.expected.items():
                running.inputs(name).put(frames[name])
                compared[name] += 1
                if not torch.equal(outputs[name].get(timeout=5).value, expected):
                    wrong[name] += 1
            time.sleep(0.1)

    with session.run(best.plan) as running:
        comparing = threading.Thread(target=compare, args=(running,))
        comparing.start()
        time.sleep(arguments.seconds)
        stop.set()
        comparing.join()
    report = running.report()
    say(str(report))
    tasks = {}
    for task in report.document["tasks"]:
        seen = task.get("response", {})
        tasks[task["task"]] = {
            "jobs": task["jobs"], "p50": seen.get("p50"), "p99": seen.get("p99"),
            "max": task["longest"], "misses": task["misses"], "bound": task.get("bound"),
            "wrong": wrong.get(task["task"]), "compared": compared.get(task["task"]),
        }  # fmt: skip
    return {
        "tasks": tasks,
        "steps_per_s": report.task("train").jobs / (report.end / 1000),
        "notes": report.document["notes"],
        "failures": report.document["failures"],
        "good": report.good,
        "measuring_s": measuring,
        "plan": best.plan.document,
        "factor": best.best.factor,
        "divisible": session.measurement.document.get("divisible"),
        "conditions": session.measurement.document["conditions"],
        "worst": {
            f"{node['task']} on {width['units']}": [width["wcet"], width["worst"]]
            for node in session.measurement.document["nodes"]
            for width in node["widths"]
        },
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--margin", type=int, default=50)
    parser.add_argument("--units", type=lambda text: [int(n) for n in text.split(",")], default=[8, 16, 32])
    parser.add_argument("--no-pairs", dest="pairs", action="store_false")
    parser.add_argument("--training-sms", type=int, default=40)
    parser.add_argument("--goal", default="sms", help="of advise: sms (most left for training) or factor")
    parser.add_argument("--modes", default="training alone,networks alone,plain streams,priority streams,tactus")
    arguments = parser.parse_args()
    out = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    found = {"machine": machine(), "seconds": arguments.seconds, "modes": {}}
    modes = arguments.modes.split(",")

    nets = {name: networks.network(kind, seed) for seed, (name, kind, *_) in enumerate(networks.TASKS)}
    frames = {name: networks.frame(seed) for seed, (name, *_) in enumerate(networks.TASKS)}
    alone = streams.Alone(networks.TASKS, frames, nets)
    with torch.no_grad():
        found["graphs_equal_eager"] = {
            name: torch.equal(nets[name](frames[name].cuda()).cpu(), alone.expected[name]) for name in nets
        }
    step, tokens = networks.training_step()
    found["tokens_per_step"] = tokens
    captured = tt.capture(step, grad=True)
    say("captured everything")

    def keep():
        (out / "deadlines.json").write_text(json.dumps(found, indent=1) + "\n")

    for mode in modes:
        say(mode)
        try:
            if mode == "training alone":
                torch.cuda.synchronize()
                begin = time.monotonic()
                for _ in range(30):
                    captured.replay()
                torch.cuda.synchronize()
                found["modes"][mode] = {"tasks": {}, "steps_per_s": 30 / (time.monotonic() - begin)}
            elif mode == "networks alone":
                found["modes"][mode] = with_streams(alone, None, min(arguments.seconds, 5))
            elif mode == "tactus":
                found["modes"][mode] = with_tactus(alone, frames, nets, step, arguments, out)
            else:
                used = alone
                if mode == "priority streams":
                    used = streams.Alone(networks.TASKS, frames, nets, priorities=True)
                found["modes"][mode] = with_streams(used, captured, arguments.seconds)
        except Exception as error:  # the other modes are worth having
            say("FAILED:", type(error).__name__, error)
            found["modes"][mode] = {"failed": f"{type(error).__name__}: {error}"}
        say(json.dumps(found["modes"][mode].get("tasks", found["modes"][mode])), found["modes"][mode].get("steps_per_s"))
        keep()
    found["machine_after"] = machine()["gpu"]
    keep()
    return 0


if __name__ == "__main__":
    sys.exit(main())
