# SPDX-License-Identifier: BSD-3-Clause
"""What BOWLINE_CHECK tells of races between ranks, with their source lines, and that it tells nothing of right
programs."""
import os
import subprocess
import unittest

from marked_places import MarkedPlaces

MPIEXEC, PROGRAM = os.environ["MPIEXEC"], os.environ["PROGRAM"]
PLACES = MarkedPlaces("races.cpp")

ONE = "access the same 4 bytes of this rank's memory in a window of 3 ranks without a name, and nothing says which"
STORES = ("this rank stores to 4 bytes of its memory in a window of 3 ranks without a name that MPI_{} ({{store: {}}}) "
          "on rank 2 {}, and nothing says which comes first")
# The rank that tells, and what.
RACES = {
    "fence_put_put": (1, f"MPI_Put ({{fence: put of rank 0}}) on rank 0 and MPI_Put ({{fence: put of rank 2}}) on rank "
                         f"2 {ONE}"),
    "fence_accumulates": (1, f"MPI_Accumulate ({{fence: accumulates}}) on rank 0 and MPI_Accumulate "
                             f"({{fence: accumulates}}) on rank 2 {ONE}"),
    "lock_put_get": (1, f"MPI_Put ({{lock: put}}) on rank 0 and MPI_Get ({{lock: get}}) on rank 2 {ONE}"),
    "lock_all_put_add": (1, "MPI_Put ({lock all: put}) on rank 0 and MPI_Accumulate ({lock all: accumulate}) on rank 2 "
                            + ONE),
    "post_put_put": (1, f"MPI_Put ({{post: puts}}) on rank 0 and MPI_Put ({{post: puts}}) on rank 2 {ONE}"),
    "own_put_get": (0, "MPI_Get ({own: get}) and MPI_Put ({own: put}) before it access the same 4 bytes of the memory "
                       "of rank 1 in a window of 3 ranks without a name, and nothing says which comes first: no call "
                       "between the two completes the first"),
    "store_get_fence": (1, STORES.format("Get", "get in a fence", "reads")),
    "store_put_fence": (1, STORES.format("Put", "put in a fence", "writes to")),
    "store_get_lock": (1, STORES.format("Get", "get in a lock", "reads")),
}
HAD_RIVALS = "from any rank had rivals, messages of other ranks that it could have received as well"
NOT_ASKED = "; the program does not ask which rank has sent them"
RIGHT = ["right_fences", "right_exposures", "right_locks", "right_locks_elsewhere", "right_flushes", "right_flag",
         "right_flag_at_home", "right_receives"]


class Races(unittest.TestCase):
    def tell(self, checks, *programs, **settings):
        """The warnings of all ranks."""
        done = subprocess.run([MPIEXEC, "--timeout", "60", "-n", "3", PROGRAM, *programs],
                              env=os.environ | ({"BOWLINE_CHECK": checks} if checks else {}) | settings,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=90, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr.splitlines()

    def assert_told(self, warnings, rank, sentence):
        self.assertEqual(len(warnings), 1, warnings)
        self.assertIn(f"rank {rank} on ", warnings[0])
        self.assertIn(PLACES.put_into(sentence), warnings[0])

    def test_conflicting_accesses(self):
        for program, (rank, sentence) in RACES.items():
            with self.subTest(program):
                self.assert_told(self.tell("epochs", program), rank, sentence)

    def test_accesses_by_messages(self):
        for program in ("fence_put_put", "lock_put_get", "post_put_put", "store_get_lock"):
            with self.subTest(program):
                rank, sentence = RACES[program]
                self.assert_told(self.tell("epochs", program, BOWLINE_RMA_PATH="messages"), rank, sentence)

    def test_a_race_is_told_once(self):
        self.assertEqual(len(self.tell("all", "own_put_get", "own_put_get")), 1)

    def test_rivals(self):
        for checks in ("rivals", "all"):
            with self.subTest(checks):
                self.assert_told(self.tell(checks, "rivals"), 0,
                                 f"MPI_Finalize: 1 of 2 messages that MPI_Recv ({{rivals}}) received {HAD_RIVALS}"
                                 f"{NOT_ASKED}")
                self.assert_told(self.tell(checks, "rival_requests"), 0,
                                 f"MPI_Finalize: 1 of 1 message that MPI_Irecv ({{rivals: first}}) received "
                                 f"{HAD_RIVALS}{NOT_ASKED}")

    def test_rivals_whose_senders_are_known(self):
        self.assertEqual(self.tell("all", "rivals_with_status"), [])
        told = self.tell("rivals", "rivals_with_status")
        self.assert_told(told, 0, f"1 of 2 messages that MPI_Recv ({{rivals: status}}) received {HAD_RIVALS}")
        self.assertNotIn(NOT_ASKED, told[0])

    def test_right_programs(self):
        for program in RIGHT:
            with self.subTest(program):
                self.assertEqual(self.tell("all", program), [])
        self.assertEqual(self.tell("all", *RIGHT), [])

    def test_off(self):
        self.assertEqual(self.tell("", *RACES, "rivals"), [])
        self.assertEqual(self.tell("rivals", *RACES), [])
        self.assertEqual(self.tell("epochs", "rivals"), [])


if __name__ == "__main__":
    unittest.main()
