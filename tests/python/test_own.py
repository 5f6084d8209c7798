"""Methods of one's own: Python functions, and the same file as a command."""

import os
import subprocess
import sys
import threading
import unittest
from decimal import Decimal
from fractions import Fraction

import support
import tactus

TEMPLATE = support.SOURCE / "examples" / "own-methods" / "mine_function.py"


def alone(system):
    """The work of each task alone."""
    return {task.name: sum(node.wcet + (node.launch or 0) for node in task.nodes)
            for task in system.tasks if not task.best_effort}


def small(tasks=2):
    system = tactus.System("small", tactus.Platform.of(cpu=1))
    for i in range(tasks):
        system.add_task(f"t{i}", period=10 * (i + 1), core=1, priority=9 - i).add("n", "cpu", 2)
    return system


class Functions(unittest.TestCase):
    def test_take_part_beside_the_methods_of_tactus(self):
        tactus.method("test.alone")(alone)
        analysis = tactus.analyze(small(), ["test.alone", "gcaps.suspend"])
        self.assertTrue(analysis["test.alone"].schedulable)
        self.assertEqual(analysis["test.alone"].task("t1").bound, 2)
        self.assertAlmostEqual(tactus.slack(small(), "test.alone").factor, 5, places=1)
        titles = {method.id: method.title for method in tactus.methods()}
        self.assertEqual(titles["test.alone"], "The work of each task alone.")

    def test_may_judge_the_system_as_a_whole(self):
        tactus.method("test.few")(lambda system: len(system.tasks) < 3)
        self.assertTrue(tactus.analyze(small(), "test.few").schedulable)
        self.assertFalse(tactus.analyze(small(3), "test.few").schedulable)

    def test_may_return_a_whole_answer_and_any_kind_of_number(self):
        @tactus.method("test.whole")
        def whole(system):
            return {"status": "unschedulable", "reason": "so it is", "tasks": [
                {"task": "t0", "bound": Fraction(10, 3), "terms": {"a": 3, "b": Fraction(1, 3)}},
                {"task": "t1", "bound": None, "note": "too much"}]}
        verdict = tactus.analyze(small(), "test.whole")["test.whole"]
        self.assertAlmostEqual(verdict.task("t0").bound, 3.333334)
        self.assertGreater(Fraction(str(verdict.task("t0").bound)), Fraction(10, 3))
        tactus.method("test.decimal")(lambda system: {"t0": Decimal("2.5"), "t1": 2.5})
        self.assertEqual(tactus.analyze(small(), "test.decimal")["test.decimal"].task("t0").bound, 2.5)

    def test_that_raise_are_undecided_and_say_why(self):
        @tactus.method("test.raises")
        def raises(system):
            raise ValueError("no\nidea")
        verdict = tactus.analyze(small(), ["test.raises", "gcaps.suspend"])["test.raises"]
        self.assertEqual(verdict.status, "undecided")
        self.assertIn("ValueError: no", verdict.reason)

        @tactus.method("test.refuses")
        def refuses(system):
            raise tactus.NotApplicable("not today")
        verdict = tactus.analyze(small(), "test.refuses")["test.refuses"]
        self.assertEqual((verdict.status, verdict.reason), ("not-applicable", "not today"))
        for number, (nonsense, says) in enumerate([
                ({"t9": 1}, "there is no task 't9'"), ([1], "TypeError"), (None, "TypeError"),
                ({"t0": float("nan"), "t1": 1}, "is not a number"), ({"status": "fine"}, "`status`")]):
            tactus.method(f"test.nonsense{number}")(lambda system, answer=nonsense: answer)
            verdict = tactus.analyze(small(), f"test.nonsense{number}").verdicts[0]
            self.assertEqual(verdict.status, "undecided")
            self.assertIn(says, verdict.reason)

    def test_can_be_replaced(self):
        tactus.method("test.again")(lambda system: False)
        tactus.method("test.again")(lambda system: True)
        self.assertTrue(tactus.analyze(small(), "test.again").schedulable)
        with self.assertRaisesRegex(ValueError, "was added with policy=None"):
            tactus.method("test.again", policy="gcaps.suspend")(lambda system: True)

    def test_are_refused_with_a_bad_id_or_policy(self):
        for id, policy, says in [("gcaps.suspend", None, "already"), ("No Id", None, "a-z"),
                                 ("test.bad", "gcap.suspend", "did you mean")]:
            with self.assertRaises(tactus.InvalidInput) as caught:
                tactus.method(id, policy=policy)(alone)
            self.assertIn(says, str(caught.exception))

    def test_are_validated_under_their_policy(self):
        tactus.method("test.caught", policy="gcaps.suspend")(alone)
        self.assertGreater(tactus.validate("test.caught", count=50, threads=2).violations, 0)
        with self.assertRaises(tactus.NoAnswer) as caught:
            tactus.method("test.homeless")(alone)
            tactus.validate("test.homeless", count=5)
        self.assertIn("names no policy", str(caught.exception))

    def test_are_called_from_many_threads(self):
        tactus.method("test.threads")(alone)
        system = small()
        failures = []

        def work():
            for _ in range(20):
                if not tactus.analyze(system, "test.threads", progress=False).schedulable:
                    failures.append(1)
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])


class Template(unittest.TestCase):
    def environment(self):
        return {**os.environ, "PYTHONPATH": str(support.SOURCE / "python")}

    def test_shows_itself(self):
        ran = subprocess.run([sys.executable, str(TEMPLATE), "--show"], env=self.environment(),
                             capture_output=True, text=True, check=True)
        self.assertIn("mine.window", ran.stdout)
        self.assertIn("violations: 0", ran.stdout)

    def test_answers_as_a_command_does(self):
        system = next(tactus.generate("gcaps-small", seed=4))
        question = f'{{"question": 3, "method": "mine.window", "system": {" ".join(system.to_json().split())}}}\n'
        ran = subprocess.run([sys.executable, str(TEMPLATE)], env=self.environment(),
                             input=question, capture_output=True, text=True, check=True)
        self.assertIn('"question": 3', ran.stdout)
        self.assertEqual(ran.stdout.count("\n"), 1)

    def test_may_print_while_it_answers(self):
        program = (
            "import tactus\n"
            "@tactus.method('test.chatty')\n"
            "def chatty(system):\n"
            "    print('what is', system.name)\n"
            "    return True\n"
            "tactus.answer_questions()\n")
        question = f'{{"question": 7, "method": "test.chatty", "system": {" ".join(small().to_json().split())}}}\n'
        ran = subprocess.run([sys.executable, "-c", program], env=self.environment(),
                             input=question, capture_output=True, text=True, check=True)
        self.assertEqual(ran.stdout, '{"question": 7, "status": "schedulable"}\n')
        self.assertEqual(ran.stderr, "what is small\n")
class TheEndOfTheProgram(unittest.TestCase):
    def run_program(self, text):
        return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=300,
                              env={**os.environ, "PYTHONPATH": str(support.SOURCE / "python")})

    def test_waits_for_a_method_that_is_being_asked(self):
        ran = self.run_program("""
import sys, threading, tactus
asked = threading.Event()
@tactus.method("test.asked", policy="gcaps.suspend")
def judge(system):
    asked.set()
    return sum(range(100000)) > 0
threading.Thread(target=lambda: tactus.validate("test.asked", count=100000), daemon=True).start()
asked.wait()
sys.exit(5)
""")
        self.assertEqual(ran.returncode, 5, ran.stderr)

    def test_is_not_held_up_in_a_forked_process_by_the_calls_of_its_parent(self):
        ran = self.run_program("""
import os, sys, threading, tactus
asked, go_on = threading.Event(), threading.Event()
@tactus.method("test.parent")
def judge(system):
    asked.set()
    go_on.wait()
    return True
thread = threading.Thread(target=lambda: tactus.analyze(tactus.examples.robot(), "test.parent"))
thread.start()
asked.wait()
if os.fork() == 0:
    from tactus import _long
    _long._LAST_PATIENCE_S = 0  # it would be counted as an answer that never came
    sys.exit(3 if _long._calls else 0)
status = os.wait()[1]
go_on.set()
thread.join()
sys.exit(os.WEXITSTATUS(status))
""")
        self.assertEqual(ran.returncode, 0, ran.stderr)


class TheModule(unittest.TestCase):
    def test_can_be_loaded_again_while_its_methods_are_known(self):
        text = """
import gc, importlib, tactus
@tactus.method("test.reloaded")
def judge(system): raise tactus.NotApplicable("still here")
importlib.reload(tactus._own)
gc.collect()
verdict = tactus.analyze(tactus.examples.robot(), "test.reloaded")["test.reloaded"]
assert "still here" in verdict.reason, verdict
tactus.method("test.reloaded")(lambda system: True)
assert tactus.analyze(tactus.examples.robot(), "test.reloaded").schedulable
"""
        ran = TheEndOfTheProgram.run_program(self, text)
        self.assertEqual(ran.returncode, 0, ran.stderr)



if __name__ == "__main__":
    unittest.main()
