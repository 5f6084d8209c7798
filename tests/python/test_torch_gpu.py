"""`tactus.torch` with a real PyTorch on a real GPU; skipped where there is none."""

import ctypes
import importlib.util
import sys
import time
import unittest

import support
import tactus
import tactus.torch as tt

torch = None
if importlib.util.find_spec("torch") is not None:
    import torch

HAS_GPU = torch is not None and torch.cuda.is_available()


def network(seed=1, width=64):
    """A small convolutional network with fixed weights."""
    torch.manual_seed(seed)
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, width, 3, padding=1), torch.nn.ReLU(),
        torch.nn.Conv2d(width, width, 3, padding=1), torch.nn.ReLU(),
        torch.nn.AdaptiveAvgPool2d(4), torch.nn.Flatten(), torch.nn.Linear(width * 16, 10),
    ).cuda().half().eval()  # fmt: skip


def image(seed=2):
    torch.manual_seed(seed)
    return torch.randn(1, 3, 96, 96, device="cuda").half()


@unittest.skipUnless(HAS_GPU, "no GPU, or no PyTorch")
class OnAGpu(unittest.TestCase):
    def measured(self, session, **more):
        options = dict(units=[8, 16], runs=20, enemies="none", noisy_ok=True, progress=False)
        options.update(more)
        return session.measure(**options)

    def run_it(self, session, system, seconds=1.0, use=None, method="gang.swc"):
        plan = tactus.plan(system, method)
        with session.run(plan) as running:
            used = use(running) if use else None
            time.sleep(seconds)
        report = running.report()
        print("\n".join([str(report)] + report.document["notes"]), file=sys.stderr)
        return report, used

    def test_eager_scripted_and_compiled_modules_compute_the_same_as_without_a_plan(self):
        net, x = network(), image()
        with torch.no_grad():
            expected = net(x)
            compiled = torch.compile(net)
            compiled_expected = compiled(x)
        scripted = torch.jit.trace(net, x)
        session = tt.Session()
        session.task("eager", "10 ms").gpu("net", net, torch.zeros_like(x))
        session.task("scripted", "10 ms").gpu("net", scripted, torch.zeros_like(x))
        session.task("compiled", "10 ms").gpu("net", compiled, torch.zeros_like(x))
        system = self.measured(session)
        names = ("eager", "scripted", "compiled")

        def use(running):
            for name in names:
                running.inputs(name).put(x.cpu())
            time.sleep(0.1)
            return {name: running.outputs(name).get(timeout=5).value for name in names}

        report, outputs = self.run_it(session, system, use=use)
        self.assertTrue(torch.equal(outputs["eager"], expected.cpu()))
        self.assertTrue(torch.equal(outputs["scripted"], expected.cpu()))
        self.assertTrue(torch.equal(outputs["compiled"], compiled_expected.cpu()))
        self.assertEqual(report.document["failed"], 0)
        notes = "\n".join(report.document["notes"])
        self.assertIn("captured in the partition", notes, "kernels of Triton cannot be moved")
        self.assertIn("moved", notes)

    def test_several_outputs_and_inputs_and_functions_around_them(self):
        def two(x, y):
            return {"sum": x + y, "parts": (x * 2, y * 3)}

        session = tt.Session()
        task = session.task("stereo", "20 ms")
        task.cpu("grab", lambda k: (torch.full((64,), float(k)), torch.full((64,), 2.0 * k)), 1)
        task.gpu("net", two)
        task.cpu("post", lambda made: (float(made["sum"][0]), float(made["parts"][1][5])))
        system = self.measured(session)

        def use(running):
            running.inputs("stereo").put(7)
            time.sleep(0.2)
            return running.outputs("stereo").get(timeout=5).value

        report, value = self.run_it(session, system, use=use, seconds=0.3)
        self.assertEqual(value, (21.0, 42.0))
        self.assertNotIn("copies", "".join(report.document["notes"]), "all copies are kernels")
        self.assertEqual(report.document["failed"], 0)

    def test_a_module_that_waits_is_refused_and_pytorch_goes_on(self):
        def depends(x):
            return x * 2 if x.sum().item() > 0 else x

        session = tt.Session()
        task = session.task("a", "10 ms")
        with self.assertRaises(tt.CaptureError) as caught:
            task.gpu("net", depends, torch.ones(4, device="cuda"))
        print(caught.exception, file=sys.stderr)
        self.assertIn("synchroniz", caught.exception.reason)
        self.assertTrue(torch.isfinite(torch.randn(100, device="cuda")).all())
        task.gpu("net", lambda x: x * 2, torch.ones(4, device="cuda"))
        self.assertTrue(self.measured(session).task("a").node("net").times)

    def test_no_job_is_late_while_a_thread_keeps_the_gil(self):
        session = tt.Session()
        session.task("net", "5 ms").gpu("net", network(), image())
        system = self.measured(session)

        def keep_the_gil(running):
            time.sleep(0.2)
            ctypes.PyDLL(None).usleep(1_000_000)

        report, _ = self.run_it(session, system, use=keep_the_gil, seconds=0.1)
        self.assertGreater(report.task("net").jobs, 200)
        self.assertEqual(report.task("net").misses, 0)

    def test_training_goes_on_beside_a_network_and_learns(self):
        torch.manual_seed(3)
        model = torch.nn.Sequential(
            torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10)).cuda()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
        x, y = torch.randn(512, 256, device="cuda"), torch.randint(0, 10, (512,), device="cuda")

        def step():
            optimizer.zero_grad(set_to_none=True)
            loss = torch.nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            return loss

        session = tt.Session()
        session.task("net", "10 ms").gpu("net", network(), image())
        session.best_effort("train", step)
        first = float(session._tasks["train"]._steps[0].piece.outputs[0])
        system = self.measured(session)
        report, last = self.run_it(
            session, system, use=lambda running: (time.sleep(1), running.outputs("train").get(5))[1])
        self.assertGreater(report.task("train").jobs, 10)
        self.assertLess(float(last.value), first)

    def test_work_that_a_function_enqueues(self):
        a = torch.ones(1024, device="cuda")
        session = tt.Session()
        session.task("own", "10 ms").gpu_stream("add", lambda stream: a.add_(1))
        system = self.measured(session)
        before = float(a[0])
        report, _ = self.run_it(session, system, seconds=0.5)
        self.assertEqual(float(a[0]) - before, report.task("own").jobs)

    def test_a_table_runs_networks_on_the_whole_gpu(self):
        net, x = network(), image()
        with torch.no_grad():
            expected = net(x).cpu()
        session = tt.Session()
        session.task("one", "10 ms").gpu("net", net, x)
        session.task("two", "20 ms").gpu("net", net, x)
        report, value = self.run_it(
            session, self.measured(session), method="pbs.edf-serial",
            use=lambda running: running.outputs("one").get(timeout=5).value)
        self.assertTrue(torch.equal(value, expected))

    def test_frames_from_the_gpu_and_from_numpy(self):
        session = tt.Session()
        session.task("net", "5 ms").gpu("net", lambda x: x * 2, torch.zeros(1000, device="cuda"))

        def use(running):
            seen = []
            for frame in (torch.full((1000,), 3.0, device="cuda"), torch.full((1000,), 4.0).numpy()):
                running.inputs("net").put(frame)
                time.sleep(0.05)
                seen.append(float(running.outputs("net").get(timeout=5).value[999]))
            return seen

        _, seen = self.run_it(session, self.measured(session), seconds=0.1, use=use)
        self.assertEqual(seen, [6.0, 8.0])

    def test_a_graph_by_itself(self):
        net, x = network(), image()
        captured = tt.capture(net, torch.zeros_like(x))
        with torch.no_grad():
            self.assertTrue(torch.equal(captured(x), net(x)))


if __name__ == "__main__":
    unittest.main()
