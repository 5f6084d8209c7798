#!/usr/bin/env python3
"""From camera to wheels with networks: the tasks of examples/warehouse-pipeline.system.json, a detector that the
camera starts, and a training loop. Each value is followed through the chains, beside their bounds.

    bench/torch/pipeline.py [SECONDS [OUT.json]]

Needs PyTorch with torchvision and an NVIDIA GPU.
"""

import json
import sys
import time

import networks
import torch

import tactus
import tactus.torch as tt


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    session = tt.Session(name="warehouse", realtime=True)
    frame = networks.frame(1).cuda()

    def net(name, seed):
        return networks.network(name, seed)

    stereo = session.task("stereo", "33.333 ms", jitter="6 ms", deadline="20 ms", priority=30)
    stereo.gpu("net", net("resnet50", 1), frame)
    # The camera's job starts the detector's; 1 ms is for the message and the wake-up.
    person = session.task("person", after="stereo", jitter="1 ms", priority=40)
    person.gpu("detect", net("mobilenet_v3_large", 2), frame)
    session.task("lidar", "100 ms", priority=20).gpu("voxel", net("vit_b_16", 3), frame)
    session.task("planner", "200 ms", priority=10).gpu("roll", net("resnet50", 4), frame)
    session.task("wheel", "5 ms", priority=50).cpu("control", lambda x: x + 1, 1)
    session.best_effort("mapping", networks.training_step()[0], sms=24)
    session.chain("camera to wheels", ["stereo", "planner", "wheel"], reaction=400)
    session.chain("person to wheels", ["stereo", "person", "wheel"], reaction=120)

    system = verdict = None
    for _ in range(2):  # once more where a virtual machine stood still during a measurement
        begin = time.monotonic()
        system = session.measure(
            units=[8, 16, 24], runs=60, pairs=False, margin=50, noisy_ok=True, progress=False
        )
        print(f"measured in {time.monotonic() - begin:.1f} s")
        verdict = tactus.analyze(system, "gang.wc")["gang.wc"]
        print(verdict, flush=True)
        if verdict.schedulable:
            break
    for chain in verdict.chains:
        print(f"{chain.name}: bound {chain.bound} ms, holds: {chain.holds}")
    with session.run(tactus.plan(system, "gang.wc"), duration=f"{seconds} s") as running:
        seen = running.wait()
    print(seen)
    for note in seen.document["notes"] + seen.document["failures"]:
        print(note)
    for task in seen.document["tasks"]:
        if "releases" in task:
            print(f"{task['task']}: released late by {task['late']['p99']} (p99), {task['releases']}")
    if len(sys.argv) > 2:
        with open(sys.argv[2], "w", encoding="utf-8") as out:
            json.dump({"system": json.loads(system.to_json()), "run": seen.document, "torch": torch.__version__}, out)
    return 0 if seen.good else 1


if __name__ == "__main__":
    sys.exit(main())
