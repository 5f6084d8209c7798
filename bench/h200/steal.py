#!/usr/bin/env python3
"""What a virtual machine keeps from its CPUs, until it is killed:  steal.py CPU [SLICE_MS [NAP_MS]]

Watches the time on one CPU, which it keeps busy (or looks every NAP_MS), and writes a line for every standstill of at least
SLICE_MS (0.5): when it was (CLOCK_MONOTONIC, s) and how long (ms). At the end, by SIGTERM: how many,
the longest, and the ticks of 10 ms that the kernel counts as stolen from all CPUs.
"""
import os
import signal
import sys
import time


def stolen():
    with open("/proc/stat") as file:
        return int(file.readline().split()[8])


def main():
    os.sched_setaffinity(0, {int(sys.argv[1])})
    slice_ms = float(sys.argv[2]) if len(sys.argv) > 2 else 0.5
    nap = float(sys.argv[3]) / 1000 if len(sys.argv) > 3 else 0.0
    going = [True]
    signal.signal(signal.SIGTERM, lambda *_: going.clear())
    before, count, longest, lost = stolen(), 0, 0.0, 0.0
    begin = last = time.monotonic()
    while going:
        if nap > 0:
            time.sleep(nap)
        now = time.monotonic()
        gap = (now - last - nap) * 1000
        if gap >= slice_ms:
            count, longest, lost = count + 1, max(longest, gap), lost + gap
            print(f"{last:.6f} {gap:.3f}", flush=True)
        last = now
    print(f"standstills {count}, longest {longest:.3f} ms, {lost:.1f} ms of {last - begin:.1f} s; "
          f"stolen {stolen() - before} ticks", flush=True)  # fmt: skip


main()
