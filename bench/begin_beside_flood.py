#!/usr/bin/env python3
"""How long a real-time begin takes while another process connects to the arbiter and hangs up,
again and again; and the same without it.

    bench/begin_beside_flood.py BUILD... [--begins N] [--rounds N]

BUILD is a folder with tactusd and libtactus_client.so; of several, the rounds take turns, so that
what else the machine does meets all of them."""

import argparse
import ctypes
import os
import pathlib
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time


def flood(path):
    while True:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as one:
            one.setblocking(False)
            try:
                one.connect(path)
            except BlockingIOError:  # the queue is full: as it should be
                pass


def begins(build, path, count):
    """In a process of its own: the library is another one for each build."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.environ["TACTUS_SOCKET"] = path
        client = ctypes.CDLL(str(build / "libtactus_client.so"))
        took = []
        for _ in range(count):
            start = time.perf_counter_ns()
            result = client.tactus_segment_begin(70)
            took.append((time.perf_counter_ns() - start, result))
            client.tactus_segment_end()
            time.sleep(0.002)
        os.write(writer, repr(took).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as said:
        return eval(said.read())  # our own child's list of numbers


def measure(build, flooded, count):
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/own/s"
        daemon = subprocess.Popen([build / "tactusd", "--socket", path, "--no-fast-path"])
        while not os.path.exists(path):
            time.sleep(0.01)
        attacker = 0
        if flooded:
            attacker = os.fork()
            if attacker == 0:
                flood(path)
        took = begins(build, path, count)
        if attacker:
            os.kill(attacker, signal.SIGKILL)
            os.waitpid(attacker, 0)
        daemon.terminate()
        daemon.wait()
        return took


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("builds", nargs="+", type=pathlib.Path, metavar="BUILD")
    parser.add_argument("--begins", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    found = {}
    for _ in range(arguments.rounds):
        for build in arguments.builds:
            for flooded in (False, True):
                took = measure(build.resolve(), flooded, arguments.begins)
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
