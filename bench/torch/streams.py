"""The usual ways to share a GPU: a thread and a stream for each network, and one for the training. All
work is captured as CUDA graphs, so that Python does little, and all waiting is without the GIL."""

import threading
import time

import torch

import tactus.torch as tt


class Alone:
    """What is launched by threads of this program."""

    def __init__(self, tasks, frames, nets, priorities=False):
        self.tasks = tasks
        least, greatest = torch.cuda.Stream.priority_range()
        self.priority = {name: least for name, *_ in tasks}
        if priorities:
            for place, (name, *_) in enumerate(sorted(tasks, key=lambda task: -task[3])):
                self.priority[name] = min(greatest + place, least - 1)
        # Kernels of a graph have the priority of the stream on which it was captured.
        self.captured = {
            name: tt.capture(nets[name], frames[name].cuda(), priority=self.priority[name])
            for name, *_ in tasks
        }
        self.expected = {
            name: captured(frames[name].cuda()).cpu() for name, captured in self.captured.items()
        }


def share(alone, train, seconds):
    """Runs everything for a time; returns the response times (ms) of each task, how many outputs were
    wrong, and how many training steps were done."""
    stop = threading.Event()
    responses = {name: [] for name, *_ in alone.tasks}
    wrong = {name: 0 for name, *_ in alone.tasks}
    steps = [0]
    def training():
        stream = torch.cuda.Stream()
        before = None
        with torch.cuda.stream(stream):
            while not stop.is_set():
                train.replay()
                event = torch.cuda.Event()
                event.record()
                if before is not None:  # one step runs, one waits behind it
                    before.synchronize()
                    steps[0] += 1
                before = event
            stream.synchronize()

    begin = time.monotonic() + 1.0

    def network(name, period):
        captured = alone.captured[name]
        stream = torch.cuda.Stream(priority=alone.priority[name])
        period = float(period.split()[0]) / 1000
        with torch.cuda.stream(stream):
            for job in range(int(seconds / period)):
                release = begin + job * period
                left = release - time.monotonic()
                if left > 0:
                    time.sleep(left)
                captured.replay()
                stream.synchronize()
                responses[name].append((time.monotonic() - release) * 1000)
                if job % 50 == 0 and not torch.equal(captured.outputs.cpu(), alone.expected[name]):
                    wrong[name] += 1

    threads = [
        threading.Thread(target=network, args=(name, period)) for name, _, period, _ in alone.tasks
    ]
    trainer = threading.Thread(target=training) if train is not None else None
    if trainer is not None:
        trainer.start()
    time.sleep(0.5)
    for thread in threads:
        thread.start()
    time.sleep(max(begin - time.monotonic(), 0))
    done, at = steps[0], time.monotonic()
    for thread in threads:
        thread.join()
    rate = (steps[0] - done) / (time.monotonic() - at)
    stop.set()
    if trainer is not None:
        trainer.join()
    return responses, wrong, rate
