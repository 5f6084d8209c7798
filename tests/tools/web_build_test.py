#!/usr/bin/env python3
"""Two builds in one folder, and one that was broken off, leave a page that can be built."""

import pathlib
import subprocess
import tempfile
import time
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "cmake" / "build-web.cmake"

# `npm ci` takes away what is there, and what it installs is whole only at its end.
NPM = """#!/bin/sh
echo npm >> "{root}/log"
rm -rf node_modules && mkdir node_modules && touch node_modules/begun
sleep 0.4
[ -e node_modules/begun ] && mv node_modules/begun node_modules/whole
"""
NODE = """#!/bin/sh
[ -e node_modules/whole ] && [ -e tools/build.mjs ] && echo page > page.cpp && echo live > live.cpp
"""


class WebBuild(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tactus-web-test-")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.web = self.root / "build"
        (self.root / "web" / "tools").mkdir(parents=True)
        (self.root / "web" / "tools" / "build.mjs").write_text("")
        (self.root / "web" / "package-lock.json").write_text("{}")
        self.web.mkdir()
        self.program("npm", NPM)
        self.program("node", NODE)

    def program(self, name, text):
        (self.root / name).write_text(text.format(root=self.root))
        (self.root / name).chmod(0o755)

    def start(self, tools="ON"):
        return subprocess.Popen(
            ["cmake", f"-DSOURCE={self.root}/web", f"-DFOLDER={self.web}", f"-DNPM={self.root}/npm",
             f"-DNODE={self.root}/node", f"-DTOOLS={tools}", "-P", SCRIPT],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def build(self, tools="ON"):
        started = self.start(tools)
        said = started.communicate()[0]
        return started.returncode, said

    def installed(self):
        log = self.root / "log"
        return len(log.read_text().split()) if log.exists() else 0

    def test_two_builds_at_once_both_have_the_page(self):
        both = [self.start(), self.start()]
        said = [one.communicate()[0] for one in both]
        self.assertEqual([one.returncode for one in both], [0, 0], said)
        self.assertEqual(self.installed(), 1)
        self.assertEqual((self.web / "page.cpp").read_text(), "page\n")

    def test_what_was_broken_off_is_installed_again(self):
        self.assertEqual(self.build("OFF")[0], 0)
        second = self.start("ON")  # other packages, so npm is asked again
        while self.installed() < 2:
            time.sleep(0.01)
        second.kill()
        second.communicate()
        time.sleep(0.5)
        (self.web / "node_modules" / "whole").unlink(missing_ok=True)
        self.assertEqual(self.build("OFF")[0], 0)
        self.assertEqual(self.installed(), 3)

    def test_packages_that_were_damaged_are_installed_again(self):
        self.assertEqual(self.build()[0], 0)
        (self.web / "node_modules" / "whole").unlink()
        code, said = self.build()
        self.assertEqual(code, 1)
        self.assertIn("could not be bundled", said)
        self.assertEqual(self.build()[0], 0)

    def test_what_is_installed_stays(self):
        self.assertEqual(self.build()[0], 0)
        self.assertEqual(self.build()[0], 0)
        self.assertEqual(self.installed(), 1)


if __name__ == "__main__":
    unittest.main()
