#!/usr/bin/env python3
"""An urgent program beside programs that use the GPU all the time, under every way of sharing: what the urgent one
waits for, and what is left to the others.

    bench/h200/peers.py OUT --programs build [--seconds 10] [--runs 3] [--loads short,long,graph,eager] [--counts 1,3]
        [--modes driver,mps,gcaps,boost,timeslice,xsched] [--xsched LAUNCHER] [--budget MINUTES]

Every run of every row in random order; the table has medians, and in --json every run. The urgent program: every 10 ms
16 KiB in, 20 kernels of 0.1 ms over the whole GPU, 16 KiB out. Loads: kernels of 1 ms in short blocks, of 50 ms in one
wave, graphs of 20 kernels of 0.05 ms, and eager PyTorch training. Under gcaps and boost the urgent program marks its
jobs. LAUNCHER of XSched: a program that is called `LAUNCHER PRIORITY COMMAND...`, made where XSched was built (its
variables and libraries are its own); it is no part of this tree.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from tables import table  # noqa: E402

PERIOD_MS = 10


def training():
    """Eager training, until SIGTERM; counts steps from SIGUSR1 to SIGUSR2."""
    import torch
    import torchvision

    marks, over = [], []
    signal.signal(signal.SIGUSR1, lambda *_: marks.append((steps, time.monotonic())))
    signal.signal(signal.SIGUSR2, lambda *_: marks.append((steps, time.monotonic())))
    signal.signal(signal.SIGTERM, lambda *_: over.append(1))
    torch.manual_seed(1)
    model = torchvision.models.resnet50(weights=None).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    images = torch.randn(64, 3, 224, 224, device="cuda")
    labels = torch.randint(0, 1000, (64,), device="cuda")
    steps = 0
    with torch.cuda.stream(torch.cuda.Stream()):
        while not over:
            with torch.autocast("cuda", torch.bfloat16):
                loss = torch.nn.functional.cross_entropy(model(images), labels)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            torch.cuda.current_stream().synchronize()
            steps += 1
            if steps == 3:
                print("ready", flush=True)
    (first, begin), (last, end) = marks if len(marks) == 2 else [(0, 0), (0, 1)]
    print(json.dumps({"rate": (last - first) / (end - begin), "right": bool(torch.isfinite(loss))}))


class Program:
    """A process that says "ready", and a line of JSON in the end."""

    def __init__(self, command, environment):
        self._process = subprocess.Popen(
            [str(word) for word in command], env=environment, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True)  # fmt: skip
        self._lines, self._ready = [], threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()
        self._errors = threading.Thread(target=self._drain, daemon=True)
        self._complaints = []
        self._errors.start()

    def _read(self):
        for line in self._process.stdout:
            self._lines.append(line.strip())
            if line.strip() == "ready":
                self._ready.set()
        self._ready.set()

    def _drain(self):
        for line in self._process.stderr:
            self._complaints.append(line.strip())

    def wait_until_ready(self, seconds):
        if not self._ready.wait(seconds) or "ready" not in self._lines:
            raise RuntimeError(f"not ready: {self._lines[-1:]} {self._complaints[-2:]}")

    def tell(self, which):
        self._process.send_signal(which)

    def answer(self, seconds):
        self._thread.join(seconds)
        if self._thread.is_alive():
            raise RuntimeError(f"still running: {self._complaints[-2:]}")
        found = [json.loads(line) for line in self._lines if line.startswith("{")]
        if not found or "problem" in found[-1]:
            raise RuntimeError(f"no answer: {self._lines[-1:]} {self._complaints[-2:]}")
        return found[-1]

    def end(self):
        if self._process.poll() is None:
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self._process.wait()


class Sharing:
    """One way of sharing: what it needs in the background, and how programs are started under it."""

    def __init__(self, mode, arguments, folder):
        self.mode, self._programs, self._xsched = mode, arguments.programs, arguments.xsched
        self.environment = dict(os.environ, TACTUS_SOCKET=str(folder / "socket"))
        self.environment["LD_LIBRARY_PATH"] = f"{arguments.programs}:" + os.environ.get("LD_LIBRARY_PATH", "")
        self._arbiter = None
        if mode in ("gcaps", "boost"):
            last = str((os.cpu_count() or 2) - 1)
            spin = ["--spin", "20"] if arguments.spin else []
            self._arbiter = subprocess.Popen(
                [str(self._programs / "tactusd"), "--protocol", mode, "--cpu", last, *spin],
                env=self.environment, stderr=subprocess.DEVNULL)  # fmt: skip
            time.sleep(0.3)
        if mode == "mps":
            for name in ("PIPE", "LOG"):
                (folder / name).mkdir()
                self.environment[f"CUDA_MPS_{name}_DIRECTORY"] = str(folder / name)
            subprocess.run(["nvidia-cuda-mps-control", "-d"], env=self.environment, check=True)

    def low(self, command):
        tactus = [self._programs / "tactus", "exec", "--best-effort", "--quiet"]
        return {
            "gcaps": [*tactus, "--tier", "channel", "--required", "--"],
            "boost": [*tactus, "--tier", "channel", "--required", "--"],
            "timeslice": [*tactus, "--tier", "timeslice", "--"],
            "xsched": [self._xsched, "0"],
        }.get(self.mode, []) + command

    def urgent(self, command):
        if self.mode == "xsched":
            return [self._xsched, "1", *command]
        return command + ([self.mode] if self.mode in ("gcaps", "boost") else [])

    def end(self):
        if self._arbiter is not None:
            self._arbiter.terminate()
            self._arbiter.wait()
        if self.mode == "mps":
            subprocess.run(["nvidia-cuda-mps-control"], input="quit\n", text=True, env=self.environment, check=False)


def run(mode, load, count, arguments):
    """@param count of low programs; 0: the urgent one alone; mode "alone": the low one alone"""
    folder = pathlib.Path(tempfile.mkdtemp())
    sharing, programs = Sharing(mode, arguments, folder), []
    low = [arguments.peer, "low", load] if load != "eager" else [sys.executable, __file__, "--train"]
    try:
        lows = []
        for _ in range(count):
            lows.append(Program(sharing.low(low), sharing.environment))
            programs.append(lows[-1])
        for program in lows:
            program.wait_until_ready(60)
        urgent = None
        if mode != "alone":
            command = [arguments.peer, "urgent", arguments.seconds, PERIOD_MS]
            urgent = Program(sharing.urgent(command), sharing.environment)
            programs.append(urgent)
            urgent.wait_until_ready(60)
        for program in lows:
            program.tell(signal.SIGUSR1)
        if urgent is None:
            time.sleep(arguments.seconds)
        found = {} if urgent is None else urgent.answer(arguments.seconds + 60)
        for program in lows:
            program.tell(signal.SIGUSR2)
        time.sleep(0.2)
        for program in lows:
            program.tell(signal.SIGTERM)
        answers = [program.answer(30) for program in lows]
        found["rates"] = [answer["rate"] for answer in answers]
        found["right"] = found.get("right", True) and all(answer["right"] for answer in answers)
        return found
    finally:
        for program in programs:
            program.end()
        sharing.end()
        shutil.rmtree(folder, ignore_errors=True)


def rows_of(found, runs):
    """Medians, with the range of p99 where there is more than one run."""
    for (mode, load, count), seen in found.items():
        good = [each for each in seen if "p50" in each]
        if not good:
            yield [load, count, mode] + ["-"] * 4 + [seen[-1].get("failed", "")[:60] if seen else ""]
            continue
        alone = [each["rates"][0] for each in found.get(("alone", load, 1), []) if each.get("rates")]
        middle = lambda values: statistics.median(values)  # noqa: E731
        p99 = [each["p99"] for each in good]
        spread = f" ({min(p99):.2f} to {max(p99):.2f})" if len(p99) > 1 else ""
        share = "-"
        if alone and count:
            share = f"{100 * middle([sum(each['rates']) for each in good]) / middle(alone):.1f}"
        yield [load, count, mode, f"{middle([each['p50'] for each in good]):.2f}", f"{middle(p99):.2f}{spread}",
               f"{max(each['max'] for each in good):.2f}", share,
               "" if all(each["right"] for each in good) else "WRONG RESULTS"]  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", nargs="?", type=pathlib.Path)
    parser.add_argument("--programs", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--peer", help="peer_program, if it is built already")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--loads", default="short,long,graph,eager")
    parser.add_argument("--counts", default="1,3")
    parser.add_argument("--modes", default="driver,mps,gcaps,boost,timeslice")
    parser.add_argument("--xsched", default="")
    parser.add_argument("--spin", action="store_true", help="tactusd polls, which costs a core")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--budget", type=float, default=1e9, help="minutes after which no run begins")
    parser.add_argument("--train", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.train:
        return training()
    if arguments.out is None or arguments.programs is None:
        parser.error("OUT and --programs are needed")
    begin = time.monotonic()
    arguments.out.mkdir(parents=True, exist_ok=True)
    if arguments.peer is None:
        arguments.peer = str(arguments.out / "peer_program")
        subprocess.run(["nvcc", "-O2", "-std=c++17", "-cudart", "static", str(HERE / "peer_program.cu"), "-o",
                        arguments.peer, "-ldl"], check=True)  # fmt: skip
    # Beside others nobody could tell how long its kernels take.
    os.environ["PEER_RATES"] = subprocess.run([arguments.peer, "rates"], check=True, capture_output=True,
                                              text=True).stdout.strip()  # fmt: skip
    loads, counts = arguments.loads.split(","), [int(count) for count in arguments.counts.split(",")]
    modes = arguments.modes.split(",")
    rows = [("driver", "none", 0)] + [("alone", load, 1) for load in loads]
    rows += [(mode, load, count) for load in loads for count in counts for mode in modes
             if mode != "timeslice" or count == 1]  # fmt: skip
    todo = [row for row in rows for _ in range(arguments.runs)]
    random.Random(arguments.seed).shuffle(todo)
    found = {row: [] for row in rows}
    for row in todo:
        if time.monotonic() - begin > arguments.budget * 60:
            found[row].append({"failed": "no time was left"})
            continue
        try:
            found[row].append(run(*row, arguments))
        except Exception as error:  # the other rows are worth having
            found[row].append({"failed": f"{type(error).__name__}: {error}"})
        print(*row, json.dumps(found[row][-1]), flush=True)
    every = [{"mode": row[0], "load": row[1], "programs": row[2], "runs": runs} for row, runs in found.items()]
    (arguments.out / "peers.json").write_text(json.dumps(every, indent=1) + "\n")
    print()
    table(["load", "programs", "way", "p50 ms", "p99 ms", "longest ms", "rate left, %", ""],
          [row for row in rows_of(found, arguments.runs) if row[2] != "alone"])  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
