#!/usr/bin/env python3
"""What the arbiter does with a silent client that speaks, or hangs up, just before another one begins.

    tests/soak/thawed_test.py --tactusd build/tactusd
"""
import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check  # noqa: E402
from client import MANAGED, RUNNING, SHARED, TIER, Arbiter, Place  # noqa: E402


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


@contextlib.contextmanager
def arbiter(tactusd, *options):
    """An arbiter, and the path of its socket."""
    with tempfile.TemporaryDirectory(prefix="tactus-thawed-") as folder:
        os.mkdir(f"{folder}/own", 0o700)
        path = f"{folder}/own/tactus.sock"
        daemon = subprocess.Popen([tactusd, "--socket", path, "--update-timeout", "300", *options])
        try:
            assert eventually(lambda: os.path.exists(path))
            yield daemon, Place(path)
        finally:
            os.kill(daemon.pid, signal.SIGCONT)
            daemon.terminate()
            daemon.wait()


@contextlib.contextmanager
def stopped(daemon):
    """What is said meanwhile is all there when the arbiter looks."""
    os.kill(daemon.pid, signal.SIGSTOP)
    yield
    os.kill(daemon.pid, signal.SIGCONT)


def a_silent_and_an_urgent_one(path):
    late, urgent = Arbiter(path, "late"), Arbiter(path, "urgent")
    late.begin(None)
    assert eventually(late.answered) and late.answer() == RUNNING
    urgent.begin(5)  # the other one says nothing to its order: it is silent from now on
    assert eventually(urgent.answered) and urgent.answer() == SHARED
    urgent.end()
    return late, urgent


def one_that_has_confirmed_is_waited_for(tactusd):
    """Even if the arbiter finds the next begin before the confirmation."""
    with arbiter(tactusd, "--no-fast-path") as (daemon, path):
        late, urgent = a_silent_and_an_urgent_one(path)
        on = order(late, off=False)
        with stopped(daemon):
            urgent.say(TIER)  # its socket is the first to have something to read
            late.confirm(on[0])
            urgent.begin(5)
        late.confirm(order(late, off=True)[0])
        assert eventually(urgent.answered)
        assert urgent.answer() == RUNNING, f"answered {urgent.answer()}: it was not waited for"
        late.end()


def one_that_has_hung_up_does_not_open_the_fast_path(tactusd):
    """When it is gone nobody is active, but somebody is about to be."""
    with arbiter(tactusd) as (daemon, path):
        late, urgent = a_silent_and_an_urgent_one(path)
        with stopped(daemon):
            urgent.say(TIER)
            urgent.begin(5)
            late.socket.close()
        assert eventually(urgent.answered)
        assert urgent.fast_path_owner() == MANAGED, "others may begin beside the urgent one, unseen"
        urgent.end()
        assert eventually(lambda: urgent.fast_path_owner() == 0)


def one_that_talks_does_not_hold_up_others(tactusd):
    """Of what it says little is heard before the begins of others."""
    with tempfile.TemporaryDirectory(prefix="tactus-thawed-") as folder:
        log = f"{folder}/log"
        with arbiter(tactusd, "--log", log) as (daemon, path):
            late, urgent = a_silent_and_an_urgent_one(path)  # clients 1 and 2
            others = [urgent, Arbiter(path, "third"), Arbiter(path, "fourth")]
            with stopped(daemon):
                for other in others:
                    other.say(TIER)
                for _ in range(8):
                    late.say(TIER)
                for priority, other in enumerate(others, 5):
                    other.begin(priority)
            assert eventually(others[-1].answered)
            lines = [json.loads(line) for line in open(log) if line.endswith("}\n")]
            begins = [n for n, line in enumerate(lines) if (line["event"], line["client"]) == ("begin", 4)]
            heard = [line for line in lines[:begins[0]] if (line["event"], line["client"]) == ("tier", 1)]
            assert len(heard) <= 2, f"{len(heard)} messages of a silent client were read first"


def a_long_wait_is_forgiven_only_for_as_long_as_the_soak_stood_still():
    life = check.Life()
    life.begins = [(0, 100 * check.SECOND)]

    def found(stood_still):
        return check.violations({"a": life}, {}, 60 * check.SECOND, 60 * check.SECOND, stood_still)

    assert len(found([])) == 1
    assert not found([(10 * check.SECOND, 60 * check.SECOND)])
    assert len(found([(10 * check.SECOND, 40 * check.SECOND)])) == 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tactusd", required=True)
    tactusd = parser.parse_args().tactusd
    one_that_has_confirmed_is_waited_for(tactusd)
    one_that_has_hung_up_does_not_open_the_fast_path(tactusd)
    one_that_talks_does_not_hold_up_others(tactusd)
    a_long_wait_is_forgiven_only_for_as_long_as_the_soak_stood_still()
    print("a client that was silent is heard in time")


if __name__ == "__main__":
    main()
