#!/usr/bin/env python3
"""What an arbiter can gain over round robin at all: both simulated on a case study, for several loads.

    attainable.py TACTUS FILE

Work fills 85 % of its bounds, each task has a core, a context switch takes what was measured (0.18 ms) and an update
what was measured for as many loads (0.3 ms and 0.6 ms for each)."""
import json
import re
import subprocess
import sys
import tempfile

program, path = sys.argv[1:]
with open(path) as file:
    case_study = json.loads(re.sub(r"^\s*//.*$", "", file.read(), flags=re.M))


def variant(loads, scale):
    system = json.loads(json.dumps(case_study))
    urgent = [task for task in system["tasks"] if not task.get("best_effort")]
    system["tasks"] = urgent + [task for task in system["tasks"] if task.get("best_effort")][:loads]
    system["platform"]["elements"][0]["units"] = len(system["tasks"])
    gpu = system["platform"]["elements"][1]
    gpu["context_switch"], gpu["runlist_update"] = 0.18, round(0.3 + 0.6 * loads, 3)
    for core, task in enumerate(system["tasks"], 1):
        task["core"] = core
        by = 1 if task.get("best_effort") else scale
        if "period" in task:
            task["period"] *= by
        for node in task["nodes"]:
            for time in {"wcet", "launch"} & node.keys():
                node[time] = round(node[time] * 0.85 * by, 6)
    return system


def longest(system, policy, variant_name):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(system, file)
        file.flush()
        ran = subprocess.run([program, "simulate", file.name, "--policy", policy, "--variant", variant_name,
                              "--duration", "30000", "--json"], capture_output=True, text=True)
    return {task["task"]: task["longest"] for task in json.loads(ran.stdout)["tasks"]}


print("| times of the file x | loads | task | round robin | arbiter | ratio |\n|---|---|---|---|---|---|")
for scale in (0.5, 1):
    for loads in (2, 3, 4):
        system = variant(loads, scale)
        off = longest(system, "tsg-rr.suspend", "safe")
        on = longest(system, "gcaps.suspend", "safe-arbiter")
        for task in system["tasks"]:
            if not task.get("best_effort") and any(node["on"] == "gpu" for node in task["nodes"]):
                name = task["name"]
                print(f"| {scale} | {loads} | {name} | {off[name]:.1f} | {on[name]:.1f} | {off[name] / on[name]:.2f}x |")
