"""`tactus.reserve` beside a tactusd that admits."""

import os
import pathlib
import subprocess
import tempfile
import time
import unittest

import support
import tactus

TACTUSD = support.SOURCE / "build" / "tactusd"
PLATFORM = """{"tactus":1,"name":"robot","time_unit":"ms","platform":{"elements":[
 {"name":"cpu","kind":"cpu","units":4},{"name":"gpu","kind":"gpu","units":1,
 "preempt_cost":0.67,"resume_cost":0.38,"start_cost":0.15}]},"tasks":[]}"""


@unittest.skipUnless(TACTUSD.is_file(), "no build/tactusd")
class Reservations(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        file = pathlib.Path(folder.name) / "robot.json"
        file.write_text(PLATFORM)
        socket = str(pathlib.Path(folder.name) / "tactusd.socket")
        arbiter = subprocess.Popen(
            [TACTUSD, "--protocol", "boost", "--admit", file, "--socket", socket],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.addCleanup(arbiter.wait)
        self.addCleanup(arbiter.kill)
        before = os.environ.get("TACTUS_SOCKET")
        os.environ["TACTUS_SOCKET"] = socket
        self.addCleanup(self.put_back, before)
        for _ in range(600):
            if os.path.exists(socket):
                return
            time.sleep(0.1)
        self.fail("tactusd did not start")

    @staticmethod
    def put_back(before):
        del os.environ["TACTUS_SOCKET"]
        if before is not None:
            os.environ["TACTUS_SOCKET"] = before

    def test_a_reservation_lasts_as_long_as_its_with_statement(self):
        for _ in range(2):
            with tactus.reserve(period="33 ms", cpu=2.5, name="camera") as reservation:
                self.assertIn("admitted as camera", reservation.answer)
                with reservation.job():
                    self.assertEqual(reservation.demotions, 0)
                with self.assertRaisesRegex(tactus.ReservationError, "already"):
                    tactus.reserve(period=100, cpu=1)

    def test_what_is_not_proved_is_refused(self):
        with self.assertRaisesRegex(tactus.Refused, "could be late, 9 of 8 ms"):
            tactus.reserve(period=33, cpu=9, deadline=8)

    def test_a_wrong_request_is_told(self):
        with self.assertRaisesRegex(tactus.ReservationError, "must be a time"):
            tactus.reserve(period=33, cpu="9 hours")
        task = {"name": "x", "period": 50, "core": 2, "nodes": [{"name": "c", "on": "cpu", "wcet": 5}]}
        with tactus.reserve(task=task) as reservation:
            self.assertIn("admitted as x on core 2", reservation.answer)

    def test_gpu_work_that_cannot_be_taken_off_is_not_admitted(self):
        with self.assertRaisesRegex(tactus.ReservationError, "take its GPU work off"):
            tactus.reserve(period=33, gpu=9)


if __name__ == "__main__":
    unittest.main()
