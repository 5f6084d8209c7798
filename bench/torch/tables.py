#!/usr/bin/env python3
"""The tables of a page of results, from what deadlines.py and processes.py wrote.

    bench/torch/tables.py FILE.json ... | RECORD.json.gz (bench/pack)
"""

import gzip
import json
import sys


def number(value, digits=2):
    return "-" if value is None else f"{value:.{digits}f}"


def table(mode, seen):
    steps = seen.get("steps_per_s")
    print(f"### {mode}" + (f" (training: {steps:.2f} steps/s)" if steps else "") + "\n")
    if "failed" in seen:
        return print(f"Failed: {seen['failed']}\n")
    if not seen["tasks"]:
        return None
    print("| task | jobs | p50 | p99 | max | bound | misses | wrong outputs |")
    print("|---|---|---|---|---|---|---|---|")
    for name, task in seen["tasks"].items():
        if task.get("wrong") is None:
            continue  # the training
        compared = f" of {task['compared']}" if task.get("compared") else ""
        print(f"| {name} | {task['jobs']} | {number(task['p50'])} | {number(task['p99'])} | "
              f"{number(task['max'])} | {number(task.get('bound'), 3)} | {task['misses']} | "
              f"{task['wrong']}{compared} |")  # fmt: skip
    print()


for path in sys.argv[1:]:
    packed = path.endswith(".gz")
    with (gzip.open if packed else open)(path, "rt", encoding="utf-8") as file:
        found = json.load(file)
    for document in found.values() if packed else [found]:
        for mode, seen in document.get("modes", {}).items():
            table(mode, seen)
