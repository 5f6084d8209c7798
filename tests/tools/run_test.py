#!/usr/bin/env python3
"""./run builds again when a source has changed since its last build began, and only then."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

RUN = pathlib.Path(__file__).resolve().parents[2] / "run"

# They write down that they were called; `during NAME` is done in the middle.
CMAKE = """#!/bin/sh
echo cmake >> "$LOG"
sh -c "$DURING_CMAKE"
mkdir -p build && echo > build/build.ninja
"""
NINJA = """#!/bin/sh
echo ninja >> "$LOG"
sh -c "$DURING_NINJA"
printf '#!/bin/sh\\n' > "$2/tactus" && chmod +x "$2/tactus"
"""


class Tree:
    """A source tree with the real ./run, and tools that only pretend."""

    def __init__(self, folder):
        self.root = pathlib.Path(folder)
        shutil.copy(RUN, self.root / "run")
        for name in ["tactus", "include", "cmake", "experiments", "web/src", "tools",
                     "bin"]:
            (self.root / name).mkdir(parents=True)
        for name in ["tactus/a.cpp", "tools/packages", "web/package-lock.json", "CMakeLists.txt", "CMakePresets.json"]:
            (self.root / name).write_text("")
        self.program("tools/install-packages", "#!/bin/sh\n")
        self.program("tools/install-npm", "#!/bin/sh\n")
        self.program("bin/cmake", CMAKE)
        self.program("bin/ninja", NINJA)
        self.log = self.root / "log"

    def program(self, name, text):
        (self.root / name).write_text(text)
        (self.root / name).chmod(0o755)

    def run(self, during_cmake=":", during_ninja=":"):
        """What was called."""
        self.log.write_text("")
        time.sleep(0.02)  # so that what changes now is newer than what is there
        environment = dict(os.environ, PATH=f"{self.root}/bin:{os.environ['PATH']}", LOG=str(self.log),
                           DURING_CMAKE=during_cmake, DURING_NINJA=during_ninja)
        subprocess.run([self.root / "run", "x"], check=True, env=environment, capture_output=True)
        return self.log.read_text().split()


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tactus-run-test-")
        self.addCleanup(folder.cleanup)
        self.tree = Tree(folder.name)
        self.edit = f"sleep 0.05; touch {folder.name}/tactus/a.cpp; sleep 0.05"

    def test_builds_once(self):
        self.assertEqual(self.tree.run(), ["cmake", "ninja"])
        self.assertEqual(self.tree.run(), [])

    def test_what_changes_while_it_is_configured_is_in_the_build(self):
        self.assertEqual(self.tree.run(during_cmake=self.edit), ["cmake", "ninja"])
        self.assertEqual(self.tree.run(), [])

    def test_what_changes_during_the_first_build_is_built_next_time(self):
        self.assertEqual(self.tree.run(during_ninja=self.edit), ["cmake", "ninja"])
        self.assertEqual(self.tree.run(), ["ninja"])
        self.assertEqual(self.tree.run(), [])

    def test_what_changes_during_a_later_build_is_built_next_time(self):
        self.tree.run()
        subprocess.run(["sh", "-c", self.edit], check=True)
        self.assertEqual(self.tree.run(during_ninja=self.edit), ["ninja"])
        self.assertEqual(self.tree.run(), ["ninja"])
        self.assertEqual(self.tree.run(), [])


if __name__ == "__main__":
    unittest.main()
