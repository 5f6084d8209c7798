"""Systems: built in code, read, changed, written; and what is wrong with them."""

import json
import pathlib
import tempfile
import unittest
from decimal import Decimal

import support
import tactus


def small():
    system = tactus.System("small", tactus.Platform.of(cpu=2, gpu=8))
    system.platform.element("gpu").runlist_update = "250 us"
    system.add_task("vision", period="40 ms", priority=2, core=1).add("grab", "cpu", 2).add(
        "net", "gpu", "9 ms"
    )
    system.add_task("grip", period=10, priority=3, core=2).add("control", "cpu", 0.1)
    return system


class Built(unittest.TestCase):
    def test_times_with_units_are_exact_in_the_unit_of_the_system(self):
        document = small().to_dict()
        self.assertEqual(document["platform"]["elements"][1]["runlist_update"], Decimal("0.25"))
        self.assertEqual(document["tasks"][0]["period"], 40)
        self.assertIn('"wcet": 0.1', small().to_json())

    def test_the_methods_understand_it(self):
        analysis = tactus.analyze(small(), "gcaps.suspend")
        self.assertTrue(analysis.schedulable)
        self.assertEqual(analysis["gcaps.suspend"].task("grip").bound, 0.35)

    def test_a_time_without_sense_is_refused(self):
        for text in ("fast", "5", "-3 ms", "30 Hz", "1e3 ms"):
            system = small()
            system.task("grip").period = text
            with self.assertRaises(ValueError, msg=text):
                system.to_json()
        system = small()
        system.task("grip").period = float("nan")
        with self.assertRaises(ValueError):
            system.to_json()

    def test_what_the_package_does_not_know_is_kept_for_the_library_to_judge(self):
        system = small()
        system.task("grip").more["peroid"] = 5
        with self.assertRaises(tactus.InvalidInput) as caught:
            system.check()
        (problem,) = caught.exception.problems
        self.assertEqual(problem.path, "tasks[1].peroid")
        self.assertIn("did you mean `period`", problem.message)


class Misspelt(unittest.TestCase):
    def test_attributes_are_refused_by_every_class_of_the_model(self):
        system = small()
        task = system.task("vision")
        for part, wrong, meant in (
            (system, "time_units", "time_unit"),
            (system.platform, "element_s", "elements"),
            (system.platform.element("gpu"), "runlist_updte", "runlist_update"),
            (task, "dedline", "deadline"),
            (task.node("net"), "wect", "wcet"),
        ):
            before = system.to_json()
            with self.assertRaises(AttributeError) as caught:
                setattr(part, wrong, 5)
            self.assertEqual(
                str(caught.exception),
                f"{type(part).__name__} has no attribute `{wrong}`; did you mean `{meant}`?",
            )
            self.assertEqual(system.to_json(), before)

    def test_every_class_of_the_model_is_checked(self):
        from tactus import _model

        parts = [
            part
            for part in vars(_model).values()
            if hasattr(part, "__dataclass_fields__") and part.__module__ == _model.__name__
        ]
        self.assertEqual(len(parts), 5)
        for part in parts:
            self.assertIn("__setattr__", {name for kind in part.__mro__[:-1] for name in vars(kind)})

    def test_what_is_close_to_nothing_is_told_where_to_go(self):
        with self.assertRaisesRegex(AttributeError, "`xyzzy`; .* goes into `more`"):
            small().task("vision").xyzzy = 3

    def test_every_attribute_that_there_is_can_be_set(self):
        system = small()
        for part in (system, system.platform, *system.platform.elements, *system.tasks):
            for name in part.__dataclass_fields__:
                setattr(part, name, getattr(part, name))
        self.assertEqual(system, small())

    def test_names_are_suggested(self):
        system = tactus.System.load(support.example("robot"))
        analysis = tactus.analyze(system, "gcaps.suspend")
        for look, wrong, meant in (
            (system.task, "camra", "camera"),
            (system.task("camera").node, "detct", "detect"),
            (system.platform.element, "gpo", "gpu"),
            (analysis.verdict, "gcaps.suspnd", "gcaps.suspend"),
            (analysis["gcaps.suspend"].task, "camra", "camera"),
            (tactus.slack(system, "gcaps.suspend").__getitem__, "camera.detct.wcet", "camera.detect.wcet"),
        ):
            with self.assertRaises(KeyError) as caught:
                look(wrong)
            self.assertIn(f"`{wrong}`; did you mean `{meant}`?", caught.exception.args[0])


class Files(unittest.TestCase):
    def test_every_example_comes_back_as_it_was(self):
        for path in sorted((support.SOURCE / "examples").glob("*.system.json")):
            if path.name.startswith("broken"):
                continue
            with self.subTest(file=path.name):
                system = tactus.System.load(path)
                self.assertEqual(system.to_json(), path.read_text(encoding="utf-8"))
                again = tactus.System.from_dict(system.to_dict())
                self.assertEqual(again, system)
                # Written anew, it still means the same.
                self.assertEqual(again.changed().to_json(), system.changed().to_json())

    def test_all_problems_of_a_file_are_told_with_path_and_position(self):
        path = support.example("broken")
        with self.assertRaises(tactus.InvalidInput) as caught:
            tactus.System.load(path)
        problems = caught.exception.problems
        self.assertEqual(len(problems), 6)
        self.assertEqual(problems[1].path, "tasks[0].peroid")
        self.assertEqual((problems[1].document, problems[1].line), (str(path), 13))
        self.assertIn(f"{path}:13:25: ", str(caught.exception))

    def test_a_changed_system_is_written_with_its_change(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.system.json"
            system = tactus.System.load(support.example("robot"))
            system.task("camera").period = 40
            system.save(path)
            self.assertEqual(tactus.System.load(path).task("camera").period, 40)
            self.assertEqual(tactus.System.load(path), system)

    def test_an_invalid_system_is_not_written(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.system.json"
            system = small()
            system.task("grip").nodes.clear()
            with self.assertRaises(tactus.InvalidInput):
                system.save(path)
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [])

    def test_comments_are_allowed(self):
        text = small().to_json().replace("{", "{ // a comment\n", 1)
        self.assertEqual(tactus.System.loads(text).name, "small")

    def test_a_change_that_breaks_the_system_is_told(self):
        system = tactus.System.load(support.example("robot"))
        with self.assertRaises(tactus.InvalidInput):
            system.changed("camera.period=-1")
        with self.assertRaises(tactus.InvalidInput):
            system.changed("camra.period=1")

    def test_tasks_of_another_system_are_added(self):
        other = small()
        other.platform = tactus.System.load(support.example("robot")).platform
        both = tactus.System.load(support.example("robot")).changed(add=[other])
        self.assertIn("vision", [task.name for task in both.tasks])


class Names(unittest.TestCase):
    def test_text_in_any_script_goes_through(self):
        system = small()
        system.name = "Gabelstapler µ \u4e2d\u6587 \"quoted\""
        self.assertEqual(json.loads(system.to_json())["name"], system.name)
        self.assertEqual(system.changed().name, system.name)


if __name__ == "__main__":
    unittest.main()
