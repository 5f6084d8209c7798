#!/usr/bin/env python3
"""tools/check-abi lets good objects pass, and finds what it is there for."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
# A C library of our own with a symbol that only the next version of glibc has.
FUTURE = "GLIBC_2.99 { new_function; };"


def check(*paths):
    done = subprocess.run([SOURCE / "tools" / "check-abi", *paths], capture_output=True, text=True)
    return done.returncode, done.stdout


class CheckAbi(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)

    def compiled(self, name, text, *options):
        source = self.root / f"{name}.c"
        source.write_text(text)
        made = self.root / name
        subprocess.run(["cc", "-shared", "-fPIC", "-o", made, source, *options], check=True)
        return made

    def test_a_plain_library_passes(self):
        code, said = check(self.compiled("plain.so", '#include <stdio.h>\nint f(void) { return puts("x"); }'))
        self.assertEqual((code, said), (0, "1 objects, 0 wrong\n"))

    def test_a_symbol_of_a_newer_c_library_is_found(self):
        script = self.root / "map"
        script.write_text(FUTURE)
        future = self.compiled("libfuture.so", "void new_function(void) {}",
                               f"-Wl,--version-script={script}", "-Wl,-soname,libfuture.so")
        self.assertEqual(check(future)[0], 0, "what a library defines is no need")
        user = self.compiled("user.so", "void new_function(void); void f(void) { new_function(); }", future)
        code, said = check(user)
        self.assertEqual(code, 1)
        self.assertIn("needs GLIBC_2.99; at most GLIBC_2.35", said)

    def test_it_is_found_in_a_tarball_too(self):
        self.test_a_symbol_of_a_newer_c_library_is_found()
        archive = self.root / "all.tar.gz"
        subprocess.run(["tar", "--create", "--gzip", "--file", archive, "-C", self.root, "user.so"], check=True)
        code, said = check(archive)
        self.assertEqual(code, 1)
        self.assertIn("user.so: needs GLIBC_2.99", said)

    def test_libraries_are_looked_for_beside_the_object_only(self):
        text = "void f(void) {}"
        self.assertEqual(check(self.compiled("a.so", text, "-Wl,-rpath,$ORIGIN/../lib"))[0], 0)
        for place in ("/home/somebody/lib", "lib", "$ORIGIN:", "$ORIGINAL"):
            code, said = check(self.compiled("b.so", text, f"-Wl,-rpath,{place}"))
            self.assertEqual(code, 1, place)
            self.assertIn("does not begin with $ORIGIN", said)

    def test_nothing_to_check_is_no_success(self):
        empty = self.root / "empty"
        empty.mkdir()
        code, said = check(empty)
        self.assertEqual(code, 1)
        self.assertIn("no program or library in it", said)

    def test_a_package_may_hold_static_libraries_only(self):
        folder = self.root / "dev"
        folder.mkdir()
        (folder / "libx.a").write_text("!<arch>\n")
        self.assertEqual(check(folder), (0, "0 objects, 0 wrong\n"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
