# SPDX-License-Identifier: BSD-3-Clause
"""What BOWLINE_CHECK=buffers tells of programs that change memory into which they receive, and that right programs get
their data."""
import os
import subprocess
import unittest

from marked_places import MarkedPlaces

MPIEXEC, PROGRAM = os.environ["MPIEXEC"], os.environ["PROGRAM"]
PLACES = MarkedPlaces("early_use.cpp")

RECEIVES = "the program has changed memory into which {} ({}) receives before {} ({}) has completed the operation"
SENDS = "the program has changed the data that {} ({}) sends before {} ({}) has completed the operation"
WAIT = ("MPI_Wait", "completion")
# What the ranks 0 and 1 tell.
CHANGES = {
    "get": [(RECEIVES, "MPI_Get", "get", "MPI_Win_flush", "flush")] * 2,
    "receive": [(RECEIVES, "MPI_Irecv", "receive", *WAIT)] * 2,
    "reduce": [(RECEIVES, "MPI_Iallreduce", "reduce", *WAIT)] * 2,
    "blocks": [(RECEIVES, "MPI_Ialltoallv", "blocks", *WAIT)] * 2,
    "broadcast": [(SENDS, "MPI_Ibcast", "broadcast", *WAIT), (RECEIVES, "MPI_Ibcast", "broadcast", *WAIT)],
    "scatter": [(SENDS, "MPI_Iscatter", "scatter", *WAIT), None],
}
RIGHT = ["look_at_status", "receive_between", "reduce_in_place", "get_again_and_again", "take_any"]


class EarlyUse(unittest.TestCase):
    def run_both(self, checks, *programs):
        done = subprocess.run([MPIEXEC, "--timeout", "60", "-n", "2", PROGRAM, *programs],
                              env=os.environ | ({"BOWLINE_CHECK": checks} if checks else {}), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=90, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        return done.stderr.splitlines()

    def test_changes(self):
        for program, told in CHANGES.items():
            with self.subTest(program):
                warnings = self.run_both("buffers", program)
                self.assertEqual(len(warnings), len([each for each in told if each]), warnings)
                for rank, (sentence, *words) in ((r, each) for r, each in enumerate(told) if each):
                    words[1], words[3] = (PLACES[name] for name in (words[1], words[3]))
                    self.assertTrue(any(f"rank {rank} on " in warning and sentence.format(*words) in warning
                                        for warning in warnings), (sentence.format(*words), warnings))

    def test_right_programs(self):
        for checks in ("", "buffers", "all"):
            for program in RIGHT:
                with self.subTest(checks=checks, program=program):
                    self.assertEqual(self.run_both(checks, program), [])

    def test_off(self):
        self.assertEqual(self.run_both("", *CHANGES), [])


if __name__ == "__main__":
    unittest.main()
