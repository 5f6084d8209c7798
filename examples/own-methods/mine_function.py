#!/usr/bin/env python3
"""A method of your own, as a Python function (docs/use/own-methods.md). Run this file to see it
beside the methods of Tactus; or let the program `tactus` use it, in experiments too:

    tactus analyze robot.system.json --method-command 'mine.window=python3 mine_function.py'

The analysis: see mine.py, of which this is the same in fewer lines."""

import sys
from fractions import Fraction
from math import ceil

import tactus


@tactus.method("mine.window", policy="gcaps.suspend")
def window(system):
    """The work of all tasks while a job waits."""
    costs = {}
    for element in system.platform.elements:
        costs[element.name] = Fraction(element.runlist_update or 0) + Fraction(
            element.preemption_delay or 0)
    work, deadline = {}, {}
    for task in system.tasks:
        if task.best_effort or task.period is None:
            raise tactus.NotApplicable(f"task {task.name} is best effort or has no period")
        deadline[task.name] = task.deadline or task.period
        if deadline[task.name] > task.period:
            raise tactus.NotApplicable(f"the deadline of task {task.name} exceeds its period")
        work[task.name] = sum(
            Fraction(node.wcet) + Fraction(node.launch or 0) + 2 * costs[node.on]
            for node in task.nodes)
    bounds = {}
    for task in system.tasks:
        bound, longer = None, work[task.name]
        while longer != bound and longer <= deadline[task.name]:
            bound = longer
            longer = work[task.name] + sum(
                ceil((bound + deadline[other.name]) / Fraction(other.period)) * work[other.name]
                for other in system.tasks if other is not task)
        bounds[task.name] = bound if longer == bound else None
    return bounds


def main():
    system = next(tactus.generate("gcaps-small", seed=4))
    analysis = tactus.analyze(system, ["mine.window", "gcaps.suspend"])
    for verdict in analysis.verdicts:
        print(verdict.method, verdict.status)
    found = tactus.validate("mine.window", count=50, runs=3)
    print("violations:", found.violations)


if __name__ == "__main__":
    if sys.stdin.isatty() or "--show" in sys.argv:
        main()
    else:
        tactus.answer_questions()
