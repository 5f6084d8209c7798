"""Sessions of real work without a GPU (`backend="cpu"`): on a real PyTorch where there is one, else on
the stand-in. Nothing here depends on how fast this machine is."""

import asyncio
import contextlib
import datetime
import os
import pathlib
import sys
import tempfile
import threading
import time
import unittest
import warnings
from unittest import mock

import fake_torch
import support  # noqa: F401  (the path to the package)
import tactus
import tactus.session
import tactus.torch as tt

try:
    import torch as real_torch
except ImportError:
    real_torch = None

LONG = 30.0  #: seconds, for what always comes


class WithoutAGpu(unittest.TestCase):
    real = False

    def setUp(self):
        if self.real and real_torch is None:
            self.skipTest("PyTorch is not installed")
        self.torch = real_torch if self.real else fake_torch.module()
        patch = mock.patch.dict(sys.modules, {"torch": self.torch})
        patch.start()
        self.addCleanup(patch.stop)
        warnings.simplefilter("ignore", tactus.TactusWarning)
        self.addCleanup(warnings.resetwarnings)
        self.session = tt.Session(backend="cpu")
        self.addCleanup(self.session.close)

    def example(self, *numbers):
        return self.torch.tensor([float(x) for x in numbers])

    def planned(self):
        self.session.measure(runs=1, progress=False)
        return self.session.advise(progress=False)

    def double(self, period="20 ms", **how):
        """A task that doubles its input."""
        return self.session.task("double", period, **how).gpu("net", lambda x: x * 2, self.example(1))

    def numbers(self, output):
        return [float(x) for x in output.value.tolist()]


class Flow(WithoutAGpu):
    def test_measure_advise_and_run_with_data_that_is_named(self):
        self.double().cpu("post", lambda y: y.tolist()[0] + 1)
        plan = self.planned()
        self.assertTrue(plan.found)
        with self.session.run(plan) as running:
            outputs = running.outputs("double")
            self.assertEqual(outputs.get(LONG).input, 0, "the example")
            number = running.inputs("double").put(self.example(20))
            while (found := outputs.get(LONG)).input != number:
                self.assertLess(found.input, number)
            self.assertEqual(found.value, 41)
            self.assertGreater(found.response, 0)
            self.assertEqual(found.job.task, "double")
        self.assertGreaterEqual(running.report().task("double").jobs, 2)

    def test_two_runs_of_a_session_count_by_themselves(self):
        self.double()
        plan = self.planned()
        for _ in range(2):
            with self.session.run(plan) as running:
                self.assertEqual(running.inputs("double").put(self.example(3)), 1)
                self.assertLessEqual(running.outputs("double").get(LONG).number, 50)

    def test_a_run_tells_what_it_sees_while_it_runs(self):
        self.double("5 ms")
        seen = []
        with self.session.run(self.planned(), on_job=seen.append) as running:
            while len(seen) < 3:
                time.sleep(0.01)
            self.assertEqual(seen[0].number, 1)
            self.assertGreaterEqual(running.report().task("double").jobs, 1)
            self.assertIn("tactus_longest_response_seconds", running.metrics())
            self.assertGreaterEqual(sum(running.histogram("double").values()), 1)
            self.assertIn("double", repr(running))
            self.assertIn("double", running._repr_html_())
        self.assertIn("tactus_longest_response_seconds", running.metrics())

    def test_a_line_shows_a_run_that_is_waited_for(self):
        self.double("5 ms")
        lines = []
        with self.session.run(self.planned(), jobs=5) as running:
            report = running.wait(LONG, progress=lines.append)
        self.assertEqual(report.task("double").jobs + sum(
            int(line.split()[0]) for line in report.document["failures"] if "were skipped" in line), 5)
        self.assertTrue(all("double" in line for line in lines))

    def test_work_that_is_enqueued_is_called_for_each_job(self):
        calls = []
        self.session.task("own", "5 ms").gpu_stream("kernels", lambda stream: calls.append(1))
        with self.session.run(self.planned()) as running:
            before = len(calls)
            while len(calls) < before + 3:
                time.sleep(0.01)
            with self.assertRaises(tactus.InvalidInput):
                running.outputs("own")

    def test_parameters_and_buffers_are_after_measuring_what_they_were(self):
        class Module:
            def __init__(inner):
                inner.cache = self.example(0)

            def parameters(inner):
                return []

            def buffers(inner):
                return [inner.cache]

            def __call__(inner, x):
                inner.cache.add_(1)
                return x * 2

        module = Module()
        self.session.task("decode", "50 ms").gpu("net", module, self.example(1))
        before = module.cache.tolist()
        self.session.measure(runs=2, progress=False)
        self.assertEqual(module.cache.tolist(), before)


class OnArrival(WithoutAGpu):
    def test_each_input_has_a_job_and_none_is_lost(self):
        self.double("1 ms", release="arrival", queue=3)
        with self.session.run(self.planned()) as running:
            inputs, outputs = running.inputs("double"), running.outputs("double")
            for number in range(1, 21):
                self.assertTrue(inputs.wait(LONG))
                self.assertEqual(inputs.put(self.example(number)), number)
            for number in range(1, 21):
                found = outputs.get(LONG)
                self.assertEqual((found.number, found.input), (number, number))
                self.assertEqual(self.numbers(found), [2.0 * number])
            with self.assertRaises(TimeoutError):
                outputs.get(0.01)
        self.assertEqual(running.report().task("double").jobs, 20)

    def test_a_coroutine_gets_the_output_of_its_input(self):
        self.double("1 ms", release="arrival", queue=8)
        self.session.task("add", "1 ms", release="arrival").cpu("f", lambda x: x + 1, 0)

        async def ask(running):
            both = [running.submit("double", self.example(k)) for k in range(5)]
            return await asyncio.gather(*both), await running.submit("add", 41)

        with self.session.run(self.planned()) as running:
            doubled, added = asyncio.run(ask(running))
        self.assertEqual([self.numbers(one) for one in doubled], [[0], [2], [4], [6], [8]])
        self.assertEqual((added.value, added.input), (42, 1))
        self.assertGreater(added.response, 0)

    def test_a_function_behind_a_network_knows_the_input(self):
        task = self.double("1 ms", release="arrival")
        task.cpu("post", lambda y: y.tolist()[0])
        self.session.task("back", "1 ms", release="arrival").cpu(
            "pre", lambda x: self.example(x), 1).gpu("net", lambda x: x * 3)
        with self.session.run(self.planned()) as running:
            self.assertEqual(running.send("double", self.example(4)).result(LONG).input, 1)
            found = running.send("back", 5).result(LONG)
            self.assertEqual((found.input, self.numbers(found)), (1, [15.0]))

    def test_as_many_wait_as_may_and_it_is_told(self):
        go = threading.Event()
        self.session.task("slow", "1 ms", release="arrival", queue=2).cpu(
            "f", lambda x: go.wait(LONG) if x else x, 0)
        with self.session.run(self.planned()) as running:
            inputs = running.inputs("slow")
            inputs.put(1)
            inputs.put(2)
            self.assertEqual(inputs.room, 0)
            self.assertFalse(inputs.wait(0.01))
            with self.assertRaisesRegex(tt.Full, "task `slow` is refused: 2 inputs wait"):
                inputs.put(3)
            go.set()
            running.outputs("slow").get(LONG)
            self.assertTrue(inputs.wait(LONG))
            self.assertIn("1 refused", repr(running))

    def test_what_waits_at_the_end_is_told_to_who_waits_for_it(self):
        begun, go = threading.Event(), threading.Event()

        def slow(x):
            if x:
                begun.set()
                go.wait(LONG)
            return x

        self.session.task("slow", "1 ms", release="arrival").cpu("f", slow, 0)
        with self.session.run(self.planned()) as running:
            running.send("slow", 1)
            second = running.send("slow", 2)
            self.assertTrue(begun.wait(LONG))
            running.stop()
            threading.Timer(0.2, go.set).start()
        with self.assertRaises(EOFError):
            second.result(LONG)

    def test_a_task_with_a_clock_takes_no_submissions(self):
        self.double()
        with self.session.run(self.planned()) as running:
            with self.assertRaisesRegex(tactus.InvalidInput, "has a clock"):
                running.send("double", self.example(1))


class Overload(WithoutAGpu):
    """A job that takes many periods."""

    def stuck(self):
        self.go, self.begun = threading.Event(), threading.Event()
        self.addCleanup(lambda: self.go.set())

        def function(x):
            if x:
                self.begun.set()
                self.go.wait(LONG)
            return x

        self.session.task("slow", "2 ms").cpu("f", function, 0)
        return self.planned()

    def begin(self, running):
        running.inputs("slow").put(1)
        self.assertTrue(self.begun.wait(LONG))

    def test_it_is_shed_by_default_and_counted(self):
        skipped = []
        plan = self.stuck()
        with self.session.run(
            plan, on_job=lambda job: skipped.append(job) if job.state == "skipped" else None
        ) as running:
            self.begin(running)
            while len(skipped) < 20:  # nothing queues up meanwhile
                time.sleep(0.01)
            running.inputs("slow").put(0)
            self.go.set()
        told = [line for line in running.report().document["failures"] if "were skipped" in line]
        self.assertGreaterEqual(int(told[0].split()[0]), 20)
        self.assertFalse(running.report().good)

    def test_it_can_be_logged_or_end_the_run(self):
        with self.session.run(self.stuck(), on_overrun="stop") as running:
            with contextlib.suppress(EOFError):  # a slow machine overruns by itself
                running.inputs("slow").put(1)
            threading.Timer(0.1, self.go.set).start()
            running.wait(LONG)
        self.assertIn("stopped at an overrun", running.report().document["cut_short"])

    def test_a_function_decides_about_it(self):
        told = []

        def decide(overrun):
            told.append(overrun)
            return "skip-next"

        with self.session.run(self.stuck(), on_overrun=decide) as running:
            self.begin(running)
            while not any(one.task == "slow" and one.node is None for one in told):
                time.sleep(0.01)
            running.inputs("slow").put(0)
            self.go.set()
        self.assertGreater(told[-1].took, told[-1].limit)

    def test_the_end_of_a_scope_says_what_it_waits_for_and_gives_up(self):
        plan = self.stuck()
        with self.assertRaisesRegex(tactus.TactusError, "not ended 0.3 s .* job . of task `slow` runs"):
            with self.session.run(plan, end_within="0.3 s") as running:
                self.begin(running)
        self.assertFalse(running.done)
        with self.assertRaisesRegex(RuntimeError, "runs already"):
            self.session.run(plan)
        self.go.set()
        self.assertTrue(running._started._done.wait(LONG))
        with self.session.run(plan, jobs=1) as again:
            again.wait(LONG)

    def test_ctrl_c_ends_the_wait_for_the_end(self):
        plan = self.stuck()
        with self.assertRaises(KeyboardInterrupt):
            with self.session.run(plan) as running:
                self.begin(running)
                threading.Timer(0.3, lambda: os.kill(os.getpid(), 2)).start()
                with mock.patch.object(tactus.session, "_QUIET_S", LONG):
                    running.__exit__(None, None, None)
        self.go.set()


class Errors(WithoutAGpu):
    def broken(self):
        self.breaks = True

        def post(y):
            if y.tolist()[0] == 42 and self.breaks:
                raise ValueError("frame 21 is broken")
            return y.tolist()

        self.double("5 ms").cpu("post", post)
        return self.planned()

    def test_an_error_in_a_function_is_raised_by_get_put_and_the_end_of_the_scope(self):
        plan = self.broken()
        with self.assertRaisesRegex(tactus.TactusError, "frame 21 is broken") as at_end:
            with self.session.run(plan) as running:
                running.inputs("double").put(self.example(21))
                with self.assertRaisesRegex(tactus.TactusError, "`post` of `double` failed") as caught:
                    for _ in running.outputs("double"):
                        pass
                self.assertIsInstance(caught.exception.__cause__, ValueError)
                self.assertIn("post", [frame.tb_frame.f_code.co_name
                                       for frame in self.frames(caught.exception.__cause__)])
                with self.assertRaisesRegex(tactus.TactusError, "frame 21"):
                    running.inputs("double").put(self.example(1))
        self.assertIsInstance(at_end.exception.__cause__, ValueError)
        self.breaks = False  # the last input is used again
        with self.session.run(plan, jobs=2) as running:
            running.wait(LONG)

    @staticmethod
    def frames(error):
        at = error.__traceback__
        while at is not None:
            yield at
            at = at.tb_next

    def test_an_error_in_a_network_is_raised_too(self):
        def net(x):
            if x.tolist()[0] == 9:
                raise ValueError("no nine")
            return x * 2

        self.session.task("t", "5 ms").gpu("net", net, self.example(1))
        with self.assertRaisesRegex(tactus.TactusError, "no nine"):
            with self.session.run(self.planned()) as running:
                running.inputs("t").put(self.example(9))
                while True:
                    running.outputs("t").get(LONG)

    def test_bad_arguments_get_one_line(self):
        task = self.session.task
        for wrong, told in (
            (lambda: task("a", -1), "period of task `a` must be > 0, not -1"),
            (lambda: task("a", 0), "must be > 0"),
            (lambda: task("a", True), "True is not a time"),
            (lambda: task("a", "30 Hz"), "1000 / 30 ms"),
            (lambda: task("a", None), "needs either a period"),
            (lambda: task(7, 10), "name of a task is a text"),
            (lambda: task("a", 10, release="sometimes"), 'release is "period" or "arrival"'),
            (lambda: task("a", 10, release="arrival", queue=0), "at least 1 input"),
            (lambda: tt.Session(backend="gpu"), "there is no backend"),
            (lambda: self.session.run(None), "runs a plan .* not NoneType"),
            (lambda: self.session.run(tactus.Plan({})), "give `system`"),
            (lambda: self.session.advise(), "measure\\(\\) first"),
        ):
            with self.assertRaisesRegex(tactus.TactusError, told) as caught:
                wrong()
            self.assertNotIn("\n", str(caught.exception))
        self.assertEqual(task("t", datetime.timedelta(milliseconds=33))._attributes["period"], 33)

    def test_a_measurement_beside_a_run_is_refused(self):
        self.double()
        with self.session.run(self.planned()):
            with self.assertRaisesRegex(tactus.TactusError, "runs already"):
                self.session.measure()

    def test_a_forked_child_leaves_the_scope(self):
        self.double()
        with self.session.run(self.planned()) as running:
            child = os.fork()
            if child == 0:
                try:
                    running.__exit__(None, None, None)
                finally:
                    os._exit(0)
            end = time.monotonic() + LONG
            while os.waitpid(child, os.WNOHANG)[0] == 0:
                self.assertLess(time.monotonic(), end, "the child waits for threads it does not have")
                time.sleep(0.01)
            running.outputs("double").get(LONG)

    def test_things_tell_what_they_are(self):
        self.double().cpu("post", lambda y: None)
        self.assertIn("double", repr(self.session))
        self.assertIn("post (cpu)", repr(self.session._tasks["double"]))
        advice = self.planned()
        self.assertIn(advice.best.method, str(advice))
        self.assertLess(len(repr(advice)), 80)
        self.assertIn(advice.best.method, repr(advice.plan))


class Kept(WithoutAGpu):
    """Plans and measurements are those of certain work."""

    def test_a_measurement_is_read_again_for_the_same_work_only(self):
        with tempfile.TemporaryDirectory() as folder:
            self.double()
            first = self.session.measure(runs=1, cache=folder, progress=False)
            self.assertEqual(len(list(pathlib.Path(folder).iterdir())), 1)
            with mock.patch.object(self.session, "_measure", side_effect=AssertionError("measured")):
                again = self.session.measure(runs=1, cache=folder, progress=False)
            self.assertEqual(again.to_json(), first.to_json())
            other = tt.Session(backend="cpu")
            other.task("double", "20 ms").gpu("net", lambda x: x + x + x, self.example(1))
            other.measure(runs=1, cache=folder, progress=False)
            self.assertEqual(len(list(pathlib.Path(folder).iterdir())), 2)

    def test_a_plan_of_other_work_is_refused(self):
        self.double()
        plan = self.planned().plan
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "plan.json")
            plan.save(path)
            loaded = tactus.Plan.load(path, plan.system)
        self.assertEqual(loaded.check(), [], "its checker knows that it is for a session")
        other = tt.Session(backend="cpu")
        other.task("double", "20 ms").gpu("net", lambda x: x + x + x, self.example(1, 2))
        with mock.patch.object(other, "backend", "driver"):
            with self.assertRaisesRegex(tactus.InvalidInput, "`double.net` is another one"):
                other.run(loaded)

    def test_a_plan_of_another_machine_is_refused_with_both(self):
        self.double()
        plan = self.planned().plan
        plan.work = {**plan.work, "machine": "another GPU"}
        with mock.patch.object(self.session, "backend", "driver"):
            with self.assertRaisesRegex(tactus.InvalidInput, "on another GPU, and here is no GPU"):
                self.session.run(plan)


def on_real_pytorch(case):
    return type(f"{case.__name__}OnPyTorch", (case,), {"real": True})


FlowOnPyTorch, OnArrivalOnPyTorch = on_real_pytorch(Flow), on_real_pytorch(OnArrival)
ErrorsOnPyTorch, KeptOnPyTorch = on_real_pytorch(Errors), on_real_pytorch(Kept)


if __name__ == "__main__":
    unittest.main()
