"""Segments: scopes, decorators, threads and coroutines, with and without an arbiter."""

import asyncio
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import support
import tactus
from tactus import _segments

TACTUSD = support.SOURCE / "build" / "tactusd"


def quietly(function):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tactus.TactusWarning)
        return function()


class WithoutAnArbiter(unittest.TestCase):
    def setUp(self):
        os.environ["TACTUS_SOCKET"] = "/nonexistent/tactusd.socket"

    def test_everything_works_and_that_is_said_once(self):
        _segments._said = False
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for _ in range(3):
                with tactus.segment(priority=70) as inside:
                    self.assertEqual(inside.state, tactus.State.UNARBITRATED)
        said = [w for w in caught if issubclass(w.category, tactus.TactusWarning)]
        self.assertEqual(len(said), 1)
        self.assertIn("no arbiter", str(said[0].message))

    def test_a_function_is_decorated_and_returns_what_it_returns(self):
        @tactus.segment(priority=70)
        def twice(x):
            """Doubles."""
            return 2 * x

        self.assertEqual(quietly(lambda: twice(4)), 8)
        self.assertEqual((twice.__name__, twice.__doc__), ("twice", "Doubles."))

    def test_a_segment_ends_when_its_work_fails(self):
        def fail():
            with tactus.segment(priority=70):
                raise KeyError("x")

        for _ in range(2):  # the second would be nested, had the first not ended
            with self.assertRaises(KeyError):
                quietly(fail)

    def test_segments_of_one_thread_do_not_nest(self):
        def nest():
            with tactus.segment(priority=70):
                with tactus.segment(priority=80):
                    pass

        with self.assertRaises(tactus.SegmentError):
            quietly(nest)
        quietly(lambda: tactus.segment(priority=1).__enter__().__exit__(None, None, None))

    def test_coroutines_of_one_thread_are_inside_together(self):
        async def work(log, name, barrier):
            async with tactus.segment(priority=70):
                log.append(name)
                barrier.append(name)
                while len(barrier) < 2:  # both are inside at the same time
                    await asyncio.sleep(0)

        async def main():
            log, barrier = [], []
            await asyncio.wait_for(
                asyncio.gather(work(log, "a", barrier), work(log, "b", barrier)), 60
            )
            return sorted(log)

        self.assertEqual(quietly(lambda: asyncio.run(main())), ["a", "b"])

    def test_a_coroutine_function_is_decorated(self):
        @tactus.segment(priority=70)
        async def twice(x):
            await asyncio.sleep(0)
            return 2 * x

        async def main():
            return await asyncio.gather(*(twice(i) for i in range(5)))

        self.assertEqual(quietly(lambda: asyncio.run(main())), [0, 2, 4, 6, 8])

    def test_a_cancelled_coroutine_leaves_no_thread_behind(self):
        async def forever():
            async with tactus.segment(priority=70):
                await asyncio.sleep(3600)

        async def main():
            task = asyncio.ensure_future(forever())
            await asyncio.sleep(0.05)
            task.cancel()
            try:
                await task
            except asyncio.CancelledError:
                pass

        quietly(lambda: asyncio.run(main()))
        for thread in threading.enumerate():
            if thread.name == "tactus segment":
                thread.join(60)
                self.assertFalse(thread.is_alive())


@unittest.skipUnless(TACTUSD.is_file(), "no build/tactusd")
class WithAnArbiter(unittest.TestCase):
    """Two processes: the urgent one keeps the other out."""

    ARGUMENTS = []
    TIER = "gate"
    PROGRAM = """
import sys, time, tactus
priority, name = int(sys.argv[1]), sys.argv[2]
with tactus.segment(priority=priority) as inside:
    print(name, inside.state.name, tactus.tier(), flush=True)
    sys.stdin.readline()
"""

    def start(self, priority, name):
        environment = dict(os.environ, TACTUS_SOCKET=self.socket)
        environment["PYTHONPATH"] = str(support.SOURCE / "python")
        process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", self.PROGRAM, str(priority), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def go_on(process):
        process.stdin.write("\n")
        process.stdin.flush()

    @staticmethod
    def end(process):
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.socket = str(pathlib.Path(folder.name) / "tactusd.socket")
        arbiter = subprocess.Popen(
            [TACTUSD, "--socket", self.socket, *self.ARGUMENTS],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.addCleanup(arbiter.wait)
        self.addCleanup(arbiter.kill)
        for _ in range(600):
            if os.path.exists(self.socket):
                return
            time.sleep(0.1)
        self.fail("tactusd did not start")

    def test_the_less_urgent_process_waits_for_its_turn(self):
        urgent = self.start(70, "urgent")
        self.assertEqual(urgent.stdout.readline().split(), ["urgent", "RUNNING", self.TIER])
        other = self.start(10, "other")
        lines = []
        reader = threading.Thread(target=lambda: lines.append(other.stdout.readline()))
        reader.start()
        reader.join(1.0)
        self.assertEqual(lines, [], "it is held off")
        self.go_on(urgent)
        reader.join(60)
        self.assertEqual(lines[0].split(), ["other", "RUNNING", self.TIER])
        self.go_on(other)
        self.assertEqual((urgent.wait(60), other.wait(60)), (0, 0))


class FakeStream:
    def __init__(self, handle):
        self.cuda_stream = handle


class Streams(unittest.TestCase):
    """What stands for a stream, and which one is meant where none is named."""

    def test_a_stream_is_that_of_a_library_or_its_handle(self):
        class CuPys:
            ptr = 7

        class Numbas:
            class handle:
                value = None  # the default stream

        for stream, handles in (
            (None, None), (5, [5]), (FakeStream(9), [9]), (CuPys(), [7]), (Numbas(), [0]),
            ([FakeStream(1), 2], [1, 2]),
        ):  # fmt: skip
            self.assertEqual(_segments._handles_of(stream), handles)

    def test_anything_else_is_told_at_once(self):
        for wrong in ("a stream", True, 1.5, [], [1] * 17):
            with self.assertRaises((TypeError, ValueError)):
                tactus.segment(70, stream=wrong)
        with self.assertRaisesRegex(ValueError, "the threshold 60 is below the priority 70"):
            tactus.segment(70, threshold=60)

    def test_without_one_it_is_the_current_stream_of_pytorch_where_that_uses_the_gpu(self):
        class Torch:
            class cuda:
                ready = True
                is_available = staticmethod(lambda: True)
                is_initialized = staticmethod(lambda: Torch.cuda.ready)
                current_stream = staticmethod(lambda: FakeStream(11))

        before = sys.modules.get("torch")
        sys.modules["torch"] = Torch
        try:
            self.assertEqual(_segments._current_stream(), 11)
            Torch.cuda.ready = False
            self.assertIsNone(_segments._current_stream())
        finally:
            del sys.modules["torch"]
            if before is not None:
                sys.modules["torch"] = before
        if before is None:
            self.assertIsNone(_segments._current_stream())


@unittest.skipUnless(TACTUSD.is_file(), "no build/tactusd")
class WithAnArbiterThatOpensGates(WithAnArbiter):
    """The same two processes, without a GPU: a scope begins when it is its turn."""

    ARGUMENTS = ["--protocol", "boost"]
    TIER = "hold"

    def test_a_less_urgent_segment_that_has_begun_is_not_taken_off(self):
        other = self.start(10, "other")
        self.assertEqual(other.stdout.readline().split(), ["other", "RUNNING", "hold"])
        urgent = self.start(70, "urgent")
        lines = []
        reader = threading.Thread(target=lambda: lines.append(urgent.stdout.readline()))
        reader.start()
        reader.join(1.0)
        self.assertEqual(lines, [], "the tier hold takes nothing off")
        self.go_on(other)
        reader.join(60)
        self.assertEqual(lines[0].split(), ["urgent", "RUNNING", "hold"])
        self.go_on(urgent)
        self.assertEqual((urgent.wait(60), other.wait(60)), (0, 0))


if __name__ == "__main__":
    unittest.main()
