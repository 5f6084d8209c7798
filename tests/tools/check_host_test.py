#!/usr/bin/env python3
"""tools/check-host finds a second spawner, mapping or clock, and nothing else."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "tools/check-host"


def verdict(text, path="tactus/arbiter/a.cpp"):
    """What check-host says of a tree with one file."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / path
        file.parent.mkdir(parents=True)
        file.write_text(text)
        result = subprocess.run([sys.executable, CHECK, "--root", folder], text=True,
                                capture_output=True)
        return result.returncode, result.stdout


class CheckHost(unittest.TestCase):
    def found(self, *lines, **more):
        code, said = verdict("\n".join(lines), **more)
        self.assertEqual(code, 1, lines)
        for number, line in enumerate(lines, 1):
            self.assertIn(f":{number}: ", said, line)

    def fine(self, *lines, **more):
        code, said = verdict("\n".join(lines), **more)
        self.assertEqual(code, 0, said)

    def test_processes(self):
        self.found("const pid_t child = fork();", "::fork ();", "if (vfork() == 0) {}",
                   "posix_spawn(&pid, name, nullptr, nullptr, arguments, environ);",
                   "execvp(name, words);", "std::system(line);", "::system(line);",
                   "popen(line, mode);", "clone(work, stack, flags, nullptr);",
                   "syscall(SYS_clone3, &arguments);", "waitpid(child, nullptr, 0);")

    def test_mappings(self):
        self.found("mmap(nullptr, 1, 2, 3, 4, 5);", "void* at = ::mmap(nullptr, 1, 2, 3, 4, 5);",
                   "memfd_create(name, 0);", "shm_open(name, 0, 0);", "munmap(at, 1);")

    def test_clocks(self):
        self.found("using Clock = std::chrono::steady_clock;", "steady_clock::now();",
                   "clock_gettime(CLOCK_MONOTONIC, &now);", "gettimeofday(&now, nullptr);",
                   "std::chrono::high_resolution_clock::now();")

    def test_finding_oneself(self):
        self.found('readlink("/proc/self/exe", path, size);')

    def test_every_room_and_kind_of_source(self):
        for path in ["bench/a.cpp", "examples/a/a.cu", "tactus/cli/a.hpp"]:
            self.found("fork();", path=path)

    def test_behind_a_number_with_marks(self):
        self.found("sleep(1'000); fork(); wait(2'000);")

    def test_the_file_that_is_there_for_it(self):
        self.fine("fork();", path="tactus/host/child.cpp")
        self.fine("mmap(0);", path="tactus/host/shared_memory.cpp")
        self.fine("clock_gettime(clock, &now);", path="tactus/host/clock.hpp")
        self.fine('readlink("/proc/self/exe");', path="tactus/host/programs.cpp")

    def test_other_files_beside_it(self):
        self.found('read_symlink("/proc/self/exe");', "fork();", path="tactus/host/module.cpp")
        self.found("mmap(0);", "steady_clock::now();", path="tactus/host/child.cpp")

    def test_tests(self):
        self.fine("fork();", path="tests/host/a.cpp")

    def test_comments_and_texts(self):
        self.fine("// fork()\n/* mmap()\n steady_clock */ say(\"fork(\"); R\"(mmap()\";\n")

    def test_other_names(self):
        self.fine("Child::fork(work);", "policy.clone(1);", "policy->fork();", "refork();",
                  "Handler* clone() const;", "const Result<System> system(text);",
                  "host::become(command);", "child.wait();")

    def test_an_exception_that_is_not_needed(self):
        code, said = verdict("int main() {}", path="bench/h200/pulse.cpp")
        self.assertEqual(code, 1)
        self.assertIn("the exception can go", said)


if __name__ == "__main__":
    unittest.main()
