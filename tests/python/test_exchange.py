"""Systems from profiles, and as other tools read them."""

import pathlib
import unittest

import support  # noqa: F401  (it finds the package)
import tactus

SOURCE = pathlib.Path(__file__).resolve().parents[2]
TRACE = SOURCE / "tests" / "data" / "traces" / "resnet50_fp16_b1.json.gz"


class Exchange(unittest.TestCase):
    def test_a_profile_becomes_a_system_with_notes(self):
        imported = tactus.import_file(TRACE, gpu_only=True, margin=0, period=["10"], task="classify")
        self.assertEqual(imported.system.task("classify").nodes[0].wcet, 0.9024)
        self.assertEqual(imported.rows()[0]["jobs"], 3)
        self.assertTrue(any("measured, not proved" in note for note in imported.notes))

    def test_recordings_of_one_run_are_joined(self):
        profiles = SOURCE / "tests" / "data" / "profiles"
        imported = tactus.import_file(profiles / "trtexec-times.json", fold="none",
                                      join=[str(profiles / "trtexec-profile.json")])
        names = [node.name for node in imported.system.task("inference").nodes]
        self.assertIn("MaxPool_2", names)

    def test_what_cannot_be_imported_says_why(self):
        with self.assertRaises(tactus.InvalidInput) as caught:
            tactus.import_file(TRACE, jobs="frame*")
        self.assertIn("no annotation matches", str(caught.exception))

    def test_yaml_is_the_same_system(self):
        system = tactus.examples.forklift()
        self.assertEqual(tactus.System.loads(tactus.export(system, "yaml")).to_dict(),
                         system.to_dict())


if __name__ == "__main__":
    unittest.main()
