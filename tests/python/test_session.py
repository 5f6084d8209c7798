"""Sessions: on the emulator, and on a driver that is not there."""

import ctypes
import gc
import os
import subprocess
import sys
import threading
import time
import unittest
import weakref

import support
import tactus
import tactus.session

FAKE_DRIVER = support.SOURCE / "build" / "tests" / "fake_cuda"


def cell():
    system = tactus.System("cell", tactus.Platform.of(cpu=1, gpu=16))
    vision = system.add_task("vision", period=40, core=1)
    vision.add("net", "gpu", times=[{"units": 8, "wcet": 9}]).add("post", "cpu", 2)
    return system


class OnTheEmulator(unittest.TestCase):
    def open(self, **more):
        session = tactus.session.Session(cell(), method="gang.swc", **more)
        self.addCleanup(session.close)
        return session

    def test_a_run_says_what_was_seen_beside_what_was_proved(self):
        run = self.open().run(jobs=20)
        self.assertTrue(run.good)
        self.assertEqual((run.task("vision").jobs, run.task("vision").bound), (20, 11))
        self.assertIn("vision", str(run))
        self.assertIn("<table", run._repr_html_())

    def test_a_plan_that_was_made_before_is_run(self):
        system = cell()
        plan = tactus.plan(system, "gang.swc")
        with tactus.session.Session(system, plan) as session:
            self.assertEqual(session.plan.bounds, plan.bounds)
            self.assertEqual(session.run(duration="400 ms").task("vision").jobs, 10)

    def test_a_run_without_an_end_is_stopped_from_another_thread(self):
        session = self.open()
        with session.start(until_stopped=True) as running:
            time.sleep(0.05)
            self.assertFalse(running.done)
            with self.assertRaises(TimeoutError):
                running.wait(timeout=0.01)
            so_far = running.report()
            self.assertEqual(so_far.method, "gang.swc")
            self.assertIn("tactus_deadline_misses_total", session.metrics())
            with self.assertRaises(RuntimeError):
                session.start(jobs=1)
            with self.assertRaises(RuntimeError):
                session.close()
        self.assertGreater(running.report().task("vision").jobs, 0)
        self.assertEqual(session.report().task("vision").jobs, running.report().task("vision").jobs)
        metrics = session.metrics()
        self.assertIn('\ntactus_deadline_misses_total{task="vision"} ', metrics)
        self.assertTrue(metrics.endswith("# EOF\n"))

    def test_an_exception_in_the_scope_stops_the_run_and_is_raised(self):
        session = self.open()
        with self.assertRaises(KeyError):
            with session.start(until_stopped=True) as running:
                raise KeyError("mine")
        self.assertTrue(running.done)

    def test_other_threads_go_on_while_it_runs(self):
        with self.open().start(until_stopped=True):
            self.assertTrue(tactus.analyze(cell(), "gang.swc").schedulable)

    def test_work_that_does_not_fit_is_refused(self):
        session = self.open()
        for wrong in (
            lambda: session.bind_cpu("vision", "net", print),
            lambda: session.bind_graph("vision", "post", 1),
            lambda: session.bind_cpu("visoin", "post", print),
            lambda: session.bind_stream("vision", "nte", print),
        ):
            with self.assertRaises(tactus.InvalidInput):
                wrong()

    def test_a_session_that_cannot_be_opened_says_why(self):
        with self.assertRaises(tactus.InvalidInput):
            tactus.session.Session(cell(), method="no-such")
        with self.assertRaises(tactus.InvalidInput):
            tactus.session.Session(cell(), method="gang.swc", backend="abacus")
        with self.assertRaises(tactus.NoAnswer):
            tactus.session.Session(cell(), method="gcaps.suspend.prio")

    def test_a_closed_session_is_told(self):
        session = self.open()
        session.close()
        session.close()
        for wrong in (session.report, session.run, lambda: session.bind_cpu("vision", "post", print)):
            with self.assertRaises(RuntimeError):
                wrong()

    def test_before_the_first_run_there_is_no_report(self):
        with self.assertRaises(tactus.NoAnswer):
            self.open().report()
        with self.assertRaises(tactus.NoAnswer):
            self.open().metrics()

    def test_ctrl_c_stops_a_run_and_keeps_its_report(self):
        program = (
            "import os, signal, threading, test_session, tactus, tactus.session\n"
            "s = tactus.session.Session(test_session.cell(), method='gang.swc')\n"
            "threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
            "run = s.run(until_stopped=True)\n"
            "print(run.interrupted, run.task('vision').jobs > 0)\n"
        )
        ran = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, timeout=60,
            cwd=support.SOURCE / "tests" / "python",
        )  # fmt: skip
        self.assertEqual(ran.stdout.split(), ["True", "True"], ran.stderr)


class Measuring(unittest.TestCase):
    def test_the_emulator_takes_the_times_of_the_file(self):
        told = []
        with tactus.session.Session(cell()) as session:
            self.assertIsNone(session.plan)
            measured = session.measure(units=[4, 8], runs=5, enemies="none", margin=10, progress=told.append)
        self.assertTrue(told)
        self.assertTrue(measured.rows())
        self.assertEqual({row["task"] for row in measured.rows()}, {"vision"})
        times = {entry["units"]: entry["wcet"] for entry in measured.system.task("vision").node("net").times}
        self.assertIn(8, times)
        self.assertGreaterEqual(float(times[8]), 9)
        self.assertIn("<table", measured._repr_html_())

    def test_a_request_without_sense_is_refused(self):
        with tactus.session.Session(cell()) as session:
            with self.assertRaises(tactus.InvalidInput):
                session.measure(enemies="dragons")
            with self.assertRaises(tactus.TactusError):
                session.run(jobs=1)


@unittest.skipUnless((FAKE_DRIVER / "libcuda.so.1").exists(), "the fake driver is not built")
class OnADriverThatIsNotThere(unittest.TestCase):
    """In a process of its own, which loads the fake libcuda.so.1."""

    def run_program(self, program):
        environment = dict(os.environ, LD_LIBRARY_PATH=str(FAKE_DRIVER))
        ran = subprocess.run(
            [sys.executable, "-c", "import test_session as t\n" + program], capture_output=True,
            text=True, timeout=120, cwd=support.SOURCE / "tests" / "python", env=environment,
        )  # fmt: skip
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout

    def test_a_captured_graph_and_a_function_run_in_every_job(self):
        self.assertEqual(self.run_program("t.graph_and_function()").split(), ["abc", "4", "True"])

    def test_a_function_that_enqueues_is_captured_and_not_called_again(self):
        self.assertEqual(self.run_program("t.stream()").split(), ["abc", "1", "True"])

    def test_gpu_work_goes_on_while_a_thread_keeps_the_gil(self):
        self.assertEqual(self.run_program("t.without_the_gil()").split(), ["True"])

    def test_an_exception_in_a_function_ends_the_run_and_is_told(self):
        out = self.run_program("t.failing_function()")
        self.assertIn("`post` of `vision` failed: ZeroDivisionError", out)
        self.assertIn("cause ZeroDivisionError", out)

    def test_the_program_may_end_while_it_runs(self):
        self.assertEqual(self.run_program("t.ends_while_it_runs()"), "")

    def test_a_run_keeps_its_session_and_functions_and_then_frees_them(self):
        self.assertEqual(self.run_program("t.dropped_while_it_runs()").split(), ["called", "freed"])

    def test_a_function_can_stop_its_run_and_do_nothing_else_to_it(self):
        out = self.run_program("t.from_inside()")
        for part in ("stop it and wait", "in use already", "cannot wait for its end",
                     "this session runs", "stopped True"):  # fmt: skip
            self.assertIn(part, out)

    def test_a_session_that_its_own_function_closes_ends_and_is_freed(self):
        self.assertEqual(self.run_program("t.closed_from_inside()").split(), ["True", "True"])

    def test_functions_may_fork(self):
        self.assertEqual(self.run_program("t.forks()").split(), ["4"])

    def test_nothing_is_bound_beneath_a_run(self):
        self.assertIn("this session runs", self.run_program("t.bound_beneath_a_run()"))

    def test_an_exception_in_a_function_that_enqueues_is_told(self):
        self.assertIn("enqueues `net` of `vision` failed: KeyError", self.run_program("t.failing_stream()"))


# What runs there.


def _copying_graph(source, target):
    """A graph that copies between two buffers, captured on the fake driver."""
    cuda = ctypes.CDLL("libcuda.so.1")
    cuda.cuMemcpyAsync.argtypes = [ctypes.c_uint64, ctypes.c_uint64, ctypes.c_size_t, ctypes.c_void_p]
    stream, graph = ctypes.c_void_p(), ctypes.c_void_p()
    assert cuda.cuStreamCreateWithPriority(ctypes.byref(stream), 1, 0) == 0
    assert cuda.cuStreamBeginCapture_v2(stream, 0) == 0
    assert cuda.cuMemcpyAsync(ctypes.addressof(target), ctypes.addressof(source), 4, stream) == 0
    assert cuda.cuStreamEndCapture(stream, ctypes.byref(graph)) == 0
    return graph.value


def _opened():
    return tactus.session.Session(cell(), method="gang.swc", backend="driver")


def graph_and_function():
    source, target = ctypes.create_string_buffer(b"abc"), ctypes.create_string_buffer(4)
    calls = []
    with _opened() as session:
        session.bind_graph("vision", "net", _copying_graph(source, target))
        session.bind_cpu("vision", "post", lambda: calls.append(target.value))
        run = session.run(jobs=4)
    print(calls[0].decode(), len(calls), run.document["failed"] == 0)


def stream():
    cuda = ctypes.CDLL("libcuda.so.1")
    cuda.cuMemcpyAsync.argtypes = [ctypes.c_uint64, ctypes.c_uint64, ctypes.c_size_t, ctypes.c_void_p]
    source, target = ctypes.create_string_buffer(b"abc"), ctypes.create_string_buffer(4)
    calls = []

    def enqueue(handle):
        calls.append(handle)
        cuda.cuMemcpyAsync(ctypes.addressof(target), ctypes.addressof(source), 4, handle)

    with _opened() as session:
        session.bind_stream("vision", "net", enqueue)
        session.bind_cpu("vision", "post", lambda: None)
        run = session.run(jobs=4)
    print(target.value.decode(), len(calls), run.document["failed"] == 0)


def without_the_gil():
    source, target = ctypes.create_string_buffer(b"abc"), ctypes.create_string_buffer(4)
    system = tactus.System("cell", tactus.Platform.of(gpu=16))
    system.add_task("vision", period=1).add("net", "gpu", times=[{"units": 8, "wcet": 0.9}])
    session = tactus.session.Session(system, method="gang.swc", backend="driver")
    session.bind_graph("vision", "net", _copying_graph(source, target))
    running = session.start(duration="300 ms")
    time.sleep(0.05)
    # pythonapi keeps the GIL: no other thread of Python can do anything until it returns.
    ctypes.pythonapi.PyGILState_Check()
    sleep = ctypes.PyDLL(None).usleep
    sleep(500_000)
    # The run is over; its thread only has to tell so.
    print(running.wait(timeout=5).task("vision").jobs == 300)


def failing_function():
    source, target = ctypes.create_string_buffer(b"abc"), ctypes.create_string_buffer(4)
    with _opened() as session:
        session.bind_graph("vision", "net", _copying_graph(source, target))
        session.bind_cpu("vision", "post", lambda: 1 / 0)
        try:
            session.run(until_stopped=True)
        except tactus.TactusError as error:
            print(error, "cause", type(error.__cause__).__name__)


def _running(post=None):
    source, target = ctypes.create_string_buffer(b"abc"), ctypes.create_string_buffer(4)
    session = _opened()
    session.keep(source, target)
    session.bind_graph("vision", "net", _copying_graph(source, target))
    called = threading.Event()
    session.bind_cpu("vision", "post", post or called.set)
    session.bind_callbacks("vision", "post", lambda: None, lambda: None)
    running = session.start(until_stopped=True)
    post or called.wait(60)
    return session, running


def ends_while_it_runs():
    _running()


def dropped_while_it_runs():
    class Post:
        def __init__(self):
            self.called = threading.Event()

        def __call__(self):
            self.called.set()

    post = Post()
    called, alive = post.called, weakref.ref(post)
    session, running = _running(post)
    session_alive = weakref.ref(session)
    del session, post
    for _ in range(3):
        gc.collect()
        called.clear()
        assert called.wait(60)
    print("called")
    running.stop()
    running.wait()
    del running
    until = time.monotonic() + 60
    while (alive() or session_alive()) and time.monotonic() < until:
        gc.collect()
    print("freed" if not alive() and not session_alive() else "kept")


def from_inside():
    said, started = [], threading.Event()

    def post():
        started.wait(60)
        for wrong in (session.close, lambda: session.run(jobs=1), running.wait, running.report,
                      lambda: session.bind_cpu("vision", "post", print)):  # fmt: skip
            try:
                wrong()
            except (RuntimeError, tactus.InvalidInput) as error:
                said.append(str(error))
        running.stop()

    session, running = _running(post)
    started.set()
    run = running.wait()
    print(said, "stopped", run.task("vision").jobs >= 1)


def closed_from_inside():
    close, known = tactus._library.library().tactus_session_close, threading.Event()

    def post():
        known.wait(60)
        close(session._handle)

    session, running = _running(post)
    known.set()
    print(running.wait().task("vision").jobs >= 1)
    try:
        session.report()
    except tactus.InvalidInput as error:
        print("was closed" in str(error))


def forks():
    seen = []

    def post():
        child = os.fork()
        if child == 0:
            os._exit(7)
        seen.append(os.waitpid(child, 0)[1] >> 8)
        if len(seen) == 4:
            running.stop()

    session, running = _running(post)
    running.wait()
    print(seen[:4].count(7))


def bound_beneath_a_run():
    session, running = _running()
    try:
        session.bind_cpu("vision", "post", lambda: None)
    except tactus.InvalidInput as error:
        print(error)
    running.stop()
    running.wait()
    session.bind_cpu("vision", "post", lambda: None)
    session.close()


def failing_stream():
    def enqueue(handle):
        raise KeyError("x")

    with _opened() as session:
        session.bind_stream("vision", "net", enqueue)
        session.bind_cpu("vision", "post", lambda: None)
        try:
            session.run(jobs=1)
        except tactus.TactusError as error:
            print(error)


if __name__ == "__main__":
    unittest.main()
