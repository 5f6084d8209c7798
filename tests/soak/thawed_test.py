#!/usr/bin/env python3
"""A client that was silent and has confirmed its order is waited for again, even if the arbiter finds the
next begin before the confirmation.

    tests/soak/thawed_test.py --tactusd build/tactusd
"""
import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import RUNNING, SHARED, TIER, Arbiter  # noqa: E402


def eventually(holds):
    for _ in range(2000):
        if holds():
            return True
        time.sleep(0.01)
    return False


def order(client, off):
    """The next order of this kind; what comes before it is overtaken."""
    while True:
        latest = client.order(5)
        assert latest, "there is no such order"
        if latest[1] == off:
            return latest


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tactusd", required=True)
    tactusd = parser.parse_args().tactusd
    with tempfile.TemporaryDirectory(prefix="tactus-thawed-") as folder:
        os.mkdir(f"{folder}/own", 0o700)
        path = f"{folder}/own/tactus.sock"
        daemon = subprocess.Popen([tactusd, "--socket", path, "--update-timeout", "300", "--no-fast-path"])
        try:
            assert eventually(lambda: os.path.exists(path))
            late, urgent = Arbiter(path, "late"), Arbiter(path, "urgent")
            late.begin(None)
            assert eventually(late.answered) and late.answer() == RUNNING
            urgent.begin(5)  # the other one says nothing to its order: it is silent from now on
            assert eventually(urgent.answered) and urgent.answer() == SHARED
            urgent.end()
            on = order(late, off=False)

            os.kill(daemon.pid, signal.SIGSTOP)
            urgent.say(TIER)  # its socket is the first to have something to read
            late.confirm(on[0])
            urgent.begin(5)
            os.kill(daemon.pid, signal.SIGCONT)

            late.confirm(order(late, off=True)[0])
            assert eventually(urgent.answered)
            assert urgent.answer() == RUNNING, f"answered {urgent.answer()}: it was not waited for"
            late.end()
        finally:
            os.kill(daemon.pid, signal.SIGCONT)
            daemon.terminate()
            daemon.wait()
    print("a client that has confirmed is waited for")


if __name__ == "__main__":
    main()
