# SPDX-License-Identifier: BSD-3-Clause
"""Waiting costs next to nothing: a rank that waits long sleeps, and long each time, whether every rank has a core or
not. What that takes of a core `perf/compare` says."""
import os
import re
import subprocess
import unittest

MPIEXEC = os.environ["MPIEXEC"]
IDLE = os.environ["IDLE"]
CORES = len(os.sched_getaffinity(0))
YIELDS = 1000  # of a wait before its first sleep (src/base/wait.cpp)
# Seconds, on average. Nobody wakes a rank before its message comes, so it sleeps for a tenth of a second each time. The
# system counts other waits too: for a page of the program, for a lock of the sanitizer.
LEAST_SLEEP = 0.02
TOLD = re.compile(r"^rank (\d+) slept (\d+) times, yielded (\d+) times, waited ([0-9.]+) s$", re.MULTILINE)


class Idle(unittest.TestCase):
    def check(self, ranks):
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PMIX_", "SLURM_", "PMI_"))}
        done = subprocess.run([MPIEXEC, "-n", str(ranks), IDLE], stdin=subprocess.DEVNULL, capture_output=True,
                              env=inherited, text=True, timeout=100, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        told = sorted((int(rank), int(slept), int(yielded), float(waited))
                      for rank, slept, yielded, waited in TOLD.findall(done.stdout))
        self.assertEqual([rank for rank, *_ in told], list(range(ranks - 1)), done.stdout)
        for rank, slept, yielded, waited in told:
            print(f"{ranks} ranks, {CORES} cores: rank {rank} slept {slept} times and yielded {yielded} times in "
                  f"{waited:.2f} s", flush=True)
            self.assertLess(yielded, 5 * YIELDS)  # something may arrive that is not waited for
            self.assertGreater(waited / slept, LEAST_SLEEP)

    def test_a_core_for_every_rank(self):
        if CORES < 2:
            self.skipTest("there is one core only")
        self.check(2)

    def test_more_ranks_than_cores(self):
        self.check(CORES + 2)


if __name__ == "__main__":
    unittest.main()
