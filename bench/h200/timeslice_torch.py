#!/usr/bin/env python3
"""Eager ResNet-50 inference every 20 ms beside ResNet-50 training, two processes: what does the
training's time slice do to both?

    bench/h200/timeslice_torch.py TACTUS [--seconds 12] [--rows none,plain,100,500]

Rows: `none` (no training), `alone` (training only), `plain` (the driver's slices), a number (microseconds, by `tactus exec
--best-effort --tier timeslice --slice N`). Prints Markdown; a job whose output differs is counted.
"""
import argparse
import os
import subprocess
import sys
import time


def urgent(seconds):
    import torch
    import torchvision

    torch.manual_seed(1)
    model = torchvision.models.resnet50().half().cuda().eval()
    frame = torch.randn(1, 3, 224, 224).half().pin_memory()
    times, wrong = [], 0
    with torch.no_grad():
        first = None
        for _ in range(20):
            first = model(frame.cuda(non_blocking=True)).cpu()
        begin = time.monotonic()
        release = begin
        while release - begin < seconds:
            while time.monotonic() < release:
                pass
            out = model(frame.cuda(non_blocking=True)).cpu()
            times.append((time.monotonic() - release) * 1e3)
            wrong += not torch.equal(out, first)
            release = max(release + 0.02, time.monotonic())
    times.sort()
    at = lambda share: times[int(share * (len(times) - 1))]
    print(f"{len(times)} | {at(0.5):.2f} | {at(0.99):.2f} | {at(1):.2f} | {wrong}", flush=True)


def training(seconds):
    import torch
    import torchvision

    torch.manual_seed(2)
    model = torchvision.models.resnet50().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    images, labels = torch.randn(64, 3, 224, 224).cuda(), torch.randint(0, 1000, (64,)).cuda()
    steps, begin = 0, None
    while begin is None or time.monotonic() - begin < seconds:
        with torch.autocast("cuda", torch.bfloat16):
            loss = torch.nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        torch.cuda.synchronize()
        steps += 1
        if steps == 10:
            print("warm", flush=True)
            begin, steps = time.monotonic(), 10
    print(f"{(steps - 10) / (time.monotonic() - begin):.1f} {'finite' if loss.isfinite() else 'NOT FINITE'}", flush=True)


def row(name, tactus, seconds):
    me = [sys.executable, os.path.abspath(__file__)]
    prefix = []
    if name.isdigit():
        prefix = [tactus, "exec", "--quiet", "--best-effort", "--tier", "timeslice", "--slice", name, "--"]
    low = None
    if name != "none":
        low = subprocess.Popen(
            ["taskset", "-c", "8-15", *prefix, *me, tactus, "--role", "training", "--seconds", str(seconds + 6)],
            stdout=subprocess.PIPE, text=True)
        if low.stdout.readline().strip() != "warm":
            sys.exit("the training did not start")
    if name == "alone":
        print(f"| {name} | - | - | - | - | - | {low.communicate()[0].strip()} |", flush=True)
        return
    seen = subprocess.run(["taskset", "-c", "0-3", *me, tactus, "--role", "urgent", "--seconds", str(seconds)],
                          stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    rate = low.communicate()[0].strip() if low else "-"
    print(f"| {name} | {seen} | {rate} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tactus")
    parser.add_argument("--seconds", type=float, default=12)
    parser.add_argument("--rows", default="none,alone,plain,500,100,1")
    parser.add_argument("--role", choices=["urgent", "training"], help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.role:
        return {"urgent": urgent, "training": training}[given.role](given.seconds)
    print("| training's slice [us] | jobs | p50 [ms] | p99 | max | wrong | training steps/s |")
    print("|---|---|---|---|---|---|---|")
    for name in given.rows.split(","):
        row(name, given.tactus, given.seconds)


if __name__ == "__main__":
    main()
