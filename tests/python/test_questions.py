"""Every question, and what its result can do."""

import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest
from unittest import mock

import support
import tactus

HAS_PANDAS = importlib.util.find_spec("pandas") is not None


def robot():
    return tactus.System.load(support.example("robot"))


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
        self.assertEqual(tactus.analyze(advice.system).judged_by, "deployed")

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
        with mock.patch.dict(sys.modules, {"pandas": pandas}):
            self.assertEqual(tactus.analyze(robot(), "gcaps.*").to_frame(), "frame")
        self.assertEqual(made[0][0]["task"], "camera")

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
            [program, "analyze", support.example("robot"), "--json"], capture_output=True, text=True
        ).stdout
        self.assertEqual(tactus.analyze(robot()).document, json.loads(printed))


class LongCalls(unittest.TestCase):
    ENDLESS = dict(method="gcaps.suspend", count=999_999_999)

    def test_progress_is_told(self):
        seen = []
        tactus.validate("gcaps.suspend", count=300, progress=seen.append)
        self.assertTrue(seen)

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
