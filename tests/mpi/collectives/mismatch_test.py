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


BOTH = r"rank \d of the communicator calls (.*) where this process calls (.*): all ranks of a communicator must call"
COMPLETED = r"rank \d of the communicator has completed another call than this process"
SAME = r"rank \d of the communicator calls {}, as this process does, but {}"
OTHERS_BEFORE = "has called another number of collectives before"
OTHERS = "after other collectives"  # as far as a message tells

MESSAGES = {"BOWLINE_COLL_SLOTS_LIMIT": "0"}

# What a rank says that gets the data of another call. Messages of calls with different numbers never meet.
UNCHECKED = (
    ("broadcasts", {}, SAME.format("MPI_Bcast", "") + "|has completed another call"),
    ("operators", {}, SAME.format("MPI_Allreduce", "(gives MPI_(MAX|SUM) where this process gives|"
                                                   "with another operator than) MPI_(MAX|SUM)")),
    ("operators", MESSAGES, SAME.format("MPI_Allreduce", "with another operator than MPI_(MAX|SUM) or " + OTHERS)),
    ("types", {}, SAME.format("MPI_Reduce", "gives 32-bit (integers|reals) where this process gives 32-bit")),
    ("types", MESSAGES, SAME.format("MPI_Reduce", "gives 32-bit (integers|reals) where this process gives 32-bit")),
    ("mixed", {}, SAME.format("(MPI_Barrier|MPI_Ibcast)",
                              f"(has called (another number of|other) collectives before|{OTHERS})")),
    ("mixed", MESSAGES, SAME.format("(MPI_Barrier|MPI_Ibcast)", OTHERS)),
    ("forms", {}, "deadlock: all 2 ranks"),
    ("operations", {}, rf"{BOTH}|{COMPLETED}"),
    ("operations", MESSAGES, BOTH),
    ("barrier", {}, BOTH),
    ("barrier", MESSAGES, BOTH),
    ("order", {}, rf"{BOTH}|{COMPLETED}"),
    ("order", MESSAGES, BOTH),
    ("last_roots", {}, r"rank 0 on .*: has called 2 collectives, the last one MPI_Bcast with root 0\n"
                       r"mpiexec: rank 1 on .*: has called 2 collectives, the last one MPI_Bcast with root 1\n"),
    ("last_more", {}, r"rank 0 on .*: has called 2 collectives, the last one MPI_Bcast with root 0\n"
                      r"mpiexec: rank 1 on .*: has called 1 collective, MPI_Allreduce with MPI_SUM\n"),
    ("number", {"BOWLINE_COLLECTIVES": "bcast = binomial"}, SAME.format("MPI_Allreduce", OTHERS_BEFORE)),
)


class Mismatch(unittest.TestCase):
    def test_data_of_another_call_are_refused_without_the_check(self):
        for mistake, settings, sentence in UNCHECKED:
            with self.subTest(mistake, settings=settings):
                done = subprocess.run([MPIEXEC, "--timeout", "30", "-n", "2", PROGRAM, mistake],
                                      env=os.environ | {"BOWLINE_HANG_SECONDS": "1"} | settings,
                                      stdin=subprocess.DEVNULL, capture_output=True,
                                      text=True, timeout=90, check=False)
                self.assertNotEqual(done.returncode, 0, done.stdout)
                self.assertRegex(done.stderr, sentence)

    def test_both_calls_are_named(self):
        for mistake, sentence in SENTENCES.items():
            with self.subTest(mistake):
                done = subprocess.run([MPIEXEC, "--timeout", "30", "-n", "3", PROGRAM, mistake],
                                      env=os.environ | {"BOWLINE_CHECK_COLLECTIVES": "1"}, stdin=subprocess.DEVNULL,
                                      capture_output=True, text=True, timeout=90, check=False)
                self.assertNotEqual(done.returncode, 0, done.stdout)
                self.assertIn(sentence, done.stderr)


if __name__ == "__main__":
    unittest.main()
