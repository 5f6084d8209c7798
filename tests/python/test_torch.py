"""The logic of `tactus.torch`, on a stand-in for PyTorch; test_torch_gpu.py is for a real one."""

import os
import subprocess
import sys
import time
import unittest
from unittest import mock

import fake_torch
import support
import tactus
import tactus.torch as tt
from tactus.torch import _buffers

torch = fake_torch.module()


def example(*numbers):
    return torch.tensor(numbers)


class OnAStandIn(unittest.TestCase):
    def setUp(self):
        patch = mock.patch.dict(sys.modules, {"torch": torch})
        patch.start()
        self.addCleanup(patch.stop)
        fake_torch.State.external.clear()
        self.session = tt.Session(backend="emulator")

    def piece(self, task, at=0):
        """Of a task that nothing is added to any more."""
        self.session._finish()
        return self.session._tasks[task]._steps[at].piece

    def running(self):
        """As if a plan ran; the tests replay graphs and call functions themselves."""
        self.session._finish()
        started = mock.Mock(done=False)
        return tt.Running(None, lambda: started, self.session._tasks, lambda: None)


class Import(unittest.TestCase):
    def test_pytorch_is_not_imported_unless_it_is_used(self):
        program = (
            "import sys, tactus, tactus.torch, tactus.session\n"
            "print('torch' in sys.modules)\n"
            "sys.modules['torch'] = None  # as if it were not installed\n"
            "try: tactus.torch.Session()\n"
            "except ImportError as error: print('tactus.torch needs PyTorch' in str(error))\n"
        )
        ran = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True,
            cwd=support.SOURCE / "python",
        )  # fmt: skip
        self.assertEqual(ran.stdout.split(), ["False", "True"], ran.stderr)

    def test_streams_get_enough_queues_and_it_is_told_where_that_is_too_late(self):
        program = (
            "import os, sys, warnings, fake_torch\n"
            "torch = sys.modules['torch'] = fake_torch.module()\n"
            "torch.cuda.is_initialized = lambda: LATE\n"
            "import support, tactus.torch as tt\n"
            "with warnings.catch_warnings(record=True) as caught:\n"
            "    warnings.simplefilter('always')\n"
            "    tt.Session(backend='emulator')\n"
            "    tt.Session(backend='emulator')\n"
            "print(os.environ.get('CUDA_DEVICE_MAX_CONNECTIONS'), len(caught))\n"
        )
        environment = {k: v for k, v in os.environ.items() if k != "CUDA_DEVICE_MAX_CONNECTIONS"}
        for late, expected in (("False", ["32", "0"]), ("True", ["None", "1"])):
            ran = subprocess.run(
                [sys.executable, "-c", program.replace("LATE", late)], capture_output=True, text=True,
                cwd=support.SOURCE / "tests" / "python", env=environment,
            )  # fmt: skip
            self.assertEqual(ran.stdout.split(), expected, ran.stderr)

    def test_a_pytorch_without_a_gpu_is_told(self):
        without = fake_torch.module()
        without.cuda.is_available = lambda: False
        with mock.patch.dict(sys.modules, {"torch": without}):
            with self.assertRaisesRegex(RuntimeError, "needs a GPU"):
                tt.Session()


class Capturing(OnAStandIn):
    def test_a_module_is_warmed_up_before_it_is_captured_and_runs_in_the_graph_only(self):
        calls = []
        self.session.task("detector", 33).gpu("net", lambda x: calls.append(1) or x * 2, example(1, 2))
        warm = len(calls)
        self.assertGreaterEqual(warm, 5)
        piece = self.piece("detector")
        self.assertEqual(len(calls), warm + 1, "captured once")
        for _ in range(3):
            piece.graph.replay()
        self.assertEqual(len(calls), warm + 1)
        self.assertEqual(piece.outputs[0].tolist(), [2, 4])

    def test_a_module_that_waits_is_refused_with_the_reason_of_pytorch_and_a_way_out(self):
        def depends(x):
            return x * 2 if x.item() > 0 else x

        with self.assertRaises(tt.CaptureError) as caught:
            self.session.task("detector", 33).gpu("net", depends, example(1))
        self.assertEqual(caught.exception.reason, fake_torch.SYNC)
        self.assertIn("`net` of `detector`", str(caught.exception))
        self.assertIn(".gpu_stream", str(caught.exception))
        self.assertEqual(fake_torch.State.sync_debug, 0, "as it was before")

    def test_what_fails_only_in_the_capture_is_told_with_its_first_reason(self):
        def fails_in_capture(x):
            if fake_torch.State.capturing is not None:
                raise RuntimeError("CUDA error: not permitted\nCompile with TORCH_USE_CUDA_DSA")
            return x * 2

        with self.assertRaises(tt.CaptureError) as caught:
            self.session.task("detector", 33).gpu("net", fails_in_capture, example(1))
        self.assertEqual(caught.exception.reason, "CUDA error: not permitted")

    def test_a_module_that_captures_by_itself_gets_another_hint(self):
        def compiled(x):
            raise RuntimeError("accessing tensor output of CUDAGraphs that has been overwritten")

        with self.assertRaisesRegex(RuntimeError, "CUDAGraphs"):
            self.session.task("detector", 33).gpu("net", compiled, example(1))
        error = tt.CaptureError("x", RuntimeError("tensor output of CUDAGraphs overwritten"))
        self.assertIn("reduce-overhead", str(error))

    def test_inputs_have_names_and_structure_and_what_is_no_tensor_stays(self):
        def net(images, factor, more=None):
            return images["left"] * factor + more

        given = {"left": example(1), "right": example(2)}
        self.session.task("a", 33).gpu("net", net, given, 10, more=example(5))
        piece, running = self.piece("a"), self.running()
        inputs = running.inputs("a")
        inputs.put({"right": example(0), "left": example(3)}, 10, more=example(7))
        piece.graph.replay()
        self.assertEqual(running.outputs("a").newest().value.tolist(), [37])
        with self.assertRaisesRegex(tactus.InvalidInput, "inputs like its examples"):
            inputs.put({"right": example(0)}, 10, more=example(7))

    def test_outputs_are_tensors(self):
        with self.assertRaisesRegex(TypeError, "returns a str"):
            self.session.task("b", 33).gpu("net", lambda x: "text", example(1))

    def test_a_graph_by_itself_is_called_like_the_module(self):
        captured = tt.capture(lambda x, y: (x + y, x * 3), example(0, 0), example(0, 0))
        both, three = captured(example(1, 2), example(10, 20))
        self.assertEqual((both.tolist(), three.tolist()), ([11, 22], [3, 6]))
        with self.assertRaisesRegex(ValueError, "2 inputs"):
            captured(example(1, 2))

    def test_a_graph_is_captured_with_the_priority_that_its_kernels_shall_have(self):
        self.assertEqual(tt.capture(lambda x: x, example(0), priority=-5)._piece.stream.priority, -5)

    def test_the_same_work_is_enqueued_on_a_stream_of_a_partition(self):
        self.session.task("detector", 33).gpu("net", lambda x: x * 2, example(1, 2))
        piece = self.piece("detector")
        piece.enqueue_on(0xABC)
        self.assertEqual(fake_torch.State.external, [0xABC])
        self.assertEqual(len(piece.pools), 1, "memory of what was captured there is kept")


class DataIntoAGraphAndOutOfIt(OnAStandIn):
    def test_each_job_uses_the_newest_input_and_keeps_the_old_one_until_then(self):
        self.session.task("detector", 33).gpu("net", lambda x: x * 2, example(1, 2))
        piece, running = self.piece("detector"), self.running()
        outputs = running.outputs("detector")
        self.assertIsNone(outputs.newest())
        for put, expected in (((), [2, 4]), ((5, 6), [10, 12]), ((), [10, 12]), ((7, 8), [14, 16])):
            if put:
                running.inputs("detector").put(example(*put))
            piece.graph.replay()
            self.assertEqual(outputs.get(timeout=1).value.tolist(), expected)

    def test_outputs_have_the_structure_that_the_module_returns_and_a_number(self):
        self.session.task("detector", 33).gpu(
            "net", lambda x: {"boxes": x * 2, "both": (x, [x * 3])}, example(1))
        piece, running = self.piece("detector"), self.running()
        outputs = running.outputs("detector")
        for _ in range(6):
            piece.graph.replay()
        found = outputs.get(timeout=1)
        self.assertEqual(found.number, 6)
        self.assertEqual(found.value["boxes"].tolist(), [2])
        self.assertEqual(found.value["both"][1][0].tolist(), [3])
        with self.assertRaises(TimeoutError):
            outputs.get(timeout=0.01)

    def test_outputs_of_an_earlier_run_or_of_measuring_do_not_count(self):
        self.session.task("detector", 33).gpu("net", lambda x: x * 2, example(1))
        piece = self.piece("detector")
        piece.graph.replay()
        running = self.running()
        self.assertIsNone(running.outputs("detector").newest())
        piece.graph.replay()
        self.assertEqual(running.outputs("detector").get(timeout=1).number, 1)
        with self.assertRaises(TimeoutError):
            running.outputs("detector").get(timeout=0.01)

    def test_waiting_for_an_output_ends_with_the_run(self):
        self.session.task("detector", 33).gpu("net", lambda x: x * 2, example(1))
        running = self.running()
        running._started.done = True
        with self.assertRaises(EOFError):
            running.outputs("detector").get()

    def test_what_was_put_may_be_changed_afterwards(self):
        self.session.task("detector", 33).gpu("net", lambda x: x * 2, example(1))
        piece, running = self.piece("detector"), self.running()
        frame = example(5)
        running.inputs("detector").put(frame)
        frame.write([99])
        piece.graph.replay()
        self.assertEqual(running.outputs("detector").newest().value.tolist(), [10])

    def test_an_input_of_another_shape_or_type_or_number_is_refused(self):
        self.session.task("detector", 33).gpu("net", lambda x: x * 2, example(1, 2))
        inputs = self.running().inputs("detector")
        for wrong in ((example(1),), (torch.tensor([1, 2], dtype="int64"),), (), (example(1, 2),) * 2):
            with self.assertRaises(ValueError):
                inputs.put(*wrong)

    def test_a_slot_that_a_job_may_still_read_is_not_overwritten(self):
        slots = _buffers.InputSlots([example(0)], self.session.place)
        slots.longest_job = 0.05
        begin = time.monotonic()
        for number in range(_buffers.PLACES):  # the first of them is replaced by the second
            slots.put([example(number)])
        self.assertGreater(time.monotonic() - begin, 0.04)
        slots.longest_job = 0.0
        begin = time.monotonic()
        for number in range(50):
            slots.put([example(number)])
        self.assertEqual(slots._slots[0][slots.last % _buffers.PLACES].tolist(), [49])

    def test_outputs_that_are_overwritten_meanwhile_are_read_again(self):
        ring = _buffers.OutputRing([example(0)], self.session.place)
        source = torch.tensor([1], device="cuda")

        def jobs(count):
            for _ in range(count):
                source.write([ring._count.numbers()[0] + 1])
                ring.enqueue([source])

        jobs(3)
        reads = []

        def overtaken():  # while the first reading goes on, four more jobs end
            reads.append(1)
            if len(reads) == 1:
                jobs(4)

        ring._stream = mock.Mock(synchronize=overtaken)
        number, _, (value,) = ring.read()
        self.assertEqual((number, value.tolist(), len(reads)), (7, [7], 2))

    def test_unstaged_inputs_are_views(self):
        self.session.task("detector", 33).gpu("net", lambda x: x * 2, example(1), staged=False)
        piece, running = self.piece("detector"), self.running()
        with self.assertRaisesRegex(ValueError, "tensors"):
            running.inputs("detector").put(example(3))
        running.inputs("detector").tensors[0].write([21])
        piece.graph.replay()
        self.assertEqual(running.outputs("detector").tensors[0].tolist(), [42])


class Chains(OnAStandIn):
    def test_a_network_feeds_the_next_without_a_copy(self):
        task = self.session.task("depth", 33)
        task.gpu("left", lambda x: x * 2, example(1)).gpu("right", lambda x: x * 5)
        first, second = self.piece("depth", 0), self.piece("depth", 1)
        self.assertIs(second.inputs[0], first.outputs[0])
        running = self.running()
        first.graph.replay()
        second.graph.replay()
        self.assertEqual(running.outputs("depth").newest().value.tolist(), [10])

    def test_functions_before_and_behind_a_network_get_and_give_its_data(self):
        task = self.session.task("camera", 33)
        task.cpu("pre", lambda frame: example(frame, frame + 1), 1)
        task.gpu("net", lambda x: (x * 10, x * 100))
        task.cpu("post", lambda tens, hundreds: sum(tens.tolist()) + sum(hundreds.tolist()))
        running = self.running()
        steps = task._steps
        running.inputs("camera").put(5)
        outputs = running.outputs("camera")
        steps[0].function()
        steps[1].piece.graph.replay()
        steps[2].function()
        self.assertEqual(outputs.get(timeout=1).value, 110 + 1100)

    def test_what_cannot_be_put_together_is_told(self):
        task = self.session.task("camera", 33).gpu("net", lambda x: x * 2, example(1))
        for wrong in (
            lambda: task.gpu("net", lambda x: x),  # the name twice
            lambda: task.gpu("more", lambda x: x, example(1)),  # it gets the outputs of `net`
            lambda: task.cpu("post", print, 3),
            lambda: self.session.task("camera", 10),
            lambda: task.gpu_stream("own", lambda stream: None).gpu("behind", lambda x: x),
        ):
            with self.assertRaises(ValueError):
                wrong()

    def test_nothing_is_added_to_what_was_captured(self):
        task = self.session.task("camera", 33).gpu("net", lambda x: x * 2, example(1))
        self.session._finish()
        with self.assertRaises(RuntimeError):
            task.cpu("post", print)
        with self.assertRaises(RuntimeError):
            self.session.task("other", 10)

    def test_a_function_of_a_task_without_inputs_is_called_without(self):
        calls = []
        self.session.task("control", 10).cpu("step", lambda *given: calls.append(given))
        self.assertEqual(calls, [()])


class Plans(OnAStandIn):
    def networks(self):
        self.session.task("detector", "33 ms", priority=2).gpu("net", lambda x: x * 2, example(1))
        self.session.task("depth", 66).gpu("net", lambda x: x * 3, example(1)).cpu("post", lambda x: x)
        self.session.best_effort("train", lambda: None, sms=4)

    def test_the_system_has_the_tasks_and_the_gpu(self):
        self.networks()
        system = self.session.system()
        self.assertEqual([task.name for task in system.tasks], ["detector", "depth", "train"])
        self.assertEqual(system.platform.element("gpu").units, 16)
        self.assertEqual(system.task("detector").period, 33)
        self.assertTrue(system.task("train").best_effort)

    def timed(self):
        """With times, which on a GPU would be measured."""
        self.session._finish()
        system = self.session.system()
        for task in system.tasks:
            for node in task.nodes:
                if node.on == "gpu":
                    node.times = [{"units": 4, "wcet": 5}]
                else:
                    node.wcet = 1
        return system

    def test_measuring_writes_times_and_leaves_sms_for_best_effort_work(self):
        self.networks()
        timed = self.timed()  # the emulator takes the times of the file
        told = []
        with mock.patch.object(self.session, "system", lambda: timed):
            system = self.session.measure(units=[4, 8], runs=3, enemies="none", progress=told.append)
        self.assertTrue(told)
        self.assertEqual(system.platform.element("gpu").units, 16 - 4)
        self.assertEqual([entry["units"] for entry in system.task("detector").node("net").times], [4, 8])
        self.assertGreaterEqual(float(system.task("depth").node("post").wcet), 1)
        self.assertTrue(system.task("train").nodes[0].times, "estimated, so that plans know about it")
        seen = {(row["task"], row["node"]) for row in self.session.measurement.rows()}
        self.assertEqual(seen, {("detector", "net"), ("depth", "net"), ("depth", "post")})
        self.assertTrue(tactus.advise(system, target="partitions").found)

    def test_a_plan_runs_and_is_reported_beside_what_was_proved(self):
        self.networks()
        best = tactus.advise(self.timed(), target="partitions")
        with self.session.run(best.plan, jobs=10) as running:
            report = running.wait()
        self.assertTrue(report.good)
        self.assertEqual(report.task("depth").jobs, 10)
        self.assertIn("detector", str(running.report()))
        with self.session.run(best.plan, duration="1 s") as running:
            running.wait()
        self.assertEqual(running.report().task("detector").jobs, 31)

    def test_a_run_ends_with_its_scope(self):
        self.networks()
        plan = tactus.plan(self.timed(), "gang.swc")
        before = sys.getswitchinterval()
        with self.session.run(plan) as running:
            self.assertLess(sys.getswitchinterval(), before, "a CPU node waits for the GIL less long")
            with self.assertRaises(RuntimeError):
                self.session.run(plan)
        self.assertEqual(sys.getswitchinterval(), before)
        self.assertTrue(running.done)

    def test_a_plan_for_another_system_is_refused(self):
        self.networks()
        self.session._finish()
        other = tactus.System("other", tactus.Platform.of(gpu=16))
        other.add_task("lidar", period=10).add("net", "gpu", times=[{"units": 8, "wcet": 1}])
        with self.assertRaisesRegex(tactus.TactusError, "does not fit the system"):
            self.session.run(tactus.plan(other, "gang.swc"))
        with self.assertRaisesRegex(ValueError, "give `system`"):
            self.session.run(tactus.Plan({}))

    def test_an_unknown_task_is_told_with_those_there_are(self):
        self.networks()
        with self.assertRaisesRegex(KeyError, "detector"):
            self.running().inputs("detectr")


if __name__ == "__main__":
    unittest.main()
