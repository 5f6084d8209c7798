#!/usr/bin/env python3
"""./run builds again when a source has changed since its last build began, and only then; it builds
what a verb needs, says how long that takes, and lets another build in the same folder end first."""

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
echo "ninja $3" >> "$LOG"
echo '[1/2] Re-running CMake...'
seq -f "[%g/$STEPS] step" "$STEPS"
sh -c "$DURING_NINJA" || exit 1
printf '#!/bin/sh\\n' > "$2/tactus" && chmod +x "$2/tactus"
"""


class Tree:
    """A source tree with the real ./run, and tools that only pretend."""

    def __init__(self, folder):
        self.root = pathlib.Path(folder)
        shutil.copy(RUN, self.root / "run")
        for name in ["tactus", "cmake", "experiments", "web/src", "tools",
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

    def start(self, verb="x", during_cmake=":", during_ninja=":", steps=400):
        environment = dict(os.environ, PATH=f"{self.root}/bin:{os.environ['PATH']}", LOG=str(self.log),
                           DURING_CMAKE=during_cmake, DURING_NINJA=during_ninja, STEPS=str(steps))
        return subprocess.Popen([self.root / "run", verb], env=environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, verb="x", **during):
        """What was called."""
        self.log.write_text("")
        time.sleep(0.02)  # so that what changes now is newer than what is there
        running = self.start(verb, **during)
        self.told = running.communicate()[1]
        assert running.returncode == 0, self.told
        return self.log.read_text().splitlines()


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tactus-run-test-")
        self.addCleanup(folder.cleanup)
        self.tree = Tree(folder.name)
        self.edit = f"sleep 0.05; touch {folder.name}/tactus/a.cpp; sleep 0.05"

    def test_builds_once(self):
        self.assertEqual(self.tree.run(), ["cmake", "ninja programs"])
        self.assertEqual(self.tree.run(), [])

    def test_what_changes_while_it_is_configured_is_in_the_build(self):
        self.assertEqual(self.tree.run(during_cmake=self.edit), ["cmake", "ninja programs"])
        self.assertEqual(self.tree.run(), [])

    def test_what_changes_during_the_first_build_is_built_next_time(self):
        self.assertEqual(self.tree.run(during_ninja=self.edit), ["cmake", "ninja programs"])
        self.assertEqual(self.tree.run(), ["ninja programs"])
        self.assertEqual(self.tree.run(), [])

    def test_what_changes_during_a_later_build_is_built_next_time(self):
        self.tree.run()
        subprocess.run(["sh", "-c", self.edit], check=True)
        self.assertEqual(self.tree.run(during_ninja=self.edit), ["ninja programs"])
        self.assertEqual(self.tree.run(), ["ninja programs"])
        self.assertEqual(self.tree.run(), [])

    def test_builds_the_rest_when_a_verb_needs_it(self):
        self.assertEqual(self.tree.run("analyze"), ["cmake", "ninja tactus"])
        self.assertEqual(self.tree.run("slack"), [])
        self.assertEqual(self.tree.run("run"), ["ninja programs"])
        self.assertEqual(self.tree.run("analyze"), [])
        subprocess.run(["sh", "-c", self.edit], check=True)
        self.assertEqual(self.tree.run("analyze"), ["ninja tactus"])
        self.assertEqual(self.tree.run("run"), ["ninja programs"])

    def test_says_what_it_does_and_for_how_long(self):
        self.tree.run("analyze")
        self.assertRegex(self.tree.told, r"building tactus: 400 steps, about \d+ (seconds|minutes) on \d+ cores")
        self.assertIn("run: 400 of 400 steps", self.tree.told)
        subprocess.run(["sh", "-c", self.edit], check=True)
        self.tree.run("analyze", steps=3)
        self.assertEqual(self.tree.told, "")

    def test_a_build_that_fails_is_told_and_begun_again(self):
        self.tree.log.write_text("")
        failing = self.tree.start("analyze", during_ninja="echo no compiler; exit 1")
        said = failing.communicate()[1]
        self.assertIn("no compiler", said)
        self.assertNotIn("] step", said)
        self.assertEqual(failing.returncode, 2)
        self.assertEqual(list((self.tree.root / "build").glob(".run*")), [])
        self.assertEqual(self.tree.run("analyze"), ["ninja tactus"])

    def test_a_second_build_waits_for_the_first(self):
        self.tree.log.write_text("")
        inside = self.tree.root / "inside"
        alone = f"! [ -e {inside} ] || echo together >> {self.tree.log}; touch {inside}; sleep 0.3; rm {inside}"
        both = [self.tree.start(during_ninja=alone) for _ in range(2)]
        told = [one.communicate()[1] for one in both]
        self.assertEqual([one.returncode for one in both], [0, 0])
        self.assertNotIn("together", self.tree.log.read_text())
        self.assertIn("waiting for another build", "".join(told))


if __name__ == "__main__":
    unittest.main()
