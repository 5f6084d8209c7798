"""Every question, and what its result can do."""

import contextlib
import datetime
import importlib.util
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import types
import unittest
from decimal import Decimal
from unittest import mock

import support
import tactus

HAS_PANDAS = importlib.util.find_spec("pandas") is not None
HAS_NUMPY = importlib.util.find_spec("numpy") is not None
HAS_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None


def robot():
    return tactus.System.load(support.example("robot"))


class Pythonic(unittest.TestCase):
    def test_a_loop_goes_over_the_parts(self):
        analysis = tactus.analyze(robot(), "gang.*")
        self.assertEqual([verdict.method for verdict in analysis], [v.method for v in analysis.verdicts])
        self.assertEqual(len(analysis), 4)
        self.assertEqual([task.task for task in tactus.simulate(robot(), "gang.wc", duration=100)][0], "camera")
        slack = tactus.slack(robot(), "gang.wc")
        self.assertIs(next(iter(slack)), slack.reaches[0])

    def test_true_is_what_is_proved(self):
        self.assertTrue(tactus.analyze(robot(), "gang.wc"))
        self.assertFalse(tactus.analyze(robot(), "mpcp.suspend"))
        with self.assertRaises(TypeError):
            bool(tactus.slack(robot(), "gang.wc"))

    def test_the_best_method_is_a_verdict(self):
        analysis = tactus.analyze(robot())
        self.assertTrue(analysis.best.schedulable)
        self.assertEqual(analysis.best.method, analysis.document["best"]["method"])
        self.assertEqual(analysis.run_by, "partitions")
        with self.assertRaises(tactus.NoAnswer):
            tactus.analyze(robot(), "mpcp.suspend").best

    def test_what_is_printed_is_the_answer(self):
        said = str(tactus.analyze(robot()))
        for part in ("robot: Every deadline is proved", "by gang.wc", "camera", "25.9", "not covered: interrupts"):
            self.assertIn(part, said)
        said = str(tactus.analyze(tactus.examples.drone(), "gcaps.*"))
        self.assertIn("gcaps.suspend", said)
        self.assertNotIn("Verdict(", said)

    def test_a_wrong_name_is_told_with_what_is_close(self):
        analysis = tactus.analyze(robot(), "gang.wc")
        for wrong in (lambda: analysis["gang.wx"], lambda: analysis.best.task("camra"), lambda: robot().task("camra")):
            with self.assertRaisesRegex(KeyError, "did you mean"):
                wrong()

    def test_numbers_of_others_are_numbers(self):
        system = robot()
        times = [datetime.timedelta(milliseconds=40), Decimal("40.5")]
        if HAS_NUMPY:
            numpy = importlib.import_module("numpy")
            times += [numpy.float32(40.1), numpy.float64(40.1), numpy.int64(40)]
        for time in times:
            system.task("camera").period = time
            system.check()
        self.assertIn('"period": 40', system.to_json())
        system.task("camera").period = times[2] if HAS_NUMPY else 40.1
        self.assertIn('"period": 40.1,', system.to_json())
        if HAS_NUMPY:
            self.assertEqual(tactus._numbers.dumps(numpy.bool_(True)), "true")

    def test_a_dictionary_is_a_system(self):
        document = robot().to_dict()
        self.assertTrue(tactus.analyze(document, "gang.wc"))
        with self.assertRaises(tactus.InvalidInput):
            tactus.analyze({"tactus": 1}, "gang.wc")

    def test_figures_are_drawn(self):
        if not HAS_MATPLOTLIB:
            with self.assertRaisesRegex(ImportError, "matplotlib"):
                tactus.analyze(robot(), "gang.wc").plot()
            self.skipTest("matplotlib is not installed")
        importlib.import_module("matplotlib").use("Agg")
        axes = tactus.analyze(robot(), "gang.wc").plot()
        self.assertEqual([label.get_text() for label in axes.get_yticklabels()], ["camera", "lidar", "motor", "planner"])
        self.assertEqual(axes.patches[0].get_width(), 25.9)
        self.assertEqual(len(tactus.simulate(robot(), "gang.wc", duration=100).plot().patches), 5)
        sweep = tactus.sweep(robot(), "camera.detect.wcet", 5, 9, method="gang.wc", points=3)
        self.assertEqual(len(sweep.plot().lines), 4)


class Results(unittest.TestCase):
    def test_terms_add_up_to_the_bound(self):
        for task in tactus.analyze(robot(), "gcaps.suspend")["gcaps.suspend"].tasks:
            self.assertAlmostEqual(sum(task.terms.values()), task.bound)

    def test_what_no_method_proves_is_said(self):
        analysis = tactus.analyze(robot(), "mpcp.suspend")
        self.assertFalse(analysis.schedulable)
        self.assertIsNone(analysis["mpcp.suspend"].task("camera").bound)

    def test_a_method_that_does_not_apply_says_why(self):
        drone = tactus.examples.drone()
        verdict = tactus.analyze(drone, "gcaps.suspend")["gcaps.suspend"]
        self.assertEqual(verdict.status, "not-applicable")
        self.assertTrue(verdict.obstacles)
        with self.assertRaises(tactus.NoAnswer) as caught:
            tactus.plan(drone, "gcaps.suspend.prio")
        self.assertTrue(caught.exception.problems)

    def test_arguments_without_sense_are_refused(self):
        for wrong in (
            lambda: tactus.analyze(robot(), "gcpas.*"),
            lambda: tactus.analyze(robot(), variant="pepper"),
            lambda: tactus.analyze(robot(), options={"no-such": 1}),
            lambda: tactus.simulate(robot(), scenario="sunny"),
            lambda: tactus.advise(robot(), vary=["luck"]),
            lambda: tactus.advise(robot(), target="moon"),
            lambda: list(tactus.generate("soup")),
        ):
            with self.assertRaises(tactus.InvalidInput):
                wrong()

    def test_a_plan_goes_to_a_file_and_back_and_is_checked(self):
        system = robot()
        plan = tactus.plan(system, "gcaps.suspend.prio")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "robot.plan.json"
            plan.save(path)
            again = tactus.Plan.load(path, system)
        self.assertEqual(again.document, plan.document)
        self.assertEqual(again.check(), [])
        self.assertTrue(tactus.simulate(system, plan=plan, jobs=3).good)
        again.document["bounds"]["camera"] = 10.2
        self.assertTrue(again.check())

    def test_the_best_option_has_its_system_and_its_plan(self):
        advice = tactus.advise(robot(), vary=["cores"], target="tactusd")
        self.assertTrue(advice.found)
        self.assertEqual(advice.plan.check(), [])
        self.assertTrue(tactus.analyze(advice.system).schedulable)
        again = tactus.analyze(advice.system)
        self.assertEqual(again.judged_by, "deployed")
        self.assertIn(f"the file deploys {advice.best.method}: schedulable", str(again))

    def test_a_proof_says_what_it_needs_and_what_it_does_not_cover(self):
        blocked = robot().changed("gpu.preemption_delay=0")
        answer = tactus.analyze(blocked, "gcaps.suspend", variant="safe-arbiter")
        self.assertTrue(answer.schedulable)
        self.assertFalse(answer.runs_here)
        self.assertIn("but it needs", answer.headline)
        self.assertIn(answer.headline, str(answer))
        self.assertTrue(any("memory contention" in what for what in answer.not_covered))
        leaves = [one for one in answer.conditions if one["id"] == "leaves"]
        self.assertEqual([one["holds"] for one in leaves], ["no"])
        self.assertIn("preemption_delay", leaves[0]["help"])

    def test_where_nothing_is_proved_the_advice_says_what_would_do(self):
        advice = tactus.advise(robot().changed("camera.detect.wcet=40"), "gcaps.*", vary=["cores"])
        self.assertFalse(advice.found)
        with self.assertRaises(tactus.NoAnswer):
            advice.best

    def test_a_file_can_be_asked_about_directly(self):
        self.assertTrue(tactus.analyze(str(support.example("robot")), "gcaps.suspend").schedulable)

    def test_rows_and_frames(self):
        slack = tactus.slack(robot(), "gcaps.suspend")
        rows = slack.rows()
        self.assertEqual(rows[0]["of"], "all times")
        if HAS_PANDAS:
            self.assertEqual(len(slack.to_frame()), len(rows))
        else:
            with self.assertRaisesRegex(ImportError, "rows"):
                slack.to_frame()

    def test_a_frame_is_made_by_pandas_where_that_is(self):
        made = []
        pandas = mock.Mock(DataFrame=lambda rows: made.append(rows) or "frame")
        system = robot()
        results = (
            tactus.analyze(system, "gcaps.*"),
            tactus.slack(system, "gcaps.suspend"),
            tactus.sweep(system, "all", 1, 2, points=2, method="gcaps.suspend"),
            tactus.advise(system, "gcaps.*", vary=["cores"]),
            tactus.simulate(system, jobs=2),
            tactus.validate("gcaps.suspend", count=2),
        )
        with mock.patch.dict(sys.modules, {"pandas": pandas}):
            for result in results:
                self.assertEqual(result.to_frame(), "frame")
        self.assertEqual(made, [result.rows() for result in results])
        self.assertEqual(made[0][0]["task"], "camera")

    def test_a_search_takes_what_the_command_line_takes(self):
        late = tactus.validate(
            "gcaps.boost.suspend",
            count=5,
            recipe="boost-carry-in",
            search="climb",
            runs=20,
            late_completions=True,
        )
        self.assertEqual(late.violations, 0)
        with self.assertRaisesRegex(tactus.NoAnswer, "no arbiter that looks for completions"):
            tactus.validate("gcaps.suspend", count=2, late_completions=True)
        found = tactus.validate("gcaps.suspend", count=50, variant="paper", limit=2)
        self.assertEqual(len(found.hunts[0].caught), 2)
        with self.assertRaisesRegex(tactus.InvalidInput, "cups"):
            tactus.validate("gcaps.suspend", recipe="gcaps-table3", set={"cups": 4})

    def test_completions_can_be_seen_late(self):
        run = tactus.simulate(robot(), "gcaps.boost.suspend", late_completions=True, jobs=10)
        self.assertTrue(run.good)
        at_once = tactus.simulate(robot(), "gcaps.boost.suspend", jobs=10)
        self.assertNotEqual(run.document, at_once.document)

    def test_a_sweep_has_a_point_per_value_and_a_column_per_task(self):
        swept = tactus.sweep(robot(), "camera.detect.wcet", "6 ms", 12, points=4, method="gcaps.suspend")
        self.assertEqual([point.value for point in swept.points], [6, 8, 10, 12])
        bounds = [row["camera"] for row in swept.rows()]
        self.assertEqual(bounds, sorted(bounds))
        for value in (6, 10):  # as when it is asked one by one
            asked = tactus.analyze(robot().changed(f"camera.detect.wcet={value}"), "gcaps.suspend")
            point = next(point for point in swept.points if point.value == value)
            self.assertEqual(point.bounds["camera"], asked["gcaps.suspend"].task("camera").bound)
        self.assertIn("<th>camera.detect.wcet</th>", swept._repr_html_())
        for wrong in (("camera.detect.wcte", 1, 2, 3), ("all", 1, 2, 1)):
            with self.assertRaises(tactus.InvalidInput):
                tactus.sweep(robot(), *wrong[:3], points=wrong[3], method="gcaps.suspend")

    def test_notebooks_show_tables_without_scripts(self):
        system = robot()
        for shown in (
            tactus.analyze(system),
            tactus.slack(system, "gcaps.suspend"),
            tactus.advise(system, "gcaps.*", vary=["cores"]),
            tactus.plan(system, "gcaps.suspend.prio"),
            tactus.simulate(system, jobs=2),
            tactus.validate("gcaps.suspend", count=2),
            system,
        ):
            html = shown._repr_html_()
            self.assertIn("<table", html, type(shown))
            self.assertNotIn("<script", html)

    def test_documents_are_those_of_the_command_line(self):
        program = support.SOURCE / "build" / "tactus"
        if not program.is_file():
            self.skipTest("no build/tactus")
        printed = subprocess.run(
            # Named: other tests add methods of their own to this process.
            [program, "analyze", support.example("robot"), "--json", "--method", "gcaps.*,rtgpu"],
            capture_output=True, text=True,
        ).stdout
        self.assertEqual(tactus.analyze(robot(), "gcaps.*,rtgpu").document, json.loads(printed))


class Starts(unittest.TestCase):
    def setUp(self):
        self.system = tactus.examples.forklift()
        self.plan = tactus.plan(self.system, "gcaps.suspend", variant="safe-arbiter")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_a_plan_is_deployed_where_its_start_covers_the_proof(self):
        units = self.folder / "units"
        refused = tactus.deploy(self.system, plan=self.plan, output=str(units))
        self.assertFalse(refused)
        self.assertFalse(units.exists())
        broken = [each["id"] for each in refused.conditions if each["holds"] == "no"]
        self.assertEqual(broken, ["leaves"])
        written = tactus.deploy(self.system, plan=self.plan, output=str(units), accept=broken)
        self.assertTrue(written)
        self.assertEqual(sorted(written), sorted(path.name for path in units.iterdir()))
        self.assertIn("arbiter", [program["name"] for program in written.rows()])
        with self.assertRaises(tactus.InvalidInput):
            tactus.deploy(self.system, plan=self.plan, output=str(units), accept=broken)

    def test_a_machine_is_examined(self):
        nothing = str(self.folder)
        checkup = tactus.doctor(root=nothing)
        self.assertIsNone(checkup.fit)
        self.assertEqual(checkup["driver"].check, "driver")
        checkup = tactus.doctor(self.system, plan=self.plan, root=nothing, accept=["leaves"])
        self.assertFalse(checkup)
        self.assertIn("leaves", [each["id"] for each in checkup.conditions])


class LongCalls(unittest.TestCase):
    ENDLESS = dict(method="gcaps.suspend", count=999_999_999)

    def test_progress_is_told(self):
        seen = []
        tactus.validate("gcaps.suspend", count=300, progress=seen.append)
        self.assertTrue(seen)

    def test_tqdm_shows_the_progress_where_it_is_installed(self):
        shown, closed = [], []

        class Bar:
            def __init__(self, **options):
                self.options = options

            def set_description_str(self, text):
                shown.append(text)

            def close(self):
                closed.append(True)

        auto = types.ModuleType("tqdm.auto")
        auto.tqdm = Bar
        with mock.patch.dict(sys.modules, {"tqdm": types.ModuleType("tqdm"), "tqdm.auto": auto}):
            tactus.validate("gcaps.suspend", count=300, progress=True)
        self.assertTrue(shown)
        self.assertEqual(closed, [True])

    def test_without_tqdm_a_line_on_the_terminal_shows_it_and_is_cleared(self):
        with mock.patch.dict(sys.modules, {"tqdm": None, "tqdm.auto": None}):
            with contextlib.redirect_stderr(io.StringIO()) as line:
                tactus.validate("gcaps.suspend", count=300, progress=True)
        self.assertIn("\r", line.getvalue())
        self.assertTrue(line.getvalue().endswith("\r"), "the line is cleared")

    def test_other_threads_run_meanwhile(self):
        results = []

        def ask():
            results.append(tactus.analyze(robot(), "gcaps.*").schedulable)

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, [True] * 4)

    def test_ctrl_c_ends_a_call_and_keeps_what_it_has(self):
        program = (
            "import os, signal, tactus\n"
            "def tell(text):\n"
            "    global told\n"
            "    if not told: os.kill(os.getpid(), signal.SIGINT)\n"
            "    told = True\n"
            "told = False\n"
            "v = tactus.validate('gcaps.suspend', count=999_999_999, progress=tell)\n"
            "print(v.interrupted, v.hunts[0].systems > 0, len(v.problems))\n"
        )
        ran = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            cwd=support.SOURCE / "python",
            timeout=120,
        )
        self.assertEqual(ran.stdout.split(), ["True", "True", "1"], ran.stderr)


if __name__ == "__main__":
    unittest.main()
