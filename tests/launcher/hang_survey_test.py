# SPDX-License-Identifier: BSD-3-Clause
"""Ranks whose launcher makes no wait board find a deadlock by themselves, and end the job with a page."""
import os
import re
import socket
import unittest

import at_once
from launcher_case import LauncherCase, ranks_named, without_places

PROGRAM = os.environ["WAITING_RANKS"]
HOST = socket.gethostname()
WORLD = "on MPI_COMM_WORLD"
NETWORK = {"BOWLINE_NETWORK_REACH": "everywhere", "UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo"}
FAULTS = {"BOWLINE_INJECT_FAULTS": "7"}
ALONE = ("env", "-u", "BOWLINE_WAIT_BOARD")


class HangSurvey(LauncherCase):
    def run_alone(self, *what, seconds=60, **settings):
        """mpiexec makes a board, but the ranks do not learn of it. After --timeout it waits up to five
        seconds for ranks to end by themselves, and a sanitizer and a busy machine add to that."""
        return self.run_mpiexec("--timeout", seconds, "-n", len(what), *ALONE, PROGRAM, *what, timeout=seconds + 60,
                                env=self.environment | {"BOWLINE_HANG_SECONDS": "1"} | settings)

    def page(self, *what, **settings):
        """The page about a deadlock, as lines without the durations of the waits."""
        done = self.run_alone(*what, **settings)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        places = re.findall(r" \(waiting_ranks\.cpp:\d+\), for ", done.stderr)
        self.assertEqual(done.stderr.count(", for "), len(places), done.stderr)
        first, *lines, last = without_places(done.stderr, "waiting_ranks.cpp").splitlines()
        self.assertRegex(first, r"\Abowline: deadlock: .* in MPI for what cannot happen any more.*; the job is ended")
        self.assertRegex(last, r"\Ampiexec: rank \d on .*: the job is ended because its ranks wait for each other")
        return [re.sub(r", for (\d+\.\d to )?\d+\.\d s$", "", line).removeprefix("bowline: ") for line in lines]

    def test_each_rank_has_its_line(self):
        self.assertEqual(self.page("receive", "probe", "ssend"),
                         ["rank 0 waits for rank 1, rank 1 for rank 2, rank 2 for rank 0",
                          f"rank 0 on {HOST}: in MPI_Recv {WORLD} from rank 1, tag 7 (not taken: 1 message {WORLD} "
                          "from rank 2, tag 7)",
                          f"rank 1 on {HOST}: in MPI_Probe {WORLD} from rank 2, tag 7",
                          f"rank 2 on {HOST}: in MPI_Ssend {WORLD} to rank 0, tag 7"])

    def assert_names_all(self, *what, **settings):
        wait = f" on {HOST}: in MPI_"
        told = [line.split(wait)[0] for line in self.page(*what, **settings) if wait in line]
        ranks = sorted(rank for each in told for rank in ranks_named(each.split(maxsplit=1)[1]))
        self.assertEqual(ranks, list(range(len(what))))

    def test_every_way_to_wait_for_ranks(self):
        for what in (["receive_anything"], ["receive_anything"] * 7, ["send", "exchange"], ["waitany", "waitall"],
                     ["met_ibarrier", "met_receive"], ["duplicate", "receive"], ["multiple", "multiple"]):
            with self.subTest(what=what):
                self.assert_names_all(*what)

    @unittest.skipUnless(os.environ["NETWORK"] == "1", "there is no UCX, or a sanitizer that does not see into it")
    def test_over_a_network(self):
        self.assert_names_all("met_receive", "met_barrier", "met_send", "met_exchange", **NETWORK)

    def test_with_messages_that_are_under_way_for_long(self):
        self.assert_names_all("met_receive", "met_barrier", "met_send", **FAULTS)

    def test_another_rank_than_the_first_asks(self):
        """Rank 0 counts as stuck later than rank 1 asks for the first time, and need not ask any more."""
        patient = ("env", "BOWLINE_HANG_SECONDS=8")
        job = ("-n", 1, *ALONE, *patient, PROGRAM, *3 * ["receive"], ":", "-n", 2, *ALONE, PROGRAM, *3 * ["receive"])
        done = self.run_mpiexec("--timeout", 60, *job, timeout=120,
                                env=self.environment | {"BOWLINE_HANG_SECONDS": "1"})
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(f"bowline: rank 0 on {HOST}: in MPI_Recv {WORLD} from rank 1, tag 7", done.stderr)
        self.assertRegex(done.stderr, "mpiexec: rank [12] on .*: the job is ended because its ranks wait")

    def test_ranks_at_their_end(self):
        lines = self.page("own", "end", "end")
        self.assertIn(f"rank 0 on {HOST}: in MPI_Recv {WORLD} from rank 0, tag 7", lines)
        self.assertIn(f" on {HOST}: in MPI_Finalize for rank 0", lines[-1])

    def test_report_and_off(self):
        for hang, pages in (("report", 1), ("off", 0)):
            with self.subTest(hang=hang):
                for seconds in (6, 12, 24, 48):  # a busy machine needs longer to start the ranks
                    done = self.run_alone("receive", "receive", seconds=seconds, BOWLINE_HANG=hang)
                    self.assertEqual(done.returncode, 124)
                    if done.stderr.count("bowline: deadlock: ") == pages:
                        break
                else:
                    self.fail(done.stderr)

    def test_the_straggler_is_found(self):
        first, second, third = self.first_lines(3, "receive", "receive", "compute")
        waited = (rf"bowline: rank {{}} on {re.escape(HOST)} has waited for \d+ s: "
                  f"in MPI_Recv {WORLD} from rank {{}}, tag 7")
        self.assertRegex(first, waited.format(0, 1) + r" \(waiting_ranks\.cpp:\d+\)\n$")
        self.assertRegex(second, waited.format(1, 2) + "\n$")
        self.assertEqual(third, "bowline: rank 2 has not answered for 5 s: it computes or is stopped; a wait of 60 s "
                                "is told again\n")
        _, second = self.first_lines(2, "receive", "poll")
        self.assertIn(f"rank 1 on {HOST} is in MPI, but does not wait there: it polls or communicates", second)

    def first_lines(self, count, *what):
        """What a job that does not end says first."""
        job = self.start_mpiexec("--timeout", 60, "-n", len(what), *ALONE, PROGRAM, *what,
                                 env=self.environment | {"BOWLINE_HANG_SECONDS": "1"})
        lines = [job.stderr.readline() for _ in range(count)]
        self.kill_mpiexec(job)
        return lines

    def test_waits_that_something_else_may_end(self):
        for what in (["receive", "compute"], ["generalized", "receive"], ["threads", "threads"], ["receive", "poll"]):
            with self.subTest(what=what):
                done = self.run_alone(*what, seconds=6)
                self.assertEqual(done.returncode, 124)
                self.assertNotIn("deadlock", done.stderr)


if __name__ == "__main__":
    at_once.main()
