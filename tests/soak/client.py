"""The arbiter's wire format once more, from protocol.hpp but without its code, and clients that use it.

An honest client begins a segment, works while it may, and ends it. When it worked is written down by
itself, in nanoseconds of CLOCK_MONOTONIC, one line per stretch; nobody asks the arbiter. Under the
protocol boost a segment is submitted, begins when its gate is open, and ends with a mark in the page.
"""
import mmap
import os
import random
import select
import socket
import struct
import sys
import time
from typing import NamedTuple

MAGIC, VERSION, SIZE = 0x54414354, 6, 176
HELLO, BEGIN, END, DONE, TIER, SUBMIT = 1, 2, 3, 5, 6, 8
WELCOME, REFUSED, ORDER = 101, 102, 103
RUNNING, PENDING, SHARED = 1, 2, 5
MANAGED = 0xFFFFFFFF  # owner of the fast path while the arbiter decides
BODY = 8  # offset of what follows the kind
GCAPS, BOOST = 0, 1  # protocols
OFF, WAIT = 1, 2  # states of an order
STOOD_STILL = 0.1  # s; who hears so much later of an order had no CPU
GATE, MARK = 8, 14  # words of the page


def now():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def message(kind, layout="", *values):
    body = struct.pack("<" + layout, *values)
    return struct.pack("<II", kind, 0) + body + bytes(SIZE - BODY - len(body))


class Place(NamedTuple):
    """Where an arbiter is, and what it speaks."""
    path: str
    protocol: int = GCAPS


class Arbiter:
    """A connection that has said hello."""

    def __init__(self, place, name):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(20)
        self.socket.connect(place.path)
        self.boost = place.protocol == BOOST
        self.socket.send(message(HELLO, "III32sI", MAGIC, VERSION, 0, name.encode(), place.protocol))
        data, ancillary, _, _ = self.socket.recvmsg(SIZE, socket.CMSG_SPACE(8))
        if not data or struct.unpack_from("<I", data)[0] != WELCOME:
            raise ConnectionError("refused")
        descriptors = struct.unpack("%di" % (len(ancillary[0][2]) // 4), ancillary[0][2])
        self.page = mmap.mmap(descriptors[0], 4096)
        self.words = memoryview(self.page).cast("I")  # each is read and written at once
        self.fast_page = mmap.mmap(descriptors[1], 4096) if len(descriptors) > 1 else None
        for descriptor in descriptors:
            os.close(descriptor)
        self.requests = 0
        self.off = False

    def say(self, kind, layout="", *values):
        self.socket.send(message(kind, layout, *values))

    def begin(self, priority, threshold=None):
        """@param threshold under boost: from which priority on it is not taken off; None: its own"""
        self.requests += 1
        best_effort = priority is None
        urgency = (self.requests, int(best_effort), 0 if best_effort else priority)
        if self.boost:
            above = urgency[2] if threshold is None else threshold
            self.say(SUBMIT, "IIiiIIII", *urgency, above, 1, 0, 0, 0)
        else:
            self.say(BEGIN, "IIi", *urgency)

    def answered(self):
        if self.boost:
            return self.words[GATE] >= self.requests
        return self.words[0] == self.requests

    def answer(self):
        return self.words[1]

    def fast_path_owner(self):
        return struct.unpack_from("<I", self.fast_page, 0)[0]

    def end(self):
        if self.boost:
            self.words[MARK] = self.requests
            return
        self.requests += 1
        self.say(END, "IIi", self.requests, 0, 0)

    def is_over(self, segment):
        return self.boost and self.words[MARK] >= segment

    def order(self, timeout):
        """The last of the orders that are there, or come within this time: (number, off), or None."""
        latest = None
        while select.select([self.socket], [], [], 0 if latest else timeout)[0]:
            data = self.socket.recv(SIZE)
            if not data:
                raise ConnectionError("hung up")
            kind, number, state, _, _, segment = struct.unpack_from("<IxxxxIIIII", data)
            if kind == ORDER and state != WAIT:
                latest = (number, state == OFF and not self.is_over(segment))
        return latest

    def confirm(self, number):
        self.say(DONE, "IiqI", number, 0, 1000, 0)


class Honest:
    """Does as it is told, and writes down what it did."""

    def __init__(self, place, urgency, log, seed, obeys=True):
        self.arbiter = Arbiter(place, "honest")
        self.obeys = obeys  # False: only says so, to see that it is noticed
        self.priority, self.threshold = urgency
        self.random = random.Random(seed)
        self.log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self.since = 0  # when the stretch of work in progress began
        self.off_since = 0
        self.last_order = 0
        self.listened = now()

    def write(self, what, begin, end):
        urgency = "-" if self.priority is None else f"{self.priority}/{self.threshold}"
        os.write(self.log, f"{what} {os.getpid()} {urgency} {begin} {end}\n".encode())

    def obey(self, order):
        number, off = order
        if off != self.arbiter.off:
            if off and self.obeys:
                self.stop_working()
            if off:
                self.off_since = now()
            else:
                self.write("off", self.off_since, now())
            self.arbiter.off = off
        if number != self.last_order:
            self.arbiter.confirm(number)
            # After a freeze: from here on it is as if nothing had happened.
            self.write("obeyed", now(), now())
        self.last_order = number

    def listen(self, timeout):
        """Obeys an order that comes within this time; how long that took, in s."""
        before = now()
        if order := self.arbiter.order(timeout):
            self.obey(order)
        after = now()
        if after - self.listened > (timeout + STOOD_STILL) * 1e9:
            self.write("stood", self.listened, after)
        self.listened = after
        return (after - before) / 1e9

    def start_working(self):
        self.since = now()
        self.write("start", self.since, self.since)

    def stop_working(self):
        if self.since:
            self.write("work", self.since, now())
        self.since = 0

    def segment(self):
        asked = now()
        self.arbiter.begin(self.priority, self.threshold)
        while not self.arbiter.answered():
            self.listen(0.0005)
        begun = now()
        self.write("begin", asked, begun)
        left = self.random.uniform(0.0005, 0.02)
        while left > 0:
            if self.arbiter.off and self.obeys:
                self.listen(1)
                continue
            if not self.since:
                self.start_working()
            left -= self.listen(min(left, 0.002))
        self.stop_working()
        self.write("active", begun, now())
        self.arbiter.end()

    def live(self):
        while True:
            self.segment()
            until = now() + self.random.uniform(0.0, 0.3) * 1e9
            while now() < until:
                self.listen(max(until - now(), 0) / 1e9)


def honest(place, urgency, log, seed, obeys=True):
    """@param urgency priority and threshold; None: best effort"""
    try:
        Honest(place, urgency, log, seed, obeys).live()
    except (ConnectionError, OSError) as problem:
        os.write(2, f"honest client {os.getpid()}: {problem}\n".encode())
        sys.exit(1)
