#!/usr/bin/env python3
"""The tables of a run of run.sh, as Markdown: what was seen against what was proved."""
import json
import os
import sys

import tables

folder = sys.argv[1]
runs = {}
for name in sorted(os.listdir(os.path.join(folder, "runs"))):
    with open(os.path.join(folder, "runs", name)) as file:
        try:
            runs[name[: -len(".json")]] = json.load(file)
        except json.JSONDecodeError:
            pass
exits = {}
with open(os.path.join(folder, "exits")) as file:
    for line in file:
        name, code, *why = line.split(maxsplit=2)
        exits[name] = (int(code), why[0].strip() if why else "")


def table(header, rows):
    if rows:
        tables.table(header, rows)


def families(prefix):
    return {name: run for name, run in runs.items() if name.startswith(prefix)}


def bound_holds(run):
    return all(t["bound"] is None or t["longest_covered"] <= t["bound"] for t in run["tasks"])


def percent(part, whole):
    return f"{100 * part / whole:+.1f} %" if whole else "-"


machine = next(iter(runs.values()))["machine"] if runs else {}
print(f"# Plans run on {machine.get('name', 'nothing')}, {machine.get('sms', 0)} SMs\n")
for feature in machine.get("features", []):
    print(f"- {feature}")
print()

rows = []
for name, run in families("dag-").items():
    if not name.endswith(".balanced"):
        continue
    base = name[: -len(".balanced")]
    _, graph, load, sms = base.split("-")
    balanced = run["tasks"][0]
    greedy = runs.get(base + ".greedy", {"tasks": []})["tasks"]
    response = balanced["response"]
    row = [graph, load, sms, balanced["jobs"], response["max"], response["mean"], response["deviation"],
           balanced["bound"], "yes" if bound_holds(run) else "NO",
           sum(n["narrowest"] != n["asked"] or n["widest"] != n["asked"] for n in run["nodes"]),
           run["failed"]]
    if greedy:
        other = greedy[0]["response"]
        row += [other["max"], other["mean"], other["deviation"],
                percent(other["mean"] - response["mean"], other["mean"]),
                percent(other["max"] - response["max"], other["max"])]
    else:
        row += ["-"] * 5
    rows.append(row)
if rows:
    print("## dag: balanced against concurrent greedy (times in ms)\n")
table(["graph", "load", "M", "runs", "max", "mean", "std", "bound", "holds", "widths off",
       "out of order", "greedy max", "mean", "std", "gain mean", "gain max"], rows)

rows = []
for name, run in families("graphs-").items():
    if not name.endswith(".balanced"):
        continue
    base = name[: -len(".balanced")]

    def means(suffix):
        return [runs[f"{base}.{plan}{suffix}"]["tasks"][0]["response"]["mean"]
                for plan in ("balanced", "greedy")]
    try:
        seen, said = means(""), means(".emulated")
    except KeyError:
        continue
    rows.append([base[len("graphs-"):], run["tasks"][0]["jobs"], *seen,
                 percent(seen[1] - seen[0], seen[1]), *said, percent(said[1] - said[0], said[1]),
                 "yes" if bound_holds(run) else "NO"])
if rows:
    print("## dag: more graphs of one shape, measured and emulated (means in ms)\n")
table(["graph-load-M-seed", "runs", "balanced", "greedy", "gain", "emulated balanced", "greedy", "gain",
       "bound holds"], rows)

rows = []
for name, run in families("rtgpu-").items():
    kind = name.rsplit(".", 1)[1]
    misses = sum(t["misses"] for t in run["tasks"])
    jobs = sum(t["jobs"] for t in run["tasks"])
    closest = max((t["longest_covered"] / t["bound"] for t in run["tasks"] if t["bound"]), default=0)
    rows.append([name.rsplit(".", 1)[0][len("rtgpu-"):], kind, jobs, misses,
                 "yes" if bound_holds(run) else "NO", f"{closest:.3f}" if closest else "-",
                 run["failed"]])
if rows:
    print("## rtgpu: what is proved, and what runs without a miss\n")
    points = {}
    for place, kind, _, misses, *_ in rows:
        point = points.setdefault(place.split("-")[0], [0, 0, 0, 0])
        point[0] += 1
        point[1] += kind == "proved"
        point[2] += misses == 0
        point[3] += kind == "proved" and misses > 0
    table(["utilization", "sets", "proved", "without a miss", "proved, but missed"],
          [[utilization, *point] for utilization, point in points.items()])
table(["utilization-seed", "analysis", "jobs", "misses", "bound holds", "longest / bound", "failed"],
      rows)

rows = []
for name, run in families("pbs-").items():
    batches = run["batches"]
    rows.append([name, sum(t["jobs"] for t in run["tasks"]), sum(t["misses"] for t in run["tasks"]),
                 sum(batches["late_by_host"].values()), sum(batches["late_by_batches"].values()),
                 batches["played"], batches["overrun"]] +
                [f"{1000 * batches['late'][key]:.1f}" for key in ("p50", "p99", "max")])
if rows:
    print("## pbs: tables played (lateness of batches in us)\n")
    print("Late jobs ended after the table says; of those blamed on the host none would have been late, "
          "had every batch been submitted when it was due.\n")
table(["set", "jobs", "misses", "late by host", "late by batches", "batches", "overruns", "late p50",
       "p99", "max"], rows)

rows = []
for name, run in families("gang-").items():
    for task in run["tasks"]:
        response = task["response"]
        rows.append([name, task["task"], task["jobs"], response["mean"], response["p99"],
                     response["max"], task["bound"] if task["bound"] is not None else "-",
                     task["misses"], f"{1000 * task['late']['max']:.1f}"])
if rows:
    print("## gang: four HOG graphs, on shares of their own and on one shared GPU (ms)\n")
table(["run", "task", "jobs", "mean", "p99", "max", "bound", "misses", "latest release (us)"], rows)

bad = [(name, code, why) for name, (code, why) in exits.items() if code != 0]
if bad:
    print("## Runs that did not end with exit code 0\n")
    for name, code, why in bad:
        print(f"- {name}: exit {code} {why}")
