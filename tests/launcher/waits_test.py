# SPDX-License-Identifier: BSD-3-Clause
"""When the time of a job is over, mpiexec prints what each rank waits for."""
import os
import re
import socket
import unittest

import at_once
from launcher_case import CLIENT, LauncherCase, ranks_named, without_places

PROGRAM = os.environ["WAITING_RANKS"]
HOST = socket.gethostname()
WORLD = "on MPI_COMM_WORLD"
COMPUTES = "not waiting in MPI"
STARTS = "in MPI_Init_thread for the other ranks of this host, for S s"


class Waits(LauncherCase):
    def lines(self, seconds, *command, **settings):
        """What mpiexec says of each rank; S for the seconds of a wait, which are no more than the job had."""
        done = self.run_mpiexec("--timeout", seconds, *command, env=self.environment | settings, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (124, ""), done.stderr)
        # A rank that has waited in MPI_Finalize for long says so by itself.
        first, *lines = (line for line in done.stderr.splitlines() if "MPI_Finalize has waited" not in line)
        self.assertIn(f"mpiexec: the job ran longer than --timeout {seconds} s", first)
        found = {}
        for line in lines:
            said = re.fullmatch(rf"mpiexec: ranks? ([^:]*) on {re.escape(HOST)}: (.*)", line)
            self.assertIsNotNone(said, done.stderr)
            for waited in re.findall(r"(\d+\.\d) s$", line):
                self.assertLessEqual(float(waited), seconds, line)
            for rank in ranks_named(said[1]):
                found[rank] = re.sub(r", for (\d+\.\d to )?\d+\.\d s$", ", for S s",
                                     without_places(said[2], "waiting_ranks.cpp"))
        return [found[rank] for rank in sorted(found)]

    def assert_lines(self, what, expected, **settings):
        """`what`: the program's arguments, one for each rank."""
        for seconds in (2, 4, 8, 25):  # a busy machine needs longer to start the ranks
            found = self.lines(seconds, "-n", len(what), PROGRAM, *what, **settings)
            if found == expected:
                break
        self.assertEqual(found, expected)

    def test_messages(self):
        self.assert_lines(["receive", "send", "probe", "compute"],
                          [f"in MPI_Recv {WORLD} from rank 1, tag 7, for S s",
                           f"in MPI_Send {WORLD} to rank 2, tag 7, for S s",
                           f"in MPI_Probe {WORLD} from rank 3, tag 7 (not taken: 1 message {WORLD} from rank 1, "
                           "tag 7), for S s", COMPUTES])
        self.assert_lines(["receive_anything", "ssend", "compute"],
                          [f"in MPI_Recv {WORLD} from any rank, any tag, for S s",
                           f"in MPI_Ssend {WORLD} to rank 2, tag 7, for S s", COMPUTES])
        self.assert_lines(["mprobe", "exchange", "compute"],
                          [f"in MPI_Mprobe {WORLD} from any rank, tag 7, for S s",
                           f"in MPI_Sendrecv for a receive {WORLD} from rank 2, tag 8, for S s", COMPUTES])

    def test_requests(self):
        self.assert_lines(["wait", "waitall", "waitany", "generalized"],
                          [f"in MPI_Wait for a receive {WORLD} from rank 1, tag 7, for S s",
                           "in MPI_Waitall with 2 of 3 requests incomplete, the first (index 3) a receive "
                           f"{WORLD} from rank 2, tag 7, for S s",
                           "in MPI_Waitany with 2 of 2 requests incomplete, the first (index 0) a receive "
                           f"{WORLD} from rank 3, tag 7, for S s",
                           "in MPI_Wait for a generalized request, for S s"])

    def test_collectives(self):
        self.assert_lines(["barrier", "barrier", "compute", "compute"],
                          [f"in MPI_Barrier {WORLD}, operation 1, awaiting ranks 2 and 3, for S s",
                           f"in MPI_Barrier {WORLD}, operation 1, awaiting rank 0, for S s", COMPUTES, COMPUTES],
                          BOWLINE_COLLECTIVES="barrier = tree")
        self.assert_lines(["barrier", "barrier", "compute"],
                          [f"in MPI_Barrier {WORLD}, operation 1, awaiting rank 2, for S s"] * 2 + [COMPUTES],
                          BOWLINE_COLLECTIVES="barrier = flags")
        self.assert_lines(["met_duplicate", "met_broadcast", "met_compute", "met_ibarrier"],
                          [f"in MPI_Comm_dup {WORLD}, operation 2, awaiting rank 1, for S s",
                           f"in MPI_Bcast {WORLD}, operation 2, awaiting rank 2, for S s", COMPUTES,
                           f"in MPI_Wait for a non-blocking barrier {WORLD}, operation 1, awaiting rank 2, for S s"])

    def test_communicator_with_a_name(self):
        """Its name cannot end the line. Its ranks have other numbers than in MPI_COMM_WORLD."""
        self.assert_lines(["named"] * 4, [COMPUTES] * 3 + ["in MPI_Recv on the communicator turned?round from rank 1 "
                                                          "(2 of MPI_COMM_WORLD), tag 7, for S s"])

    def test_beginning_and_end(self):
        self.assert_lines(["finalize", "compute", "after_finalize", "end"],
                          [f"in MPI_Finalize for a send {WORLD} to rank 1, tag 7, for S s", COMPUTES,
                           "has called MPI_Finalize", "has ended"])
        self.assert_lines(["receive", "before_init"], [STARTS, "has not called MPI_Init"])

    @unittest.skipUnless(os.environ["NETWORK"] == "1", "there is no UCX, or a sanitizer that does not see into it")
    def test_end_over_a_network(self):
        self.assert_lines(["end", "receive", "compute"],
                          ["in MPI_Finalize for rank 1, for S s",
                           f"in MPI_Recv {WORLD} from rank 2, tag 7, for S s", COMPUTES],
                          BOWLINE_NETWORK_REACH="everywhere", UCX_TLS="tcp,self", UCX_NET_DEVICES="lo")

    def test_threads(self):
        """The thread is shown that has waited for longest; and nothing, once a wait is over."""
        self.assert_lines(["threads", "threads_go_on", "wait_and_compute"],
                          [f"in MPI_Recv {WORLD} from rank 1, tag 7, for S s",
                           f"in MPI_Probe {WORLD} from rank 2, tag 7, for S s", COMPUTES])
        self.assert_lines(["receive", "waitall", "barrier"],
                          [f"in MPI_Recv {WORLD} from rank 1, tag 7, for S s",
                           "in MPI_Waitall with 2 of 3 requests incomplete, the first (index 3) a receive "
                           f"{WORLD} from rank 2, tag 7, for S s",
                           f"in MPI_Barrier {WORLD}, operation 1, awaiting rank 0, for S s"],
                          BOWLINE_PROGRESS_THREAD="1")

    def test_variable(self):
        done = self.run_mpiexec("-n", 1, PROGRAM, "generalized", env=self.environment | {"MPIEXEC_TIMEOUT": "3"})
        self.assertEqual(done.returncode, 124)
        self.assertIn("in MPI_Wait for a generalized request, for ", without_places(done.stderr, "waiting_ranks.cpp"))

    def test_other_programs(self):
        self.assertEqual(self.lines(0.5, "-n", 2, "sleep", 60), [])
        self.assertEqual(self.lines(2, "-n", 2, CLIENT, "stay"), ["does not say what it waits for"] * 2)

    def test_wrong_boards(self):
        """A variable that names no slot of a board is ignored, and nobody says a word about it."""
        for value in ("", "x", "1", "1:2", "1:2:", "1:2:x", "1:2:3:4", "-1:0:0", "0:0:0", "2:0:0", "9999:0:1", "+1:0:1",
                      "99999999999:0:0", "0:99999999999:0", "0:0:12345678901234567", " 0:0:0"):
            with self.subTest(value=value):
                done = self.run_mpiexec("-n", 1, "--timeout", 30, "-x", f"BOWLINE_WAIT_BOARD={value}", PROGRAM, "end")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
        own = {"descriptor": "${BOWLINE_WAIT_BOARD%%:*}", "key": "${BOWLINE_WAIT_BOARD##*:}"}
        for value in ("{descriptor}:1:{key}", "{descriptor}:4294967295:{key}", "{descriptor}:0:1{key}", "0:0:{key}"):
            script = f"export BOWLINE_WAIT_BOARD={value.format(**own)}; exec {PROGRAM} generalized"
            with self.subTest(value=value):
                self.assertEqual(self.lines(2, "-n", 1, "sh", "-c", script), ["does not say what it waits for"])

    def test_programs_behind_a_script(self):
        """They have the slot one after the other; one that closes what it does not know has none."""
        script = f"{PROGRAM} end; exec {PROGRAM} generalized"
        # Two programs start one after the other, each of which takes seconds under AddressSanitizer.
        self.assertEqual(self.lines(10, "-n", 1, "sh", "-c", script),
                         ["in MPI_Wait for a generalized request, for S s"])
        closing = "for fd in 3 4 5 6 7 8 9; do eval \"exec $fd<&-\"; done; for fd in $(seq 10 40); do " \
                  f"eval \"exec $fd</dev/null\" 2>/dev/null; done; exec {PROGRAM} end"
        done = self.run_mpiexec("-n", 1, "--timeout", 30, "bash", "-c", closing)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    at_once.main()
