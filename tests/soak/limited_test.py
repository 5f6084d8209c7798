#!/usr/bin/env python3
"""The arbiter and `tactus exec` where a control group leaves them few processes, memory or CPU time.

    tests/soak/limited_test.py --tactus build/tactus --tactusd build/tactusd

Whatever the limit: all end or go on by themselves, say why in one line, and leave nothing stopped. Where
no control groups can be made (needs root, and a machine that lets it), it is skipped.
"""
import argparse
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from client import Arbiter, Place  # noqa: E402

ROOT = "/sys/fs/cgroup"
# By controller: the file of version 1, of version 2, and how the latter says it.
LIMITS = {"pids": ("pids.max", "pids.max", "{}"),
          "memory": ("memory.limit_in_bytes", "memory.max", "{}"),
          "cpu": ("cpu.cfs_quota_us", "cpu.max", "{} 100000")}  # us of 100 ms
SECONDS = 60


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(str(text))


@contextlib.contextmanager
def group(controller, most):
    """A control group with a limit: the file to which a process writes itself."""
    old = os.path.isdir(f"{ROOT}/{controller}")
    place = f"{ROOT}/{controller if old else ''}/tactus-limited-{os.getpid()}"
    if not old:
        write(f"{ROOT}/cgroup.subtree_control", f"+{controller}")
    os.mkdir(place)
    try:
        first, second, form = LIMITS[controller]
        write(f"{place}/{first}" if old else f"{place}/{second}", most if old else form.format(most))
        yield f"{place}/cgroup.procs"
    finally:
        eventually(lambda: not members(f"{place}/cgroup.procs"))
        os.rmdir(place)


def members(procs):
    with open(procs, encoding="ascii") as file:
        return file.read().split()


def may_make_groups():
    try:
        for controller in LIMITS:
            with group(controller, 1 << 20):
                pass
    except OSError as error:
        print(f"no control groups here: {error}")
        return False
    return True


def eventually(holds):
    until = time.monotonic() + SECONDS
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def start(procs, command, **more):
    """A command as a member of a group."""
    join = [] if procs is None else ["sh", "-c", 'echo $$ > "$0" && exec "$@"', procs]
    return subprocess.Popen([*join, *command], stderr=subprocess.PIPE, text=True, **more)


class World:
    def __init__(self, tactus, tactusd, folder):
        self.tactus, self.tactusd, self.folder = tactus, tactusd, folder
        os.mkdir(f"{folder}/own", 0o700)
        self.socket = f"{folder}/own/tactus.sock"
        self.beats = f"{folder}/beats"

    @contextlib.contextmanager
    def arbiter(self, procs=None):
        daemon = start(procs, [self.tactusd, "--socket", self.socket])
        try:
            assert eventually(lambda: os.path.exists(self.socket) or daemon.poll() is not None)
            yield daemon
        finally:
            daemon.terminate()
            daemon.communicate(timeout=SECONDS)

    def run(self, *command):
        return [self.tactus, "exec", "--socket", self.socket, "--tier", "process", *command]

    @contextlib.contextmanager
    def beating(self):
        """A best-effort command that leaves a trace while it runs."""
        open(self.beats, "w", encoding="ascii").close()
        work = start(None, self.run("--best-effort", "--", "sh", "-c",
                                    f"while echo >> {self.beats}; do sleep 0.005; done"),
                     start_new_session=True)
        try:
            assert self.beats_on()
            yield
        finally:
            os.killpg(work.pid, signal.SIGTERM)
            work.communicate(timeout=SECONDS)

    def beats_on(self):
        before = os.path.getsize(self.beats)
        return eventually(lambda: os.path.getsize(self.beats) > before)


def few_processes(world):
    """`exec` runs its command, or says why not; and none of its helpers is left behind."""
    codes = set()
    with world.arbiter():
        for most in range(1, 9):
            with group("pids", most) as procs:
                ran = start(procs, world.run("--priority", "5", "--", "true"))
                _, said = ran.communicate(timeout=SECONDS)
                codes.add(ran.returncode)
                lines = said.strip().splitlines()
                assert ran.returncode in (0, 3, 126), (most, ran.returncode, said)
                assert (ran.returncode == 0) == (not lines) or len(lines) == 1, (most, said)
                assert eventually(lambda procs=procs: not members(procs)), (most, members(procs))
    assert 0 in codes and len(codes) > 1, codes
    for most in (1, 2):
        with group("pids", most) as procs, world.arbiter(procs) as daemon:
            if daemon.poll() is None:
                Arbiter(Place(world.socket), "alone").begin(5)
            else:
                assert len(daemon.stderr.read().strip().splitlines()) == 1


def little_memory(world):
    """An arbiter that is killed for its memory, or refuses clients, leaves nobody's work off."""
    ends = []
    for most in (1 << 20, 3 << 20):
        with group("memory", most) as procs, world.arbiter(procs) as daemon, world.beating():
            clients = []
            with contextlib.suppress(OSError):
                clients.append(Arbiter(Place(world.socket), "urgent"))
                clients[0].begin(5)
                while len(clients) < 2000:
                    clients.append(Arbiter(Place(world.socket), "crowd"))
            ends.append("it was killed" if daemon.poll() is not None else f"{len(clients)} clients")
            for client in clients:
                client.socket.close()
            assert world.beats_on(), "its work stayed off"
    return ", ".join(ends)


def little_time(world):
    """An arbiter with a twentieth of a CPU is late, and nothing else."""
    with group("cpu", 5000) as procs, world.arbiter(procs), world.beating():
        urgent = Arbiter(Place(world.socket), "urgent")
        for _ in range(20):
            urgent.begin(5)
            assert eventually(urgent.answered)
            urgent.end()
            assert world.beats_on()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tactus", required=True)
    parser.add_argument("--tactusd", required=True)
    given = parser.parse_args()
    if not may_make_groups():
        return 77
    for check in (few_processes, little_memory, little_time):
        with tempfile.TemporaryDirectory(prefix="tactus-limited-") as folder:
            said = check(World(os.path.abspath(given.tactus), os.path.abspath(given.tactusd), folder))
            print(f"{check.__name__}: {said or 'as it should be'}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
