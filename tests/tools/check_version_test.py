#!/usr/bin/env python3
"""tools/check-version finds a file that was forgotten, and mends all of them."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
FILES = ["CMakeLists.txt", "python/tactus/_version.py", "CITATION.cff", "docs/use/python.md", "docs/inside/library.md",
         "tests/install/CMakeLists.txt"]


class CheckVersion(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        for file in FILES:
            (self.root / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / file, self.root / file)

    def check(self, *more):
        done = subprocess.run([SOURCE / "tools" / "check-version", "--root", self.root, *more],
                              capture_output=True, text=True)
        return done.returncode, done.stdout

    def test_every_place_of_this_tree_says_the_same(self):
        self.assertEqual(self.check(), (0, ""))

    def test_each_place_that_was_forgotten_is_named(self):
        self.assertEqual(self.check("--set", "7.8.9"), (0, ""))
        self.assertEqual(self.check(), (0, ""))
        for file in FILES[1:]:
            mended = (self.root / file).read_text()
            shutil.copy(SOURCE / file, self.root / file)
            code, said = self.check()
            self.assertEqual(code, 1, file)
            self.assertIn(f"{file}: says ", said)
            (self.root / file).write_text(mended)

    def test_a_place_that_is_gone_is_named(self):
        (self.root / "CITATION.cff").write_text("title: Tactus\n")
        code, said = self.check()
        self.assertEqual(code, 1)
        self.assertIn("CITATION.cff: has a version in 0 places, not in 1", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
