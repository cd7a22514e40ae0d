# SPDX-License-Identifier: BSD-3-Clause
"""Ranks that communicate, pause, poll and compute at random, and that are stopped by signals: nobody takes that for a
deadlock, although all waits are judged after one second.

SECONDS in the environment says for how long; SEED=N gives the first job this seed, the others the numbers after it.
"""
import os
import random
import re
import signal
import sys
import threading
import unittest

import at_once
from launcher_case import LauncherCase

PROGRAM = os.environ["IRREGULAR_RANKS"]
SECONDS = int(os.environ["SECONDS"])
SEED = int(os.environ.get("SEED") or random.randrange(1, 1 << 30))
RANKS = 4
ALONE = ("env", "-u", "BOWLINE_WAIT_BOARD")  # the ranks judge by themselves
NETWORK = {"BOWLINE_NETWORK_REACH": "everywhere", "UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo"}


class FalseAlarms(LauncherCase):
    def run_irregularly(self, seed, *wrapper, **settings):
        print(f"{SECONDS} s with seed {seed}", *wrapper, *settings, file=sys.stderr, flush=True)
        job = self.start_mpiexec("--timeout", SECONDS + 120, "-n", RANKS, *wrapper, PROGRAM, SECONDS, seed,
                                 env=self.environment | {"BOWLINE_HANG_SECONDS": "1"} | settings)
        over = threading.Event()
        stopper = threading.Thread(target=self.stop_ranks, args=(job, random.Random(seed), over))
        stopper.start()
        try:
            out, err = job.communicate(timeout=SECONDS + 150)
        finally:
            over.set()
            stopper.join()
        self.assertEqual(job.returncode, 0, err)
        self.assertNotIn("deadlock", err)
        self.assertRegex(out, re.compile(r"\A[1-9]\d* rounds\n"))

    def stop_ranks(self, job, draw, over):
        """Now and then a rank does nothing for up to three seconds."""
        while not over.wait(draw.uniform(0, 4)):
            ranks = [pid for pid in self.processes() if pid != job.pid and self.is_rank(pid)]
            if not ranks:
                continue
            stopped = draw.choice(ranks)
            try:
                os.kill(stopped, signal.SIGSTOP)
                over.wait(draw.uniform(0, 3))
                os.kill(stopped, signal.SIGCONT)
            except ProcessLookupError:
                pass

    @staticmethod
    def is_rank(pid):
        try:
            return os.readlink(f"/proc/{pid}/exe") == os.path.realpath(PROGRAM)
        except OSError:
            return False

    def test_mpiexec(self):
        self.run_irregularly(SEED)

    def test_ranks(self):
        self.run_irregularly(SEED + 1, *ALONE)

    def test_ranks_with_messages_under_way_for_long(self):
        self.run_irregularly(SEED + 2, *ALONE, BOWLINE_INJECT_FAULTS="7")

    @unittest.skipUnless(os.environ["NETWORK"] == "1", "there is no UCX, or a sanitizer that does not see into it")
    def test_over_a_network(self):
        self.run_irregularly(SEED + 3, **NETWORK)

    @unittest.skipUnless(os.environ["NETWORK"] == "1", "there is no UCX, or a sanitizer that does not see into it")
    def test_ranks_over_a_network(self):
        self.run_irregularly(SEED + 4, *ALONE, **NETWORK)


if __name__ == "__main__":
    at_once.main()
