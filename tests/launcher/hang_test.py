# SPDX-License-Identifier: BSD-3-Clause
"""mpiexec ends a deadlocked job with a page about its ranks, and no other job. It prints the page when a user asks."""
import os
import re
import signal
import socket
import subprocess
import unittest

import at_once
from launcher_case import LauncherCase, eventually, ranks_named, without_places

PROGRAM = os.environ["WAITING_RANKS"]
HOST = socket.gethostname()
WORLD = "on MPI_COMM_WORLD"
NETWORK = {"BOWLINE_NETWORK_REACH": "everywhere", "UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo"}


class Hang(LauncherCase):
    def setUp(self):
        super().setUp()
        self.environment = self.environment | {"BOWLINE_HANG_SECONDS": "1"}

    def page(self, *what, **settings):
        """The page about a deadlock, as lines without the durations of the waits."""
        done = self.run_mpiexec("--timeout", 60, "-n", len(what), PROGRAM, *what, env=self.environment | settings)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        places = re.findall(r" \(waiting_ranks\.cpp:\d+\), for ", done.stderr)
        self.assertEqual(done.stderr.count(", for "), len(places), done.stderr)
        first, *lines = without_places(done.stderr, "waiting_ranks.cpp").splitlines()
        self.assertRegex(first, r"\Ampiexec: deadlock: .* in MPI for what cannot happen any more.*; the job is ended")
        return [re.sub(r", for (\d+\.\d to )?\d+\.\d s$", "", line).removeprefix("mpiexec: ") for line in lines]

    def test_a_cycle_is_named(self):
        lines = self.page("receive", "probe", "ssend")
        self.assertEqual(lines, ["rank 0 waits for rank 1, rank 1 for rank 2, rank 2 for rank 0",
                                 f"rank 0 on {HOST}: in MPI_Recv {WORLD} from rank 1, tag 7 (not taken: 1 message "
                                 f"{WORLD} from rank 2, tag 7)",
                                 f"rank 1 on {HOST}: in MPI_Probe {WORLD} from rank 2, tag 7",
                                 f"rank 2 on {HOST}: in MPI_Ssend {WORLD} to rank 0, tag 7"])

    def test_a_missing_call_is_named(self):
        lines = self.page("barrier", "receive", "barrier", "barrier", BOWLINE_COLLECTIVES="barrier = flags")
        self.assertRegex(lines[0], "rank 1 (waits )?for rank 2")
        self.assertEqual(lines[1], f"rank 1 on {HOST}: in MPI_Recv {WORLD} from rank 2, tag 7")
        self.assertIn(f" on {HOST}: in MPI_Barrier {WORLD}, operation 1, awaiting rank 1", lines[-1])

    def test_every_way_to_wait_for_ranks(self):
        for what in (["receive_anything"], ["receive_anything"] * 2, ["mprobe", "mprobe"], ["exchange", "exchange"],
                     ["send", "send"], ["wait", "waitall"], ["waitany", "waitany"], ["broadcast", "receive"],
                     ["met_ibarrier", "met_receive"], ["duplicate", "receive"]):
            with self.subTest(what=what):
                wait = f" on {HOST}: in MPI_"
                told = [line.split(wait)[0] for line in self.page(*what) if wait in line]
                ranks = sorted(rank for each in told for rank in ranks_named(each.split(maxsplit=1)[1]))
                self.assertEqual(ranks, list(range(len(what))))

    def test_one_thread_of_a_program_that_may_have_several(self):
        self.assertEqual(len(self.page("multiple", "multiple")), 3)

    @unittest.skipUnless(os.environ["NETWORK"] == "1", "there is no UCX, or a sanitizer that does not see into it")
    def test_over_a_network(self):
        lines = self.page("met_receive", "met_barrier", "met_send", **NETWORK)
        self.assertRegex(lines[0], "^rank 0 waits for rank 1, rank 1 for rank ")

    def test_report_and_off(self):
        for hang, told in (("report", True), ("off", False)):
            with self.subTest(hang=hang):
                for seconds in (6, 12, 24, 48):  # a busy machine needs longer to start the ranks
                    done = self.run_mpiexec("--timeout", seconds, "-n", 2, "-x", f"BOWLINE_HANG={hang}", PROGRAM,
                                            "receive", "receive")
                    self.assertEqual(done.returncode, 124)
                    if done.stderr.count("mpiexec: deadlock: ") == int(told):
                        break
                else:
                    self.fail(done.stderr)

    def test_settings_are_checked(self):
        for setting, allowed in (("BOWLINE_HANG=x", "end, report"), ("BOWLINE_HANG_SECONDS=0", "1 to 86400")):
            with self.subTest(setting=setting):
                done = self.run_mpiexec("-x", setting, "-n", 1, PROGRAM, "receive")
                self.assertEqual(done.returncode, 2)
                self.assertIn(allowed, done.stderr)

    def assert_silent(self, *what, **settings):
        done = self.run_mpiexec("--timeout", 6, "-n", len(what), PROGRAM, *what, env=self.environment | settings)
        self.assertEqual(done.returncode, 124)
        self.assertNotIn("deadlock", done.stderr)

    def test_stragglers_are_named_once(self):
        job = self.start_mpiexec("--timeout", 60, "-n", 3, PROGRAM, "barrier", "compute", "barrier",
                                 env=self.environment)
        line = job.stderr.readline()
        self.assertEqual(line, "mpiexec: the other ranks have waited in MPI for 6 s and longer, but rank 1 does not "
                               "wait in MPI: it computes, polls or is stopped; this is told again after 60 s\n")
        self.assertEqual(job.stderr.readline(), f"mpiexec: rank 1 on {HOST}: not waiting in MPI\n")
        self.assertIn("in MPI_Barrier", job.stderr.readline())
        with self.assertRaises(subprocess.TimeoutExpired):
            job.wait(3)
        job.send_signal(signal.SIGTERM)
        _, _, err = self.assert_ends(job)
        self.assertNotIn("the other ranks", err)

    def test_waits_that_something_else_may_end(self):
        self.assert_silent("receive", "compute")
        self.assert_silent("generalized", "generalized")
        self.assert_silent("threads", "threads")
        self.assert_silent("receive", "before_init")

    def test_the_end_of_mpi_is_abandoned_by_itself(self):
        done = self.run_mpiexec("--timeout", 60, "-n", 2, PROGRAM, "finalize", "finalize")
        self.assertIn("MPI_Finalize", done.stderr)
        self.assertNotIn("deadlock", done.stderr)

    def test_a_stopped_rank_may_go_on(self):
        job = self.asked(signal.SIGUSR1, "receive", "receive", BOWLINE_HANG_SECONDS="5")
        stopped = self.ranks_of(job)[0]
        os.kill(stopped, signal.SIGSTOP)
        with self.assertRaises(subprocess.TimeoutExpired, msg="the stopped rank may still send"):
            job.wait(8)
        os.kill(stopped, signal.SIGCONT)
        status, _, err = self.assert_ends(job)
        self.assertEqual(status, 1, err)

    def asked(self, number, *what, **settings):
        """A job whose first rank waits in MPI_Recv, as mpiexec says when it gets the signal."""
        job = self.start_mpiexec("--timeout", 60, "-n", len(what), PROGRAM, *what, env=self.environment | settings)
        self.assertTrue(eventually(lambda: self.ranks_of(job)))
        line = ""
        while f"rank 0 on {HOST}: in MPI_Recv {WORLD} from rank 1, tag 7, for " not in line:
            job.send_signal(number)
            line = without_places(job.stderr.readline(), "waiting_ranks.cpp")
            self.assertNotEqual(line, "")
        return job

    def test_a_user_asks(self):
        """The ranks would not survive the signals, and do not get them."""
        for number in (signal.SIGQUIT, signal.SIGUSR1):
            with self.subTest(number=number):
                job = self.asked(number, "receive", "compute")
                self.assertIsNone(job.poll())
                job.send_signal(signal.SIGINT)
                _, _, err = self.assert_ends(job)
                self.assertIn(f"rank 1 on {HOST}: not waiting in MPI\n", err)
                self.assertRegex(err, r"ended by signal 2")

    def ranks_of(self, job):
        """The process ids of the ranks, in the order in which they were started."""
        children = f"/proc/{self.job_process(job)}/task/{self.job_process(job)}/children"
        with open(children, encoding="utf-8") as file:
            return [int(each) for each in file.read().split()]


if __name__ == "__main__":
    at_once.main()
