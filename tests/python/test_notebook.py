"""The notebooks: their cells run with plain Python, and they were executed before they were kept."""

import importlib.machinery
import importlib.util
import json
import unittest

import support

NOTEBOOKS = sorted((support.SOURCE / "examples").glob("*.ipynb"))


def tool():
    path = str(support.SOURCE / "tools" / "run-notebook")
    loader = importlib.machinery.SourceFileLoader("run_notebook", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("run_notebook", loader))
    loader.exec_module(module)
    return module


class Notebooks(unittest.TestCase):
    def test_every_cell_runs_with_plain_python(self):
        self.assertTrue(NOTEBOOKS)
        for path in NOTEBOOKS:
            with self.subTest(notebook=path.name):
                notebook = json.loads(path.read_text(encoding="utf-8"))
                tool().run_notebook(notebook)
                shown = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
                self.assertTrue(all(shown), "every cell shows something")

    def test_a_cell_that_fails_would_be_noticed(self):
        failing = {"cells": [{"cell_type": "code", "source": ["1 / 0"]}]}
        with self.assertRaises(ZeroDivisionError):
            tool().run_notebook(failing)

    def test_they_are_kept_with_outputs_and_small(self):
        for path in NOTEBOOKS:
            notebook = json.loads(path.read_text(encoding="utf-8"))
            self.assertEqual(notebook["nbformat"], 4)
            for cell in notebook["cells"]:
                if cell["cell_type"] == "code":
                    self.assertTrue(cell["outputs"], cell["source"])
                    self.assertIsNotNone(cell["execution_count"])
            self.assertLess(path.stat().st_size, 60_000)


if __name__ == "__main__":
    unittest.main()
