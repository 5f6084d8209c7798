#!/usr/bin/env python3
"""tactusd with many clients and random faults, for as long as you like; see check.py for what must hold.

    tests/soak/soak.py --tactusd build/tactusd --tactus build/tactus --seconds 3600 [--protocol boost]

Exit code 0: nothing was violated; 1: something was; the last lines say what and how much was done.
"""
import argparse
import collections
import glob
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check  # noqa: E402
from client import BOOST, GCAPS, Place, honest, now  # noqa: E402
from hostile import hostile  # noqa: E402

TIMEOUT_MS, LEASE_MS = 2000, 5000  # a busy machine must not look like a client that does not obey
PRIORITIES = [None, None, None, 1, 2, 3, 3, 5, 8]
RAISES = [0, 0, 1, 3, 10]  # under boost: by how much a threshold is above the priority
# Under gcaps a begin is answered at once, whoever is active. Under boost it waits for its turn, also
# behind clients that this soak has frozen.
LONGEST_BEGIN = {GCAPS: 2 * LEASE_MS * 1_000_000, BOOST: 60 * check.SECOND}


def stat_of(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()
    except OSError:
        return None


def start_of(pid):
    """Of two processes with one number, one after the other, this tells which it is."""
    fields = stat_of(pid)
    return fields and fields[19]


def descendants(pid):
    """Number and start of each."""
    found = []
    for task in glob.glob(f"/proc/{pid}/task/*/children"):
        try:
            with open(task) as file:
                for child in map(int, file.read().split()):
                    found += [(child, start_of(child))] + descendants(child)
        except OSError:
            pass
    return found


def held(pid):
    """Is this process stopped by a signal or frozen?"""
    fields = stat_of(pid)
    if fields is None or fields[0] in "ZX":
        return False
    if fields[0] == "T":
        return True
    try:
        with open(f"/proc/{pid}/cgroup") as file:
            place = [line[3:].strip() for line in file if line.startswith("0::")][0]
        for root in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified"):
            try:
                with open(f"{root}{place}/cgroup.events") as file:
                    return "frozen 1" in file.read()
            except OSError:
                continue
    except (OSError, IndexError):
        pass
    return False


class Soak:
    def __init__(self, arguments):
        self.arguments = arguments
        self.random = random.Random(arguments.seed)
        self.folder = tempfile.mkdtemp(prefix="tactus-soak-")
        self.place = Place(f"{self.folder}/own/s", BOOST if arguments.protocol == "boost" else GCAPS)
        self.killed, self.frozen = {}, collections.defaultdict(list)
        self.violations, self.counts = [], collections.Counter()
        self.honest, self.hostile, self.execs, self.left_behind = [], [], [], []
        self.thaw = {}  # pid: (when to, since, log)
        self.stood_still = []  # when this program did, on a machine that has too much to do
        self.daemon = subprocess.Popen(
            [arguments.tactusd, "--protocol", arguments.protocol, "--socket", self.place.path,
             "--update-timeout", str(TIMEOUT_MS), "--lease", str(LEASE_MS), "--no-fast-path",
             "--log", f"{self.folder}/log"])
        while not os.path.exists(self.place.path):
            time.sleep(0.01)

    def give_life(self, obeys=True):
        priority = threshold = self.random.choice(PRIORITIES)
        if priority is not None and self.place.protocol == BOOST:
            threshold += self.random.choice(RAISES)
        log = f"{self.folder}/work-{self.counts['honest clients']}"
        process = multiprocessing.Process(
            target=honest, args=(self.place, (priority, threshold), log, self.random.random(), obeys))
        process.start()
        process.log = log
        self.counts["honest clients"] += 1
        self.honest.append(process)

    def kill_one(self):
        victim = self.random.choice(self.honest)
        if victim.pid in self.thaw:
            return
        self.killed[victim.log] = now()
        os.kill(victim.pid, signal.SIGKILL)
        victim.join()
        self.honest.remove(victim)
        self.counts["kills"] += 1

    def freeze_one(self):
        victim = self.random.choice(self.honest)
        if victim.pid in self.thaw or not os.path.exists(victim.log) or not os.path.getsize(victim.log):
            return  # one that is frozen before it says who it is looks mute, and is rightly sent away
        self.thaw[victim.pid] = (now() + int(self.random.uniform(0.01, 6) * 1e9), now(), victim.log)
        os.kill(victim.pid, signal.SIGSTOP)
        self.counts["freezes"] += 1

    def thaw_those_whose_time_has_come(self, all_of_them=False):
        for pid, (until, since, log) in list(self.thaw.items()):
            if now() >= until or all_of_them:
                os.kill(pid, signal.SIGCONT)
                self.frozen[log].append((since, now()))
                del self.thaw[pid]

    def attack(self):
        process = multiprocessing.Process(target=hostile, args=(self.place, self.random.random()))
        process.start()
        self.hostile.append(process)
        self.counts["hostile clients"] += 1

    def start_exec(self):
        urgency = self.random.choice([["--best-effort"], ["--best-effort"], ["--priority", "1"]])
        process = subprocess.Popen(
            [self.arguments.tactus, "exec", "--tier", "process", "--quiet", "--socket", self.place.path]
            + urgency + ["--", "sh", "-c", "while :; do sleep 0.05; done"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.execs.append((process, now() + int(self.random.uniform(0, 3) * 1e9)))
        self.counts["commands under exec"] += 1

    def kill_execs(self):
        for entry in list(self.execs):
            process, until = entry
            if now() < until:
                continue
            family = descendants(process.pid)
            process.kill()
            process.wait()
            self.execs.remove(entry)
            self.left_behind.append((family, now()))

    def look_at_those_left_behind(self, patience_s=10.0):
        for entry in list(self.left_behind):
            family, since = entry
            family = [(pid, start) for pid, start in family if start and start_of(pid) == start]
            still = [pid for pid, _ in family if held(pid)]
            if still and now() - since < patience_s * 1e9:
                continue
            if still:
                self.violations.append(f"{still} stayed stopped after their exec was killed")
            for pid, _ in family:
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    pass
            self.left_behind.remove(entry)

    def reap(self):
        for process in list(self.hostile):
            if not process.is_alive():
                process.join()
                self.hostile.remove(process)
        for process in list(self.honest):
            if not process.is_alive():
                self.violations.append(f"honest client {process.pid} was turned away or hung up on")
                self.killed[process.log] = now()
                self.honest.remove(process)
        if self.daemon.poll() is not None:
            self.violations.append(f"the arbiter ended, with code {self.daemon.returncode}")
            return False
        return True

    def run(self):
        end = time.monotonic() + self.arguments.seconds
        said = time.monotonic()
        if self.arguments.break_the_rule:
            self.give_life(obeys=False)
        before = now()
        while time.monotonic() < end and self.reap():
            if now() - before > check.SECOND:
                self.stood_still.append((before, now()))
            before = now()
            while len(self.honest) < self.arguments.clients:
                self.give_life()
            chance = self.random.random()
            if chance < 0.15:
                self.kill_one()
            elif chance < 0.30:
                self.freeze_one()
            elif chance < 0.60 and len(self.hostile) < 6:
                self.attack()
            elif chance < 0.75 and len(self.execs) < 2:
                self.start_exec()
            self.thaw_those_whose_time_has_come()
            self.kill_execs()
            self.look_at_those_left_behind()
            if time.monotonic() - said > 60:
                said = time.monotonic()
                print(f"{dict(self.counts)}, {len(self.violations)} violations so far", flush=True)
            time.sleep(self.random.uniform(0, 0.3))
        self.finish()

    def finish(self):
        self.thaw_those_whose_time_has_come(all_of_them=True)
        time.sleep(1)
        last = now()
        for process in self.honest:
            self.killed[process.log] = last
            process.kill()
            process.join()
        for process in self.hostile:
            process.kill()
            process.join()
        self.execs = [(process, 0) for process, _ in self.execs]
        self.kill_execs()
        while self.left_behind:
            self.look_at_those_left_behind()
            time.sleep(0.1)
        self.look_at_the_daemon()
        lives = check.read(glob.glob(f"{self.folder}/work-*"), self.killed, last)
        self.counts["segments"] = sum(len(life.active) for life in lives.values())
        self.counts["stretches of work"] = sum(len(life.work) for life in lives.values())
        stood = [span for log, life in lives.items() for span in check.without(life.stood, self.frozen[log])]
        self.counts["seconds in which a client had no CPU"] = round(
            sum(end - begin for begin, end in stood) / check.SECOND)
        self.violations += check.violations(lives, self.frozen, LONGEST_BEGIN[self.place.protocol],
                                            60 * check.SECOND, self.stood_still)
        self.counts["seconds in which the soak itself stood still"] = round(
            sum(end - begin for begin, end in self.stood_still) / check.SECOND)

    def look_at_the_daemon(self):
        if self.daemon.poll() is not None:
            return
        time.sleep(3)  # those who said nothing are sent away after two seconds
        descriptors = len(os.listdir(f"/proc/{self.daemon.pid}/fd"))
        fields = stat_of(self.daemon.pid)
        cpu_s = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        pages = int(fields[21])
        self.counts["arbiter's CPU time in s"] = round(cpu_s, 1)
        self.counts["arbiter's memory in KiB"] = pages * os.sysconf("SC_PAGE_SIZE") // 1024
        self.counts["arbiter's descriptors at the end"] = descriptors
        if descriptors > 20:
            self.violations.append(f"the arbiter has {descriptors} descriptors, and no clients")
        if cpu_s > 0.5 * (self.arguments.seconds + 10):
            self.violations.append(f"the arbiter took {cpu_s:.0f} s of CPU time")
        with open(f"{self.folder}/log", encoding="utf-8") as log:
            if any('"invariant"' in line for line in log):
                self.violations.append("the arbiter says of itself that an invariant does not hold")
        self.daemon.terminate()
        if self.daemon.wait(30) != 0:
            self.violations.append("the arbiter did not end in good order")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tactusd", required=True)
    parser.add_argument("--tactus", required=True)
    parser.add_argument("--protocol", choices=["gcaps", "boost"], default="gcaps")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--clients", type=int, default=12, help="honest ones at a time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--break-the-rule", action="store_true",
                        help="one client only says that it obeys: this must be noticed")
    soak = Soak(parser.parse_args())
    try:
        soak.run()
    finally:
        if soak.daemon.poll() is None:
            soak.daemon.kill()
    for line in soak.violations[:50]:
        print("violation:", line)
    for what, count in sorted(soak.counts.items()):
        print(f"{what}: {count}")
    print(f"violations: {len(soak.violations)}")
    if not soak.violations:
        shutil.rmtree(soak.folder, ignore_errors=True)
    else:
        print("kept:", soak.folder)
    return 1 if soak.violations else 0


if __name__ == "__main__":
    sys.exit(main())
