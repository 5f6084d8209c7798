#!/usr/bin/env python3
"""tools/check-rooms finds a wrong include however it is written, and leaves right ones alone."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parents[2] / "tools/check-rooms"

RULES = """
*: tactus/base
tactus/base:
tactus/model:
tactus/methods: tactus/model
tactus/methods/dag: tactus/methods
tactus/methods/gang: tactus/methods tactus/model
tactus/report: tactus/methods/*
tactus/runtime/cuda: <cuda>
tests/model: tactus/model
bench: tactus/model
"""
HEADERS = ["tactus/base/result.hpp", "tactus/model/time.hpp", "tactus/methods/method.hpp",
           "tactus/methods/dag/dag_plan.hpp", "tactus/report/table.hpp", "tactus/report/plain.h",
           "tactus/attic/old.hpp"]


def verdict(files, rules=RULES, headers=True):
    """Compiles `files` {path: text} for their dependencies only; what check-rooms prints of them."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        given = {path: "" for path in HEADERS} if headers else {}
        given.update({"toolkit/include/cuda_runtime.h": "", "tactus/rooms": rules}, **files)
        for path, text in given.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        (root / "deps").mkdir()
        outside = pathlib.Path(tempfile.mkdtemp())  # a toolkit that is not part of the tree
        (outside / "include").mkdir()
        (outside / "include/cuda_runtime.h").write_text("")
        for number, path in enumerate(path for path in files if not path.endswith(("hpp", ".h"))):
            subprocess.run(["g++", "-x", "c++", "-I", root, "-isystem", outside / "include",
                            "-M", path, "-o", root / f"deps/{number}.d"], cwd=root, check=True)
        result = subprocess.run([sys.executable, CHECK, "--root", root, "--depfiles",
                                 root / "deps"], cwd=root, text=True, capture_output=True)
        return result.returncode, result.stdout


class CheckRooms(unittest.TestCase):
    def wrong(self, path, text, place=None, **more):
        code, said = verdict({path: text, **more})
        self.assertEqual(code, 1, said)
        self.assertIn(place or f"{path}:1: ", said)

    def test_a_right_include_is_fine(self):
        code, said = verdict({"tactus/report/table.cpp": '#include "tactus/methods/dag/dag_plan.hpp"'})
        self.assertEqual(code, 0, said)

    def test_a_family_may_use_its_room_and_the_system(self):
        code, said = verdict({"tactus/methods/dag/dag_plan.cpp":
                              '#include "tactus/methods/method.hpp"\n#include <vector>'})
        self.assertEqual(code, 0, said)

    def test_quotes(self):
        self.wrong("tactus/model/a.cpp", '#include "tactus/report/table.hpp"')

    def test_angle_brackets(self):
        self.wrong("tactus/model/a.cpp", "#include <tactus/report/table.hpp>")

    def test_spaces_around_the_word(self):
        self.wrong("tactus/model/a.cpp", '  #  include   "tactus/report/table.hpp"')

    def test_a_relative_path(self):
        self.wrong("tactus/model/a.cpp", '#include "../report/table.hpp"')

    def test_a_relative_path_with_detours(self):
        self.wrong("tactus/model/a.cpp", '#include "../model/../report/table.hpp"')

    def test_an_absolute_path_by_a_macro(self):
        self.wrong("tactus/model/a.cpp", '#define HEADER "tactus/model/time.hpp"\n#include HEADER',
                   "tactus/model/a.cpp: tactus/model/time.hpp gets in without")

    def test_a_device_source(self):
        self.wrong("tactus/model/a.cu", '#include "tactus/report/table.hpp"')

    def test_a_header_of_c(self):
        self.wrong("tactus/model/a.cpp", '#include "tactus/report/plain.h"')

    def test_through_a_header_of_the_room(self):
        self.wrong("tactus/model/a.cpp", '#include "tactus/model/b.hpp"',
                   "tactus/model/b.hpp:2: ",
                   **{"tactus/model/b.hpp": '\n#include "tactus/report/table.hpp"'})

    def test_what_a_header_brings_along_is_fine(self):
        code, said = verdict({"tactus/methods/dag/a.cpp": '#include "tactus/methods/b.hpp"',
                              "tactus/methods/b.hpp": '#include "tactus/model/time.hpp"'})
        self.assertEqual(code, 0, said)

    def test_but_not_in_a_file_of_its_own(self):
        self.wrong("tactus/methods/dag/a.cpp", '#include "tactus/model/time.hpp"')

    def test_everybody_may_use_what_the_star_names(self):
        code, said = verdict({"tactus/runtime/cuda/a.cpp": '#include "tactus/base/result.hpp"'})
        self.assertEqual(code, 0, said)

    def test_family_to_family(self):
        self.wrong("tactus/methods/gang/a.cpp", '#include "tactus/methods/dag/dag_plan.hpp"')

    def test_the_room_to_its_family(self):
        self.wrong("tactus/methods/a.cpp", '#include "tactus/methods/dag/dag_plan.hpp"')

    def test_a_room_nobody_knows(self):
        self.wrong("tactus/model/a.cpp", '#include "tactus/attic/old.hpp"')

    def test_a_file_in_a_room_nobody_knows(self):
        self.wrong("tactus/attic/a.cpp", "", "tactus/attic/a.cpp: lies in no room")

    def test_tests(self):
        self.wrong("tests/model/a.cpp", '#include "tactus/report/table.hpp"')

    def test_benchmarks(self):
        self.wrong("bench/a.cpp", '#include "tactus/report/table.hpp"')

    def test_cuda_outside_its_backend(self):
        self.wrong("tactus/model/a.cpp", "#include <cuda_runtime.h>")

    def test_cuda_in_its_backend_is_fine(self):
        code, said = verdict({"tactus/runtime/cuda/a.cpp": "#include <cuda_runtime.h>"})
        self.assertEqual(code, 0, said)

    def test_rooms_in_a_circle(self):
        code, said = verdict({"tactus/model/a.cpp": ""}, "tactus/model: tactus/report\n"
                             "tactus/report: tactus/model\n")
        self.assertEqual(code, 1, said)
        self.assertIn("in a circle", said)

    def test_a_room_and_its_part_in_a_circle(self):
        code, said = verdict({"tactus/model/a.cpp": ""}, "tactus/model: tactus/model/deep\n"
                             "tactus/model/deep: tactus/model\n")
        self.assertEqual(code, 1, said)
        self.assertIn("in a circle", said)

    def test_folders_of_a_room_in_a_circle(self):
        files = {"tactus/model/deep/a.cpp": '#include "tactus/model/wide/b.hpp"',
                 "tactus/model/wide/b.hpp": "#pragma once\n",
                 "tactus/model/wide/b.cpp": '#include "tactus/model/deep/a.hpp"',
                 "tactus/model/deep/a.hpp": "#pragma once\n"}
        code, said = verdict(files)
        self.assertEqual(code, 1, said)
        self.assertIn("tactus/model/deep -> tactus/model/wide -> tactus/model/deep", said)
        files["tactus/model/wide/b.cpp"] = '#include "tactus/model/time.hpp"'  # of the room itself
        code, said = verdict(files)
        self.assertEqual(code, 0, said)

    def test_a_right_to_what_is_not_there(self):
        code, said = verdict({"tactus/model/a.cpp": ""}, "tactus/model: tactus/modle\n")
        self.assertEqual(code, 1, said)
        self.assertIn("tactus/modle", said)

    def test_nothing_compiled_is_no_success(self):
        code, _ = verdict({})
        self.assertEqual(code, 1)


if __name__ == "__main__":
    unittest.main()
