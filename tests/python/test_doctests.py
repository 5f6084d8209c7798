"""Every example in a docstring, and the example programs."""

import ast
import contextlib
import doctest
import importlib
import io
import os
import pkgutil
import re
import subprocess
import sys
import tempfile
import unittest

import support
import tactus

MODULES = ["tactus"] + [
    name
    for _, name, _ in pkgutil.walk_packages(tactus.__path__, "tactus.")
]


class Examples(unittest.TestCase):
    def test_every_docstring_does_what_it_says(self):
        tried = 0
        for name in MODULES:
            with self.subTest(module=name):
                found = doctest.testmod(importlib.import_module(name))
                self.assertEqual(found.failed, 0)
                tried += found.attempted
        self.assertGreater(tried, 30, "the examples were not found")

    def test_the_tutorial_does_what_it_says(self):
        page = (support.SOURCE / "docs" / "use" / "python.md").read_text(encoding="utf-8")
        # From the first block that runs without a GPU to the first that needs the arbiter.
        before_segments = page.split("## A system from times")[1].split("## GPU work")[0]
        blocks = re.findall(r"```python\n(.*?)```", before_segments, re.S)
        self.assertGreater(len(blocks), 3)
        names, stated = {}, 0
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            back = os.getcwd()
            os.chdir(folder)  # it writes files
            try:
                for block in blocks:
                    exec(block, names)
                    for line in block.splitlines():
                        # "expression   # value: what it means"
                        said = re.match(r"(\S.*?)\s+# (True|[0-9.]+): ", line)
                        if said:
                            value = eval(said.group(1), names)
                            self.assertEqual(value, ast.literal_eval(said.group(2)), line)
                            stated += 1
            finally:
                os.chdir(back)
        self.assertGreater(stated, 2, "values in comments are compared")

    def test_everything_public_has_a_docstring(self):
        for name in tactus.__all__:
            thing = getattr(tactus, name)
            if isinstance(thing, (int, str)):
                continue
            self.assertTrue(thing.__doc__, name)

    def test_the_example_program_runs(self):
        ran = subprocess.run(
            [sys.executable, str(support.SOURCE / "examples" / "forklift.py")],
            capture_output=True,
            text=True,
            env={"PYTHONPATH": str(support.SOURCE / "python"), "PATH": "/usr/bin:/bin"},
            timeout=300,
        )
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("may grow to", ran.stdout)


if __name__ == "__main__":
    unittest.main()
