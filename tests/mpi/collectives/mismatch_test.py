# SPDX-License-Identifier: BSD-3-Clause
"""What users read when ranks call different collectives and check_collectives is set: both calls, in one sentence."""
import os
import subprocess
import unittest

MPIEXEC, PROGRAM = os.environ["MPIEXEC"], os.environ["PROGRAM"]

SENTENCES = {
    "broadcasts": ("MPI_Bcast: rank 0 calls MPI_Bcast with 4 bytes, root 0, but rank 1 calls MPI_Bcast with 4 bytes, "
                   "root 1: all must give the same root"),
    "operations": ("rank 0 calls MPI_Bcast with 4 bytes, root 0, but rank 2 calls MPI_Barrier: "
                   "all must call the same collectives in the same order"),
    "operators": ("MPI_Allreduce: rank 0 calls MPI_Allreduce with 4 bytes, MPI_SUM of MPI_INT, but rank 1 calls "
                  "MPI_Allreduce with 4 bytes, MPI_MAX of MPI_INT: all must give the same operator"),
    "types": ("rank 0 calls MPI_Reduce with 16 bytes, MPI_SUM of MPI_INT, root 0, but rank 1 calls MPI_Reduce with "
              "16 bytes, MPI_SUM of MPI_FLOAT, root 0: all must give the same datatype"),
    "lengths": ("rank 0 calls MPI_Allgather with 8 bytes, but rank 1 calls MPI_Allgather with 12 bytes: all must give "
                "the same amount of data"),
    "forms": "rank 0 calls MPI_Barrier, but rank 1 calls MPI_Ibarrier: all must call",
    "communicator": ("rank 0 calls a function that makes communicators (its allgather), but rank 1 calls MPI_Bcast "
                     "with 4 bytes, root 0: all must call the same collectives in the same order"),
    "rules": "rank 1 calls MPI_Barrier (by central and dissemination): they would run different",
}


class Mismatch(unittest.TestCase):
    def test_both_calls_are_named(self):
        for mistake, sentence in SENTENCES.items():
            with self.subTest(mistake):
                done = subprocess.run([MPIEXEC, "--timeout", "60", "-n", "3", PROGRAM, mistake],
                                      env=os.environ | {"BOWLINE_CHECK_COLLECTIVES": "1"}, stdin=subprocess.DEVNULL,
                                      capture_output=True, text=True, timeout=90, check=False)
                self.assertNotEqual(done.returncode, 0, done.stdout)
                self.assertIn(sentence, done.stderr)


if __name__ == "__main__":
    unittest.main()
