#!/usr/bin/env python3
"""How long a real-time begin takes while another process connects to the arbiter and hangs up,
again and again; and the same without it.

    bench/begin_beside_flood.py BUILD... [--begins N] [--rounds N] [--alone]

BUILD is a folder with tactusd and libtactus_client.so; of several, the rounds take turns, so that
what else the machine does meets all of them. With --alone (root) everything that is measured runs as
SCHED_FIFO, the flood below the arbiter and its client: as on a machine that does nothing else."""

import argparse
import ctypes
import json
import os
import pathlib
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time


def settle(alone, priority):
    if alone:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))


def flood(path):
    while True:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as one:
            one.setblocking(False)
            try:
                one.connect(path)
            except BlockingIOError:  # the queue is full: as it should be
                pass


def client(build, path, count, alone, said, heard):
    """A process of its own, since the library is another one for each build. It joins, says so, and
    when it is told to measures its begins."""
    os.environ["TACTUS_SOCKET"] = path
    settle(alone, 10)
    library = ctypes.CDLL(str(build / "libtactus_client.so"))
    library.tactus_segment_begin(70)
    library.tactus_segment_end()
    os.write(said, b"joined")
    os.read(heard, 1)
    took = []
    for _ in range(count):
        start = time.perf_counter_ns()
        result = library.tactus_segment_begin(70)
        took.append((time.perf_counter_ns() - start, result))
        library.tactus_segment_end()
        time.sleep(0.002)
    os.write(said, json.dumps(took).encode())


def in_a_process(work):
    process = os.fork()
    if process == 0:
        work()
        os._exit(0)
    return process


def measure(build, flooded, count, alone):
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/own/s"
        daemon = subprocess.Popen([build / "tactusd", "--socket", path, "--no-fast-path"],
                                  preexec_fn=lambda: settle(alone, 10))
        while not os.path.exists(path):
            time.sleep(0.01)
        (from_client, said), (heard, to_client) = os.pipe(), os.pipe()
        in_a_process(lambda: client(build, path, count, alone, said, heard))
        os.close(said)
        os.read(from_client, 6)
        attacker = in_a_process(lambda: (settle(alone, 5), flood(path))) if flooded else 0
        time.sleep(0.2)
        os.write(to_client, b"x")
        with os.fdopen(from_client) as measured:
            took = json.load(measured)
        if attacker:
            os.kill(attacker, signal.SIGKILL)
            os.waitpid(attacker, 0)
        os.wait()
        daemon.terminate()
        daemon.wait()
        for end in (heard, to_client):
            os.close(end)
        return took


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("builds", nargs="+", type=pathlib.Path, metavar="BUILD")
    parser.add_argument("--begins", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--alone", action="store_true")
    arguments = parser.parse_args()
    found = {}
    for _ in range(arguments.rounds):
        for build in arguments.builds:
            for flooded in (False, True):
                took = measure(build.resolve(), flooded, arguments.begins, arguments.alone)
                found.setdefault((build, flooded), []).append(took)
    print("| build | beside a flood | p50 ms | p99 ms | max ms | unarbitrated |\n|---|---|---|---|---|---|")
    for (build, flooded), rounds in found.items():
        def median_of(what):
            return statistics.median(what(sorted(ns for ns, _ in took)) / 1e6 for took in rounds)
        lost = sum(result == 2 for took in rounds for _, result in took)
        print(f"| {build} | {'yes' if flooded else 'no'} | {median_of(lambda ns: ns[len(ns) // 2]):.3f} "
              f"| {median_of(lambda ns: ns[len(ns) * 99 // 100]):.3f} "
              f"| {median_of(lambda ns: ns[-1]):.3f} | {lost} |")
    print(f"\nMedians of {arguments.rounds} rounds; load {os.getloadavg()[0]:.0f}.", file=sys.stderr)


if __name__ == "__main__":
    main()
