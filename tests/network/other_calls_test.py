# SPDX-License-Identifier: BSD-3-Clause
"""Ranks on several nodes whose last collectives differ are told so by MPI_Finalize, and the job fails."""
import os
import subprocess
import unittest

MPIEXEC, PROGRAM = os.environ["MPIEXEC"], os.environ["PROGRAM"]


class OtherCalls(unittest.TestCase):
    def test_the_rank_above_in_the_tree_tells(self):
        for mistake, called in (("last_roots", r"2 collectives, the last one MPI_Bcast with root \d"),
                                ("last_more", "1 collective, MPI_Allreduce with MPI_SUM|"
                                              "2 collectives, the last one MPI_Bcast with root 0")):
            with self.subTest(mistake):
                done = subprocess.run([MPIEXEC, "--timeout", "60", "-n", "4", PROGRAM, mistake],
                                      stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=90, check=False)
                self.assertNotEqual(done.returncode, 0, done.stdout)
                self.assertRegex(done.stderr, "MPI_Finalize: rank \\d has not called the same collectives on "
                                              f"MPI_COMM_WORLD as this rank, which has called ({called}):")


if __name__ == "__main__":
    unittest.main()
