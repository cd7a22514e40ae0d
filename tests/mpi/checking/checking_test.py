# SPDX-License-Identifier: BSD-3-Clause
"""What BOWLINE_CHECK tells of wrong programs, with their source lines, and that it tells nothing of right ones."""
import os
import subprocess
import unittest

from marked_places import MarkedPlaces

MPIEXEC, PROGRAM = os.environ["MPIEXEC"], os.environ["PROGRAM"]
PLACES = MarkedPlaces("mistakes.cpp")

LEFT = {
    "communicators": "2 communicators have not been freed: made by MPI_Comm_dup ({left: communicators})",
    "types": "1 datatype has not been freed: made by MPI_Type_contiguous ({left: type})",
    "groups": "1 group has not been freed: made by MPI_Comm_group ({left: group})",
    "operator": "1 operator has not been freed: made by MPI_Op_create ({left: operator})",
    "window": "1 window has not been freed: made by MPI_Win_allocate ({left: window})",
    "file": "1 file has not been closed: opened by MPI_File_open ({left: file})",
    "persistent": "1 persistent request has not been freed: made by MPI_Send_init ({left: persistent})",
    "message": "1 message has not been received: found by MPI_Mprobe ({left: message})",
    "unreceived": "a message has not been received: 4 bytes on MPI_COMM_WORLD from rank",
}
NOT_COMPLETED = "not been completed by a call such as MPI_Wait: begun by "
OPERATIONS = [f"1 operation has {NOT_COMPLETED}MPI_Isend ({{left: operation}})",
              f"2 operations have {NOT_COMPLETED}MPI_Ibarrier ({{left: collectives}})"]
CHANGED = "the program has changed the data that "
BUFFERS = {
    "changed": CHANGED + "MPI_Isend ({changed: operation}) sends before MPI_Wait ({changed: completion}) has completed",
    "changed_collective": CHANGED + "MPI_Iallgather ({changed: collective}) sends before MPI_Wait",
    "changed_round": CHANGED + "MPI_Send_init ({changed: persistent}) sends before MPI_Wait",
    "put": CHANGED + "MPI_Put ({changed: put}) sends before MPI_Win_flush ({changed: flush}) has completed",
    "get": "MPI_Get ({overlap: get}) writes to 4 bytes into which MPI_Get ({overlap: get}) receives",
    "overlap": "MPI_Irecv ({overlap: second}) writes to 4 bytes into which MPI_Irecv ({overlap: first}) receives; that "
               "operation has not been completed yet",
    "read": "MPI_Send ({read: send}) reads 4 bytes into which MPI_Irecv ({read: receive}) receives",
}


class Checking(unittest.TestCase):
    def run_both(self, checks, *mistakes):
        """The output and the warnings of both ranks."""
        done = subprocess.run([MPIEXEC, "--timeout", "60", "-n", "2", PROGRAM, *mistakes],
                              env=os.environ | ({"BOWLINE_CHECK": checks} if checks else {}), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=90, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines(), done.stderr.splitlines()

    def tell(self, checks, *mistakes):
        return self.run_both(checks, *mistakes)[1]

    def assert_both_tell(self, warnings, sentences):
        self.assertEqual(len(warnings), 2 * len(sentences), warnings)
        for sentence in sentences:
            self.assertEqual(sum(PLACES.put_into(sentence) in warning for warning in warnings), 2, (sentence, warnings))

    def test_objects_that_are_left(self):
        for mistake, sentence in LEFT.items():
            with self.subTest(mistake):
                self.assert_both_tell(self.tell("leaks", mistake), [f"MPI_Finalize: {sentence}"])

    def test_operations_that_are_left(self):
        self.assert_both_tell(self.tell("leaks", "operations"), OPERATIONS)

    def test_a_persistent_request_that_is_never_started(self):
        self.assert_both_tell(self.tell("leaks", "never_started"),
                              ["MPI_Request_free ({left: freed}) frees a persistent request that has never been "
                               "started: made by MPI_Recv_init ({left: not started})"])

    def test_sends_that_need_buffers(self):
        for mistake in ("buffered", "buffered_wait", "buffered_rounds"):
            with self.subTest(mistake):
                self.assertEqual(self.tell("types", mistake), [])
                done = subprocess.run([MPIEXEC, "--timeout", "60", "-n", "2", PROGRAM, mistake],
                                      env=os.environ | {"BOWLINE_CHECK": "buffering", "BOWLINE_HANG_SECONDS": "1"},
                                      stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=90, check=False)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("BOWLINE_CHECK lets standard sends wait until they are received", done.stderr)
                self.assertRegex(done.stderr, r"in MPI_(Send|Wait for a send) on MPI_COMM_WORLD to rank 1, tag 0 \(m")

    def test_buffers(self):
        for mistake, sentence in BUFFERS.items():
            with self.subTest(mistake):
                self.assert_both_tell(self.tell("buffers", mistake), [sentence])

    def test_an_error_of_an_operation_says_where_it_began(self):
        done = subprocess.run([MPIEXEC, "--timeout", "60", "-n", "2", PROGRAM, "too_short"],
                              env=os.environ | {"BOWLINE_CHECK": "leaks"}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=90, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(PLACES.put_into(", begun by MPI_Irecv ({left: too short}) (called at mistakes.cpp:"), done.stderr)

    def test_right_programs(self):
        self.assertEqual(self.tell("all", "nothing", "shared", "matching_types", "nothing"), [])

    def test_types(self):
        told, warnings = self.run_both("types", "other_types")
        self.assertEqual((len(told), warnings), (18, []))
        for sentence in told:
            self.assertRegex(sentence, "^type: MPI_(Recv|Wait|Mrecv|Sendrecv): the message from rank . with tag 0 has "
                                       "32-bit integers, but the datatype of the receive, .*, has 32-bit reals$")
        without_check, _ = self.run_both("leaks,buffers", "other_types")
        self.assertEqual(set(without_check), {"another class: MPI_SUCCESS: no error"})

    def test_off(self):
        everything = [*LEFT, *BUFFERS, "operations"]
        self.assertEqual(self.tell("", *everything), [])
        self.assertEqual(self.tell("strict", *everything), [])
        self.assertEqual(self.tell("leaks", *BUFFERS), [])
        self.assertEqual(self.tell("buffers", *LEFT), [])

    def test_words_that_do_not_exist(self):
        done = subprocess.run([MPIEXEC, "-n", "1", PROGRAM], env=os.environ | {"BOWLINE_CHECK": "leaks,bufers"},
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn('BOWLINE_CHECK is "leaks,bufers", but "bufers" is none of strict, leaks, buffers, types, ',
                      done.stderr)


if __name__ == "__main__":
    unittest.main()
