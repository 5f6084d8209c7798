"""Uses an installed Python package as a user does: tests/packaging/use.py"""

import warnings

import tactus

robot = tactus.examples.robot()
assert tactus.analyze(robot, "gcaps.suspend").schedulable
assert tactus.plan(robot, "gang.wc")
assert tactus.simulate(robot, "gcaps.suspend", duration=1000)
warnings.simplefilter("ignore")
with tactus.segment(priority=1):
    pass
print("  works: Python", tactus.version(), "in", tactus.__file__)
