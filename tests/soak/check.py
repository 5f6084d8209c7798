"""What must hold, judged from what honest clients wrote down and from the faults that were injected.

Nothing the arbiter says is read here: not its log, not whom it calls late. The only excuses for a client
are that this soak had frozen or killed it, and that it had no CPU: that it stood still between two looks
at its socket.
"""
from collections import defaultdict

SECOND = 1_000_000_000


class Life:
    """One honest process: its stretches of work and its active times, in ns."""

    def __init__(self):
        self.priority = self.threshold = None
        self.work, self.active, self.begins, self.offs, self.obeyed, self.stood = [], [], [], [], [], []
        self.open_work = self.open_active = None


def read(logs, killed, end):
    """One life per log: the numbers of processes come again.
    @param killed log: when, for those that were killed; @param end when all the others ended"""
    lives = defaultdict(Life)
    for log in logs:
        with open(log) as lines:
            for line in lines:
                words = line.split()
                if len(words) != 5 or not line.endswith("\n"):
                    continue  # cut off by a kill
                what, (priority, _, threshold) = words[0], words[2].partition("/")
                begin, finish = int(words[3]), int(words[4])
                life = lives[log]
                if priority != "-":
                    life.priority, life.threshold = int(priority), int(threshold)
                if what == "start":
                    life.open_work = begin
                elif what == "work":
                    life.work.append((begin, finish))
                    life.open_work = None
                elif what == "begin":
                    life.begins.append((begin, finish))
                    life.open_active = finish
                elif what == "active":
                    life.active.append((begin, finish))
                    life.open_active = None
                elif what == "off":
                    life.offs.append((begin, finish))
                elif what == "obeyed":
                    life.obeyed.append(begin)
                elif what == "stood":
                    life.stood.append((begin, finish))
    for log, life in lives.items():
        last = killed.get(log, end)
        if life.open_work is not None and life.open_work < last:
            life.work.append((life.open_work, last))
        if life.open_active is not None and life.open_active < last:
            life.active.append((life.open_active, last))
    return lives


def without(spans, holes):
    """The parts of spans that are in none of the holes."""
    for hole_begin, hole_end in holes:
        parts = []
        for begin, end in spans:
            if hole_end <= begin or end <= hole_begin:
                parts.append((begin, end))
                continue
            if begin < hole_begin:
                parts.append((begin, hole_begin))
            if hole_end < end:
                parts.append((hole_end, end))
        spans = parts
    return spans


def excused(life, frozen):
    """When a client could not do as it was told, because it was frozen: until it has obeyed again."""
    holes = []
    for begin, end in frozen:
        again = [t for t in life.obeyed if t > end] + [b for b, _ in life.begins if b > end]
        holes.append((begin, min(again) if again else 1 << 62))
    return holes


def was_catching_up(frozen_one, frozen, other, at):
    """Had `frozen_one` just been thawed, and `other` been let in before it had obeyed again? Nobody waits
    for a client that is silent, so their work may overlap at `at`, until the thawed one obeys once more."""
    for _, end in frozen:
        obeyed = sorted(t for t in frozen_one.obeyed if t > end)
        if not obeyed or at < obeyed[0]:
            continue
        asked = [asked for asked, begun in other.begins if begun <= at]
        if asked and asked[-1] < obeyed[0] and not any(obeyed[0] < t <= at for t in obeyed):
            return True
    return False


def overlaps(first, second):
    """All pairs of spans (begin, end, pid) of different processes that overlap."""
    events = [(s[0], 1, 0, s) for s in first] + [(s[1], 0, 0, s) for s in first]
    events += [(s[0], 1, 1, s) for s in second] + [(s[1], 0, 1, s) for s in second]
    running = (set(), set())
    for _, starts, side, span in sorted(events):
        if not starts:
            running[side].discard(span)
            continue
        for other in running[1 - side]:
            if other[2] != span[2]:
                yield (span, other) if side == 0 else (other, span)
        running[side].add(span)


def above(a, b):
    """Is priority a strictly more urgent than b? None is best effort."""
    return a is not None and (b is None or a > b)


def violations(lives, frozen, longest_begin, longest_off, stood_still=()):
    """@param stood_still when the soak itself did: then nobody thawed those whom others wait for"""
    found = []

    def length(begin, end):
        return sum(e - b for b, e in without([(begin, end)], stood_still))

    work, active = [], []
    for pid, life in lives.items():
        holes = excused(life, frozen.get(pid, [])) + life.stood
        work += [(b, e, pid) for b, e in without(life.work, holes) if e > b]
        active += [(b, e, pid) for b, e in life.active if e > b]
        for asked, begun in without(life.begins, holes):
            if length(asked, begun) > longest_begin:
                found.append(f"{pid} waited {(begun - asked) / SECOND:.3f} s for its begin")
        for begin, end in without(life.offs, holes):
            if length(begin, end) > longest_off:
                found.append(f"{pid} was off for {(end - begin) / SECOND:.1f} s")
    pairs = set()

    def catching_up(a, b):
        at = max(a[0], b[0])
        return any(was_catching_up(lives[x], frozen.get(x, []), lives[y], at)
                   for x, y in ((a[2], b[2]), (b[2], a[2])))

    for a, b in overlaps(work, work):
        if lives[a[2]].priority is None and lives[b[2]].priority is None or catching_up(a, b):
            continue
        pair = frozenset((a, b))
        if pair not in pairs:
            pairs.add(pair)
            found.append(f"{a[2]} and {b[2]} worked at once, one of them real-time, for "
                         f"{(min(a[1], b[1]) - max(a[0], b[0])) / 1000:.0f} us, at {max(a[0], b[0])}")
    for running, waiting in overlaps(work, active):
        # Who has begun keeps out all that are not above its threshold (under gcaps: its priority).
        if above(lives[waiting[2]].priority, lives[running[2]].threshold) and not catching_up(running, waiting):
            found.append(f"{running[2]} worked while {waiting[2]}, more urgent, was active, for "
                         f"{(min(running[1], waiting[1]) - max(running[0], waiting[0])) / 1000:.0f} us, "
                         f"at {max(running[0], waiting[0])}")
    return found
