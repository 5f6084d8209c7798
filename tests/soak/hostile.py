"""Clients that mean harm: each does one thing wrong, for a moment, and leaves."""
import os
import random
import socket
import struct
import time

from client import BEGIN, END, SIZE, Arbiter, message


def never_confirms(place, rng):
    arbiter = Arbiter(place, "mute")
    arbiter.begin(rng.choice([None, -5, 3, 50]))
    time.sleep(rng.uniform(0.1, 2))


def confirms_late(place, rng):
    arbiter = Arbiter(place, "late")
    arbiter.begin(None)
    end = time.monotonic() + 5
    while time.monotonic() < end:
        if order := arbiter.order(0.2):
            time.sleep(rng.uniform(0.2, 1.2))
            arbiter.confirm(order[0])


def does_not_listen(place, rng):
    arbiter = Arbiter(place, "deaf")
    arbiter.begin(None)
    arbiter.socket.shutdown(socket.SHUT_RD)
    time.sleep(rng.uniform(0.1, 3))


def talks_nonsense(place, rng):
    for _ in range(rng.randrange(1, 30)):
        arbiter = Arbiter(place, "\x1b[31mnoise")
        try:
            for _ in range(20):
                size = SIZE if rng.random() < 0.9 else rng.randrange(0, SIZE)
                noise = bytearray(rng.randbytes(size))
                if size >= 4:
                    noise[0:4] = struct.pack("<I", rng.randrange(0, 10))
                # A begin of any priority is no nonsense, but nobody is held up by it for long.
                arbiter.socket.send(noise)
        except OSError:
            pass


def connects_and_hangs_up(place, rng):
    for _ in range(rng.randrange(100, 2000)):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
            s.settimeout(5)
            s.connect(place.path)
            if rng.random() < 0.3:
                s.send(message(rng.choice([BEGIN, END])))


def says_nothing(place, rng):
    crowd = []
    for _ in range(rng.randrange(10, 120)):
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        s.settimeout(5)
        s.connect(place.path)
        crowd.append(s)
    time.sleep(rng.uniform(0, 1))


def floods_with_requests(place, rng):
    arbiter = Arbiter(place, "flood")
    for _ in range(rng.randrange(10, 3000)):
        arbiter.begin(None)
        arbiter.end()


def leaves_a_child_behind(place, rng):
    arbiter = Arbiter(place, "parent")
    arbiter.begin(rng.choice([None, 2]))
    if os.fork() == 0:
        time.sleep(rng.uniform(0, 3))
        os._exit(0)


def does_not_read(place, rng):
    arbiter = Arbiter(place, "stuffed")
    arbiter.begin(None)
    time.sleep(rng.uniform(1, 5))


ALL = [never_confirms, confirms_late, does_not_listen, talks_nonsense, connects_and_hangs_up,
       says_nothing, floods_with_requests, leaves_a_child_behind, does_not_read]


def hostile(place, seed):
    rng = random.Random(seed)
    try:
        rng.choice(ALL)(place, rng)
    except (OSError, IndexError):  # it was hung up on: as it should be
        pass
    os._exit(0)
