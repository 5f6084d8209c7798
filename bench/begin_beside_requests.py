#!/usr/bin/env python3
"""How long a segment waits for its gate while ten users ask for reservations, ten times a second each, and
the same without them; and how long those wait for an answer.

    bench/begin_beside_requests.py BUILD [--seconds 10] [--rounds 3] [--realtime]     (as root: other users)

BUILD has tactusd, libtactus_client.so, libtactus_preload.so and tests/libfake_driver.so, so that there is a tier
that takes work off. 20 processes have reservations; each request is refused after a
search of other places, periods, times and cores."""

import argparse
import array
import ctypes
import json
import os
import pathlib
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time

USERS, RATE, STANDING = 10, 10, 20
NOGROUP = 65534


def ask(path, request):
    """The word of the answer (tactus/arbiter/protocol.hpp)."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as one:
        one.connect(path)
        hello = struct.pack("<III32sI", 0x54414354, 6, 1, b"bench", 2)
        one.send(struct.pack("<II", 1, 0) + hello.ljust(168, b"\0"))
        one.recv(176)
        text = json.dumps(request).encode()
        for at in range(0, len(text), 152):
            piece = text[at : at + 152]
            one.send(struct.pack("<II", 11, 0)
                     + (struct.pack("<II", len(text), len(piece)) + piece).ljust(168, b"\0"))  # fmt: skip
        message, along, _, _ = one.recvmsg(176, 1024)
        files = array.array("i", along[0][2][:4])
        try:
            return os.pread(files[0], struct.unpack_from("<I", message, 8)[0], 0).split(b"\n")[0].decode()
        finally:
            os.close(files[0])


def in_a_process(work):
    process = os.fork()
    if process == 0:
        try:
            work()
        finally:
            os._exit(0)
    return process


def stand(path, number):
    word = ask(path, {"ask": "reserve", "name": f"standing{number}", "declared": True, "core": number + 1,
                      "period": 100 + 20 * number, "gpu": 2, "cpu": 1})  # fmt: skip
    assert word == "admitted", word
    time.sleep(1000)


def flood(path, user, seconds, said):
    os.setgroups([NOGROUP])
    os.setgid(NOGROUP)
    os.setuid(20_000 + user)
    waits, words, end = [], {}, time.monotonic() + seconds
    while time.monotonic() < end:
        begin = time.monotonic()
        word = ask(path, {"ask": "reserve", "period": 30, "gpu": 25, "declared": True})
        waits.append(time.monotonic() - begin)
        words[word] = words.get(word, 0) + 1
        time.sleep(max(0, 1 / RATE - waits[-1]))
    os.write(said, (json.dumps([waits, words]) + "\n").encode())


def begins(build, seconds, realtime):
    if realtime:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(80))
    client = ctypes.CDLL(str(build / "libtactus_client.so"))
    took, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        begin = time.perf_counter_ns()
        client.tactus_segment_begin_host(1, 1)
        client.tactus_segment_submit()
        took.append(time.perf_counter_ns() - begin)
        client.tactus_segment_end()
        time.sleep(0.002)
    json.dump(took, sys.stdout)


def measure(build, seconds, flooded, realtime):
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        machine = pathlib.Path(folder, "machine.json")
        machine.write_text(json.dumps({
            "tactus": 1, "name": "machine", "time_unit": "ms", "tasks": [],
            "platform": {"elements": [{"name": "cpu", "kind": "cpu", "units": 64},
                                      {"name": "gpu", "kind": "gpu", "units": 1, "start_cost": 0.15,
                                       "preempt_cost": 0.67, "resume_cost": 0.38}]}}))  # fmt: skip
        path = f"{folder}/own/s"
        daemon = subprocess.Popen([build / "tactusd", "--protocol", "boost", "--admit", machine, "--socket",
                                   path, "--group", "nogroup",
                                   *(["--cpu", str(os.cpu_count() - 1), "--realtime", "90"] if realtime else [])])  # fmt: skip
        while not os.path.exists(path):
            time.sleep(0.01)
        time.sleep(0.2)
        standing = []
        for number in range(STANDING):
            standing.append(in_a_process(lambda: stand(path, number)))
            time.sleep(0.15)
        waits_heard, waits_said = os.pipe()
        floods = [in_a_process(lambda: flood(path, user, seconds, waits_said)) for user in range(USERS)] if flooded else []
        os.close(waits_said)
        preload = f"{build}/libtactus_preload.so:{build}/tests/libfake_driver.so"
        found = json.loads(subprocess.run(
            [sys.executable, __file__, str(build), "--seconds", str(seconds), "--begins",
             *(["--realtime"] if realtime else [])], stdout=subprocess.PIPE,
            check=True, timeout=seconds + 60, env=dict(
                os.environ, TACTUS_SOCKET=path, LD_PRELOAD=preload, TACTUS_TIER="channel",
                TACTUS_TIER_COST="700000 600000 400000 300000 5")).stdout)  # fmt: skip
        with os.fdopen(waits_heard) as waits:
            asked = [json.loads(line) for line in waits]
        for process in standing:
            os.kill(process, signal.SIGKILL)
        for process in [*standing, *floods]:
            os.waitpid(process, 0)
        daemon.terminate()
        daemon.wait()
        return sorted(found), asked


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--realtime", action="store_true", help="arbiter and client as SCHED_FIFO")
    parser.add_argument("--begins", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.begins:
        return begins(arguments.build, arguments.seconds, arguments.realtime)
    print("| requests | answers a second | longest answer, ms | p50 us | p99 us | max us |\n|---|---|---|---|---|---|")
    for flooded in (False, True):
        rounds = [measure(arguments.build.resolve(), arguments.seconds, flooded, arguments.realtime) for _ in range(arguments.rounds)]
        asked = [one for _, all_ in rounds for one in all_]
        answers = sum(len(waits) for waits, _ in asked) / arguments.seconds / arguments.rounds
        longest = max((max(waits) for waits, _ in asked), default=0) * 1000
        at = lambda share: statistics.median(took[int(share * (len(took) - 1))] for took, _ in rounds) / 1000  # noqa: E731
        print(f"| {'yes' if flooded else 'no'} | {answers:.0f} | {longest:.0f} | {at(0.5):.1f} | {at(0.99):.1f} | {at(1):.1f} |")
        words = {}
        for _, one in asked:
            for word, count in one.items():
                words[word] = words.get(word, 0) + count
        if words:
            print(f"\nAnswers: {words}.", file=sys.stderr)
    print(f"Medians of {arguments.rounds} rounds; load {os.getloadavg()[0]:.0f}.", file=sys.stderr)


if __name__ == "__main__":
    main()
