#!/usr/bin/env python3
"""A method of your own, as a command (docs/use/own-methods.md):

    tactus analyze robot.system.json --method-command 'mine.sum=python3 mine.py'

Tactus writes one question per line to our standard input, as JSON; we answer each with one line on
our standard output. Replace `analyse` by your own analysis; the rest can stay.

The analysis here is simple and pessimistic. While a job waits under `gcaps.suspend`, something
works for some task. So its response is at most the work of all tasks in that time:

    R = E_own + sum over the other tasks j of ceil((R + D_j) / T_j) * E_j

where E_j is everything that a job of task j needs, with two runlist updates and two preemption
delays per node on the GPU. It relies on the other tasks meeting their deadlines D_j <= T_j."""

import json
import sys
from fractions import Fraction


class NotApplicable(Exception):
    """The method does not cover this system."""


def work_of(task, elements, delays):
    """All that one job of a task needs, wherever."""
    total = Fraction(0)
    for node in task["nodes"]:
        if "wcet" not in node:
            raise NotApplicable(f"node {node['name']} of task {task['name']} has no wcet")
        total += node["wcet"] + node.get("launch", 0)
        if elements[node["on"]]["kind"] != "cpu":
            total += 2 * delays[node["on"]]
    return total


def response(own, others, deadline):
    """The least solution of the equation above, or nothing beyond the deadline."""
    bound = own["work"]
    while bound <= deadline:
        longer = own["work"] + sum(-(-(bound + other["deadline"]) // other["period"])
                                   * other["work"] for other in others)
        if longer == bound:
            return bound
        bound = longer
    return None


def analyse(system):
    """What we prove about a system: the status and a bound per task."""
    elements = {element["name"]: element for element in system["platform"]["elements"]}
    # What a system file may leave out can be missing here as well (docs/use/format.md).
    delays = {}
    for name, element in elements.items():
        if element["kind"] == "gpu" and "runlist_update" not in element:
            raise NotApplicable(f"element {name} has no runlist_update")
        delays[name] = element.get("runlist_update", 0) + element.get("preemption_delay", 0)
    tasks = []
    for task in system["tasks"]:
        if task.get("best_effort") or "period" not in task:
            raise NotApplicable(f"task {task['name']} is best effort or has no period")
        deadline = task.get("deadline", task["period"])
        if deadline > task["period"]:
            raise NotApplicable(f"the deadline of task {task['name']} exceeds its period")
        tasks.append({"name": task["name"], "period": task["period"], "deadline": deadline,
                      "work": work_of(task, elements, delays)})
    verdicts = []
    for task in tasks:
        bound = response(task, [other for other in tasks if other is not task], task["deadline"])
        verdicts.append({"task": task["name"], "bound": None if bound is None else rounded_up(bound),
                         "schedulable": bound is not None})
    proved = all(verdict["schedulable"] for verdict in verdicts)
    return {"status": "schedulable" if proved else "unschedulable", "tasks": verdicts}


def rounded_up(value):
    """To six digits: a bound must not become smaller."""
    return int(-(-value * 10**6 // 1)) / 10**6


def main():
    for line in sys.stdin:
        question = json.loads(line, parse_float=Fraction)
        try:
            answer = analyse(question["system"])
        except NotApplicable as reason:
            answer = {"status": "not-applicable", "reason": str(reason)}
        answer["question"] = question["question"]
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
