#!/usr/bin/env python3
"""A forklift: does it work, how close is it to the edge, and what should be changed?

    ./run python examples/forklift.py
"""

import tactus


def main() -> None:
    system = tactus.examples.forklift()

    analysis = tactus.analyze(system)
    proved = [verdict.method for verdict in analysis.verdicts if verdict.schedulable]
    print(f"{system.name}: {analysis.status}, proved by {len(proved)} of {len(analysis.verdicts)} methods")

    # Which way to run it leaves most room, if tasks may move to other cores?
    advice = tactus.advise(system, vary=["cores"], target="tactusd")
    best = advice.best
    print(f"best: {best.method} ({best.variant}); all times may grow to {best.factor} of the file's")

    # Where is the edge?
    slack = tactus.slack(advice.system)
    print("the detector may take", slack["camera.detect.wcet"].holds, "ms; then",
          slack["camera.detect.wcet"].breaks, "is late")

    # What if the detector is replaced by a slower one?
    slower = tactus.analyze(system.changed("camera.detect.wcet=14"), best.method)
    late = [task.task for task in slower.verdicts[0].tasks if not task.schedulable]
    print("with 14 ms:", slower.status, "late:" if late else "", ", ".join(late))

    # What would happen at run time?
    run = tactus.simulate(advice.system, plan=advice.plan, scenario="sporadic,uniform", seed=7)
    for task in run.tasks:
        if task.bound is not None:
            print(f"  {task.task:8} longest {task.longest:9.3f} ms, proved {task.bound:7.3f} ms")
    assert run.good


if __name__ == "__main__":
    main()
