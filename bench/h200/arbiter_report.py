#!/usr/bin/env python3
"""Makes the page of results from what arbiter.sh left:  arbiter_report.py OUT > page.md"""

import json
import pathlib
import sys

from tables import number, table

out = pathlib.Path(sys.argv[1])
cases = {path.stem[5:]: json.loads(path.read_text() or "{}") for path in sorted(out.glob("case-*.json"))}
cases = {name: case for name, case in cases.items() if case}
order = ["off", "lock", "channel", "yield", "gate", "off-busy", "channel-busy", "off-two", "channel-two"]

print("## Case study: response times [ms]\n")
for name in order:
    case = cases.get(name)
    if not case:
        continue
    print(f"### {name}: mode {case['sharing']['mode']}, tier {case['sharing'].get('tier', 'none')}, {case['sharing']['wait']}; bounds of {case['method']} ({case['variant']})\n")
    table(
        ["task", "jobs", "min", "mean", "dev", "p99", "max", "disturbed", "max undisturbed", "bound", "misses", "wrong"],
        [
            [t["task"], t["jobs"]] + [number(t["response"][key]) for key in ("min", "mean", "deviation", "p99", "max")] +
            [t["disturbed"], number(t["longest_covered"]), number(t["bound"]), t["misses"], t["process"]["wrong_results"]]
            for t in case["tasks"]
        ],
    )
    for note in case["notes"]:
        print(f"- {note}")
    print()

for off_name, on_name, title in (("off", "channel", ""), ("off-busy", "channel-busy", ", busy waiting"),
                                 ("off-two", "channel-two", ", two loads")):
    if off_name not in cases or on_name not in cases:
        continue
    print(f"## Worst case against the driver's round robin{title}\n")
    rows = []
    for off, on in zip(cases[off_name]["tasks"], cases[on_name]["tasks"]):
        if off["deadline"] is not None and off["process"]["segments"]:
            rows.append([off["task"], number(off["longest"]), number(on["longest"]), f"{off['longest'] / on['longest']:.2f}x",
                         f"{off['longest_covered'] / max(on['longest_covered'], 1e-9):.2f}x"])
    table(["task", "off: max", "arbiter: max", "ratio", "ratio, undisturbed jobs"], rows)

print("## Where the time of the longest job went [ms]\n")
parts = ["response", "late", "cpu", "begin", "launch", "gpu", "end"]
table(["run", "task", "job"] + parts,
      [[name, t["task"], t["process"]["worst"]["job"]] + [number(t["process"]["worst"][part]) for part in parts]
       for name in ("off", "channel", "off-two", "channel-two") for t in cases.get(name, {}).get("tasks", [])
       if t["deadline"] is not None and t["process"]["segments"]])

print("## Begin to exclusive, in the case study [ms]\n")
rows = []
for name in order:
    for t in cases.get(name, {}).get("tasks", []):
        b = t["process"]["begin"]
        if b["count"]:
            rows.append([name, t["task"], b["count"], number(b["p50"], 3), number(b["p99"], 3), number(b["max"], 3)])
table(["run", "task", "begins", "p50", "p99", "max"], rows)

updates = {name: case["sharing"]["updates"] for name, case in cases.items() if "updates" in case["sharing"]}
if updates:
    print("## Updates that moved somebody [ms]\n")
    parts = ["mean", "max", "take_off_max", "put_back_max"]
    table(["run", "updates"] + parts,
          [[name, updates[name]["count"]] + [number(updates[name][part], 3) for part in parts]
           for name in order if name in updates])

together = {n: json.loads(path.read_text()) for n in (1, 2, 4) if (path := out / f"together-{n}.json").exists() and path.read_text()}
if 1 in together:
    print("## Context switch of the driver's round robin\n")
    print("theta = (E_n - n E_1) / (n E_1) * L, L = 2.048 ms; E_n: n identical kernels of 40 ms, each process one after the other.\n")
    kernels = {n: [t for t in run["tasks"] if t["task"] != "idle"] for n, run in together.items()}
    alone = kernels[1][0]["response"]["p50"]
    rows = []
    for n, tasks in kernels.items():
        for t in tasks:
            seen = t["response"]
            theta = [(seen[k] - n * alone) / (n * alone) * 2.048 for k in ("p50", "max")]
            rows.append([n, t["task"], t["jobs"], number(seen["p50"]), number(seen["max"])] + ([number(x, 3) for x in theta] if n > 1 else ["-", "-"]))
    table(["n", "process", "kernels", "E_n p50", "E_n max", "theta p50", "theta max"], rows)

tiers = json.loads((out / "tiers.json").read_text())
print(f"## Tiers: {tiers['gpu']}, driver {tiers['driver']}\n")
table(
    ["tier", "rounds", "off p50", "off p99", "off max", "on p50", "on p99", "on max"],
    [
        [t["tier"], len(t["take_off"]["all"])] + [number(t[w][k], 3) for w in ("take_off", "put_back") for k in ("p50", "p99", "max")]
        for t in tiers["tiers"] if "take_off" in t
    ],
)
print("Histograms (count by 50 us):\n")
for t in tiers["tiers"]:
    for way in ("take_off", "put_back"):
        if way in t:
            bins = {}
            for time in t[way]["all"]:
                bins[int(time * 20)] = bins.get(int(time * 20), 0) + 1
            print(f"- {t['tier']} {way}: " + ", ".join(f"{k * 50} us: {bins[k]}" for k in sorted(bins)))
print()
log = (out / "arbiter.log").read_text().split("\n== ")
parts = {part.split(" (")[0]: part.split("\n", 1)[1].strip() for part in log if "\n" in part}
for title, text in parts.items():
    if title.startswith("overhead"):
        print("## Overhead on a program that is never preempted\n\n```\n" + text + "\n```\n")
        rates = {way: [float(line.split(" s, ")[1].split()[0]) for line in text.split("\n") if line.startswith(way) and " s, " in line]
                 for way in ("alone", "exec")}
        if rates["alone"] and rates["exec"]:
            best = {way: max(found) for way, found in rates.items()}
            print(f"Best of each: {best['alone']:.0f} and {best['exec']:.0f} kernels a second; overhead {100 * (1 - best['exec'] / best['alone']):.2f} %.\n")
    if title.startswith("an unmodified") or title.startswith("the CUDA program again"):
        print(f"## {title[0].upper() + title[1:]}\n\n```\n{text}\n```\n")
