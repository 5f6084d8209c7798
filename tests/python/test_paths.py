"""Tasks that start tasks: between processes, and when one of them dies."""

import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

import support  # noqa: F401  (finds the package)
import tactus

CAMERA = """
import sys, time, tactus
with tactus.TaskPath("robot/camera") as path:
    for _ in range(3):
        path.ended(path.arrived(time.monotonic_ns()))
        sys.stdin.readline()
"""


class Paths(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.environ["TACTUS_PATHS"] = str(pathlib.Path(folder.name) / "paths")
        self.addCleanup(os.environ.pop, "TACTUS_PATHS")

    def start(self):
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
        camera = subprocess.Popen([sys.executable, "-c", CAMERA], stdin=subprocess.PIPE, env=environment)
        self.addCleanup(camera.wait)
        self.addCleanup(camera.kill)
        self.addCleanup(camera.stdin.close)
        return camera

    def test_jobs_follow_those_of_another_process(self):
        detect = tactus.TaskPath("robot/detect", "robot/camera")
        camera = self.start()
        numbers = []
        for job in detect.jobs(timeout=20):
            numbers.append(job.number)
            self.assertLessEqual(job.arrival_ns, job.due_ns)
            self.assertLessEqual(job.due_ns, job.released_ns)
            camera.stdin.write(b"\n")
            camera.stdin.flush()
            if len(numbers) == 3:
                break
        self.assertEqual(numbers, [0, 1, 2])
        self.assertEqual(detect.releases.lost, 0)
        self.assertEqual(detect.releases.taken, 3)

    def test_nobody_waits_for_the_dead(self):
        detect = tactus.TaskPath("robot/detect", "robot/camera")
        self.assertIsNone(detect.wait(0))
        camera = self.start()
        self.assertEqual(detect.wait(20).number, 0)
        camera.kill()
        camera.wait()
        with self.assertRaises(tactus.PredecessorGone):
            detect.wait(20)

    def test_an_end_is_told_once(self):
        camera = tactus.TaskPath("robot/camera")
        job = camera.arrived(time.monotonic_ns())
        camera.ended(job)
        with self.assertRaisesRegex(tactus.PathError, "told before"):
            camera.ended(job)

    def test_what_cannot_be_opened_says_why(self):
        with tactus.TaskPath("robot/camera") as camera:
            with self.assertRaisesRegex(tactus.PathError, "another process is this task"):
                tactus.TaskPath("robot/camera")
            with self.assertRaisesRegex(tactus.PathError, "not a call for this path"):
                camera.wait(1)
        with self.assertRaisesRegex(tactus.PathError, "closed"):
            camera.arrived(0)
        with self.assertRaisesRegex(tactus.PathError, "TACTUS_TASK"):
            tactus.TaskPath()

    def test_arrivals_keep_their_offsets(self):
        self.assertEqual(tactus.next_arrival(20, 5, 25), 45)
        with self.assertRaises(ValueError):
            tactus.next_arrival()


if __name__ == "__main__":
    unittest.main()
