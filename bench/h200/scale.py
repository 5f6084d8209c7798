#!/usr/bin/env python3
"""Scales every time of a system file, and sets the latency extension of its kernels.

    scale.py IN OUT --by 0.25 [--interleave 2]

A set drawn in milliseconds then runs four times as fast; shares and widths stay as they are."""
import argparse
import json
from decimal import Decimal

TIMES = {"period", "deadline", "offset", "wcet", "bcet", "load", "load_min", "overhead", "launch",
         "t_min", "completion", "time_slice", "context_switch", "runlist_update", "preemption_delay"}


def scaled(value, by, interleave, key=None):
    if isinstance(value, dict):
        return {k: scaled(v, by, interleave, k) for k, v in value.items()}
    if isinstance(value, list):
        return [scaled(v, by, interleave) for v in value]
    if key in TIMES:
        # Whole nanoseconds of a millisecond, rounded up.
        return float((Decimal(str(value)) * by).quantize(Decimal("0.000001"), "ROUND_CEILING"))
    if key == "interleave" and interleave is not None:
        return interleave
    return value


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--by", type=Decimal, default=Decimal(1))
    parser.add_argument("--interleave", type=float)
    arguments = parser.parse_args()
    with open(arguments.source) as file:
        system = json.load(file)
    with open(arguments.target, "w") as file:
        json.dump(scaled(system, arguments.by, arguments.interleave), file)


main()
