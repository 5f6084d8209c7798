#!/usr/bin/env python3
"""Which lines of tactus/ the tests have run, room by room.

    tests/coverage/report.py --build build-coverage [--below 80]

Reads what gcov says of every object file of the build; a line counts once, however many objects hold it.
The CUDA backend is left out, because it runs on a GPU only. --below lists files with fewer percent.
"""
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
LEFT_OUT = ("tactus/runtime/cuda/",)
GOAL = 90


def notes_of(build):
    for folder, _, names in os.walk(build):
        for name in names:
            if name.endswith(".gcno"):
                yield os.path.join(folder, name)


def lines_of(notes, build):
    """What one object says, by file of tactus/ and by line: was it run?"""
    said = subprocess.run(["gcov", "--json-format", "--stdout", notes], cwd=build,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    told = {}
    for text in said.stdout.decode("utf-8", "replace").splitlines():
        for file in json.loads(text)["files"] if text.startswith("{") else ():
            path = os.path.relpath(os.path.join(build, file["file"]), SOURCE)
            if path.startswith("tactus/") and not path.startswith(LEFT_OUT):
                add(told, path, ((line["line_number"], line["count"] > 0) for line in file["lines"]))
    return told


def add(seen, path, lines):
    kept = seen.setdefault(path, {})
    for number, was_run in lines:
        kept[number] = kept.get(number, False) or was_run


def lines_run(build):
    seen = {}
    with concurrent.futures.ProcessPoolExecutor() as pool:
        objects = sorted(notes_of(build))
        for told in pool.map(lines_of, objects, [build] * len(objects), chunksize=8):
            for path, lines in told.items():
                add(seen, path, lines.items())
    return seen


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--below", type=float, default=0, help="list files with fewer percent")
    arguments = parser.parse_args()
    seen = lines_run(os.path.abspath(arguments.build))
    if not seen:
        sys.exit("report.py: nothing was built with coverage there")
    rooms = {}
    for path, lines in seen.items():
        room = rooms.setdefault("/".join(path.split("/")[:2]), [0, 0])
        room[0] += sum(lines.values())
        room[1] += len(lines)
    print(f"{'room':20} {'lines':>7} {'run':>7} {'%':>6}")
    for room, (run, all_lines) in sorted(rooms.items()):
        print(f"{room:20} {all_lines:7,} {run:7,} {100 * run / all_lines:6.1f}")
    run, all_lines = (sum(room[i] for room in rooms.values()) for i in (0, 1))
    print(f"{'all':20} {all_lines:7,} {run:7,} {100 * run / all_lines:6.1f}   (goal: {GOAL})")
    low = sorted((100 * sum(lines.values()) / len(lines), path, lines) for path, lines in seen.items()
                 if lines and 100 * sum(lines.values()) / len(lines) < arguments.below)
    for percent, path, lines in low:
        missing = sorted(number for number, was_run in lines.items() if not was_run)
        print(f"{percent:5.1f} {path}: {' '.join(map(str, missing[:25]))}{' ...' if len(missing) > 25 else ''}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
