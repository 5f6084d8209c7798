"""The source of the package: every Python from 3.9 on, typed, and its reference can be written."""

import ast
import importlib.util
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import support

FILES = sorted((support.SOURCE / "python").rglob("*.py"))
PROGRAMS = [path for folder in ("examples", "bench/torch") for path in (support.SOURCE / folder).glob("*.py")]


class Source(unittest.TestCase):
    def test_every_file_is_python_3_9(self):
        self.assertGreater(len(FILES), 8)
        self.assertGreater(len(PROGRAMS), 4)
        for path in FILES + PROGRAMS:
            ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=(3, 9))

    def test_a_newer_syntax_would_be_noticed(self):
        with self.assertRaises(SyntaxError):
            ast.parse("match x:\n    case 1: pass\n", feature_version=(3, 9))

    def test_nothing_but_the_standard_library_is_imported(self):
        allowed = set(sys.stdlib_module_names) if sys.version_info >= (3, 10) else None
        if allowed is None:
            self.skipTest("Python 3.9 does not list its modules")
        for path in FILES:
            if "torch" in path.parts or path.name == "torch.py":
                continue
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = []
                if isinstance(node, ast.Import):
                    names = [alias.name for alias in node.names]
                elif isinstance(node, ast.ImportFrom) and node.level == 0:
                    names = [node.module]
                for name in names:
                    self.assertIn(name.split(".")[0], allowed, path)

    def test_mypy_is_content(self):
        mypy = shutil.which("mypy")
        if mypy is None and importlib.util.find_spec("mypy") is None:
            self.skipTest("mypy is not installed")
        command = [mypy] if mypy else [sys.executable, "-m", "mypy"]
        said = subprocess.run(
            command + ["--strict", "tactus"],
            cwd=support.SOURCE / "python",
            capture_output=True,
            text=True,
        )
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)

    def test_the_reference_can_be_written(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "reference.md"
            said = subprocess.run(
                [sys.executable, str(support.SOURCE / "tools" / "python-reference"), str(page)],
                capture_output=True,
                text=True,
            )
            self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
            text = page.read_text(encoding="utf-8")
        for heading in ("### `analyze`", "### `System", "## `tactus.torch`", "## `tactus.session`"):
            self.assertIn(heading, text)


if __name__ == "__main__":
    unittest.main()
