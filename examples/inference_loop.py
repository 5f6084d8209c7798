#!/usr/bin/env python3
"""The loop of an inference server (such as vLLM's), with random weights: each turn decodes one token
for every running request, and prompts that have come meanwhile are read (prefilled) piece by piece.

    python3 examples/inference_loop.py TRACE.json [TURNS]

It writes what it did as a Chrome trace. No GPU: the network is plain Python, and its time stands on a
track of its own, as the profile of a GPU would.
"""

import json
import random
import sys
import time

WIDTH = 24
PERIOD = 0.03  # seconds per token
PIECE = 4  # tokens of a prompt that are read in one turn


class Network:
    """One layer; what counts is that the work is done, and how long it takes."""

    def __init__(self, seed):
        chance = random.Random(seed)
        self.weights = [[chance.gauss(0, 1) for _ in range(WIDTH)] for _ in range(WIDTH)]

    def __call__(self, tokens):
        for token in tokens:
            for row in self.weights:
                sum(a * b for a, b in zip(row, token))


class Trace:
    def __init__(self):
        self.begin = time.monotonic()
        self.events = [
            {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "server"}},
            {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "loop"}},
            {"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "args": {"name": "GPU"}},
        ]

    def now(self):
        return (time.monotonic() - self.begin) * 1e6

    def slice(self, name, track, start):
        lasts = self.now() - start
        self.events.append({"ph": "X", "name": name, "pid": 1, "tid": track, "ts": start, "dur": lasts})

    def write(self, path):
        with open(path, "w", encoding="utf-8") as out:
            json.dump({"traceEvents": self.events}, out)


def main():
    path = sys.argv[1]
    turns = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    chance = random.Random(7)
    network, trace = Network(7), Trace()
    running, prompt = 4, 0
    next_turn = time.monotonic()
    for _ in range(turns):
        start = trace.now()
        if chance.random() < 0.5:
            prompt += 8  # tokens of a request that has come
        batch = [[chance.random() for _ in range(WIDTH)] for _ in range(running)]
        began = trace.now()
        network(batch)
        trace.slice("decode", 2, began)
        if prompt > 0:
            began = trace.now()
            network([[0.5] * WIDTH for _ in range(min(prompt, PIECE))])
            trace.slice("prefill", 2, began)
            prompt -= min(prompt, PIECE)
        trace.slice("turn", 1, start)
        next_turn += PERIOD
        time.sleep(max(0.0, next_turn - time.monotonic()))
    trace.write(path)


if __name__ == "__main__":
    main()
