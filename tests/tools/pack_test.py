#!/usr/bin/env python3
"""What bench/pack packs comes out again, gives the same file every time, and the reports read it."""

import json
import pathlib
import subprocess
import tempfile
import unittest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"


def output(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


class Pack(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tactus-pack-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name) / "record"
        self.packed = self.folder.parent / "record.json.gz"
        self.folder.mkdir()

    def test_comes_out_as_it_went_in(self):
        documents = {"a-1": {"time": 12.5, "runs": [1, 2]}, "b": {"name": "é"}}
        for name, document in documents.items():
            (self.folder / f"{name}.json").write_text(json.dumps(document))
        output(BENCH / "pack", self.folder)
        first = self.packed.read_bytes()
        output(BENCH / "pack", self.folder)
        self.assertEqual(self.packed.read_bytes(), first)
        out = self.folder.parent / "out"
        output(BENCH / "pack", "--unpack", self.packed, out)
        self.assertEqual({path.stem: json.loads(path.read_text()) for path in out.iterdir()}, documents)

    def test_what_is_no_json_is_refused(self):
        (self.folder / "a.json").write_text("{")
        done = subprocess.run([BENCH / "pack", self.folder], capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertFalse(self.packed.exists())

    def test_reports_read_records_packed_and_unpacked(self):
        records = BENCH / "results" / "h200"
        boost, torch = records / "boost-2026-11-16.json.gz", records / "torch-2026-11-16.json.gz"
        out = self.folder.parent / "out"
        output(BENCH / "pack", "--unpack", boost, out)
        tables = output(BENCH / "h200" / "boost_report.py", boost)
        self.assertIn("## Case study, 4 loads", tables)
        self.assertEqual(tables, output(BENCH / "h200" / "boost_report.py", out))
        output(BENCH / "pack", "--unpack", torch, out)
        tables = output(BENCH / "torch" / "tables.py", torch)
        self.assertIn("### boost", tables)
        self.assertEqual(tables, output(BENCH / "torch" / "tables.py", out / "deadlines.json", out / "processes.json"))


if __name__ == "__main__":
    unittest.main()
