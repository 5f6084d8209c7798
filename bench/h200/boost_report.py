#!/usr/bin/env python3
"""Makes the tables of results from what boost.sh left, or from its packed documents (bench/pack):

    boost_report.py OUT > tables.md
"""

import gzip
import json
import pathlib
import sys

import tables
from tables import table

out = pathlib.Path(sys.argv[1])
MODES = {"off": "round robin", "lock": "lock", "arbiter": "GCAPS arbiter", "boost": "boost, channel", "hold": "boost, hold"}


def number(value):
    return tables.number(value, 1)


def quantiles(values):
    ordered = sorted(values)
    return [ordered[int(part * (len(ordered) - 1))] for part in (0, 0.5, 0.9, 0.99, 0.999, 1)]


def events(name):
    path = out / f"operations-{name}.log"
    opened = path.open() if path.exists() else gzip.open(f"{path}.gz", "rt")
    with opened as file:
        return [json.loads(line) for line in file]


def spans(log):
    """From the opening of each gate to the completion behind it, us; and did another client run before?"""
    opened, last, found = {}, None, []
    for event in log:
        key = event["client"], event.get("segment")
        if event["event"] == "open":
            opened[key] = event["t"], last
        elif event["event"] == "complete" and key in opened:
            begin, before = opened.pop(key)
            found.append(((event["t"] - begin) / 1e3, before not in (None, event["client"])))
            last = event["client"]
    return found


def operations():
    """What operations took. A start with its change of context: the same work, less what it takes alone."""
    alone = quantiles([span for span, changed in spans(events("alone")) if not changed])
    rows = []
    turns = [span - alone[1] for span, changed in spans(events("turns")) if changed]
    rows.append(["start, another process ran before", len(turns)] + [number(x) for x in quantiles(turns)])
    for kind, what in (("off", "off"), ("on", "on")):
        took = [event["took_ns"] / 1e3 for event in events("loop") if event["event"] == kind and "took_ns" in event]
        rows.append([what, len(took)] + [number(x) for x in quantiles(took)])
    print("## Operations [us]\n")
    table(["operation", "n", "min", "p50", "p90", "p99", "p99.9", "max"], rows)


def lost_per_second(case):
    sharing, seconds = case["sharing"], float(case["end"]) / 1000
    if "operations" in sharing:
        kinds = [sharing["operations"][kind] for kind in ("start", "off", "on")]
        return sum(kind["count"] * kind["mean"] for kind in kinds) / seconds
    if "updates" in sharing:
        return sharing["updates"]["count"] * sharing["updates"]["mean"] / seconds
    return None


def documents():
    """By the names of their files."""
    if out.suffix == ".gz":
        with gzip.open(out, "rt", encoding="utf-8") as file:
            return json.load(file)
    return {path.stem: json.loads(path.read_text()) for path in out.glob("case-*.json") if path.stat().st_size}


def cases(all_cases, loads):
    found = {mode: all_cases.get(f"case-{mode}-{loads}") for mode in MODES}
    found = {mode: case for mode, case in found.items() if case}
    if not found:
        return
    print(f"## Case study, {loads} loads: longest / p99 (bound) [ms]\n")
    first = next(iter(found.values()))
    rows = []
    for place, task in enumerate(first["tasks"]):
        if task["deadline"] is None:
            continue
        row = [task["task"]]
        for case in found.values():
            seen = case["tasks"][place]
            row.append(f"{number(seen['longest'])} / {number(seen['response']['p99'])} ({number(seen['bound'])})")
        rows.append(row)
    table(["task"] + [MODES[mode] for mode in found], rows)
    table(["", *[MODES[mode] for mode in found]], [
        ["jobs disturbed"] + [sum(t["disturbed"] for t in case["tasks"] if t["deadline"] is not None) for case in found.values()],
        ["longest undisturbed over its bound"] + [sum(1 for t in case["tasks"] if t["bound"] and t["longest_covered"] > t["bound"]) for case in found.values()],
        ["misses"] + [sum(t["misses"] for t in case["tasks"]) for case in found.values()],
        ["preemptions (GCAPS: updates)"] + [case["sharing"].get("operations", {}).get("off", {}).get("count") if "operations" in case["sharing"] else case["sharing"].get("updates", {}).get("count", "-") for case in found.values()],
        ["operations, ms of each second"] + [number(lost_per_second(case)) for case in found.values()],
    ])  # fmt: skip


if any(out.glob("operations-alone.log*")):
    operations()
known = documents()
for count in (2, 4):
    cases(known, count)
