#!/usr/bin/env python3
"""How many task sets are admitted completely when their tasks ask one after the other in a random order,
beside what is schedulable when all are known before; and what it costs to hold programs to their times.

    bench/reserve_acceptance.py TACTUS [--sets 200] [--svg FILE] [--jobs 2]

Sets of gcaps-table3, four cores, by the utilization of a core. Prints a table in percent; the same as a
figure."""

import argparse
import concurrent.futures
import json
import pathlib
import random
import subprocess
import tempfile

UTILIZATIONS = [0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6]
ROWS = {
    "offline, file's GPU order": ("analyze", "gcaps.boost.suspend"),
    "offline, any GPU order": ("analyze", "gcaps.boost.suspend.prio"),
    "admitted": ("reserve", ["--trust", "--no-enforce"]),
    "admitted, first place only": ("reserve", ["--trust", "--no-enforce", "--no-all-places"]),
    "admitted, GPU times enforced": ("reserve", ["--trust"]),
    "admitted, CPU times, too": ("reserve", []),
}
COLORS = ["#111111", "#888888", "#0072b2", "#56b4e9", "#d55e00", "#e69f00"]


def holds(tactus, utilization, seed):
    """For each row, does it hold for this set?"""
    drawn = subprocess.run(
        [tactus, "lab", "generate", "gcaps-table3", "--seed", str(seed), "--set", f"util-min={utilization}",
         "--set", f"util-max={utilization}"], capture_output=True, text=True, check=True)  # fmt: skip
    system = json.loads(drawn.stdout)
    random.Random(seed).shuffle(system["tasks"])
    found = []
    with tempfile.NamedTemporaryFile("w", suffix=".system.json") as file:
        json.dump(system, file)
        file.flush()
        for verb, how in ROWS.values():
            if verb == "analyze":
                told = subprocess.run([tactus, "analyze", file.name, "-m", how, "--json"], capture_output=True, text=True)
                found.append(json.loads(told.stdout)["status"] == "schedulable")
            else:
                found.append(subprocess.run([tactus, "reserve", file.name, "--dry", "--no-instead", *how],
                                            capture_output=True).returncode == 0)  # fmt: skip
    return found


def svg(rows):
    def at(k, percent):
        return f"{60 + 50 * k},{220 - 2 * percent:.0f}"

    lines = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 260" font-family="sans-serif" font-size="12">']
    lines += [f'<text x="{52 + 50 * k}" y="240">{u}</text>' for k, u in enumerate(UTILIZATIONS)]
    lines += [f'<text x="20" y="{224 - 2 * p}">{p}</text><line x1="55" x2="465" y1="{220 - 2 * p}" y2="{220 - 2 * p}" '
              f'stroke="#ddd"/>' for p in (0, 25, 50, 75, 100)]  # fmt: skip
    lines += ['<text x="180" y="256">utilization of a core</text><text x="4" y="12">sets, %</text>']
    for color, (name, values), y in zip(COLORS, rows.items(), range(40, 300, 22)):
        points = " ".join(at(k, value) for k, value in enumerate(values))
        lines.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"/>'
                     f'<text x="480" y="{y}" fill="{color}">{name}</text>')  # fmt: skip
    return "\n".join([*lines, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tactus")
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--svg", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    rows = {name: [] for name in ROWS}
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for utilization in UTILIZATIONS:
            sets = list(pool.map(lambda seed: holds(arguments.tactus, utilization, seed), range(1, arguments.sets + 1)))
            for name, values in zip(rows, zip(*sets)):
                rows[name].append(100 * sum(values) / arguments.sets)
    print("| utilization of a core | " + " | ".join(map(str, UTILIZATIONS)) + " |\n|" + "---|" * (len(UTILIZATIONS) + 1))
    for name, values in rows.items():
        print(f"| {name} | " + " | ".join(f"{value:.0f}" for value in values) + " |")
    if arguments.svg:
        arguments.svg.write_text(svg(rows))


if __name__ == "__main__":
    main()
