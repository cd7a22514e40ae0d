# SPDX-License-Identifier: BSD-3-Clause
"""Ranks that end at random times after random work with communicators: each job ends well, so nobody takes one that has
finished for lost.

RUNS says how many jobs; TEST_SEED is the seed of the first one, the next ones count on from it."""
import concurrent.futures
import os
import random
import subprocess
import unittest

MPIEXEC = os.environ["MPIEXEC"]
PROGRAM = os.environ["PROGRAM"]
RUNS = int(os.environ.get("RUNS", "12"))
FIRST_SEED = int(os.environ.get("TEST_SEED", random.randrange(1 << 31)))
AT_ONCE = 3
LONGEST_S = 100


def run(seed):
    """One job; says what went wrong, or nothing."""
    ranks = 2 + seed % 6
    job = [MPIEXEC, "--timeout", str(LONGEST_S), "-n", str(ranks), PROGRAM, str(seed)]
    done = subprocess.run(job, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LONGEST_S + 20,
                          check=False)
    if done.returncode == 0 and not done.stderr:
        return None
    return f"seed {seed}, {ranks} ranks, status {done.returncode}: {done.stdout}{done.stderr}"


class Leaving(unittest.TestCase):
    def test_jobs_end_well(self):
        print(f"seeds {FIRST_SEED} to {FIRST_SEED + RUNS - 1}", flush=True)
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as jobs:
            failures = [failure for failure in jobs.map(run, range(FIRST_SEED, FIRST_SEED + RUNS)) if failure]
        self.assertEqual(failures, [], "\n".join(failures))


if __name__ == "__main__":
    unittest.main()
