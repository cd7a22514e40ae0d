# SPDX-License-Identifier: BSD-3-Clause
"""Waiting costs next to nothing: a rank that waits long uses less than 1% of a core, whether every rank has a core or
not. IDLE_SECONDS says how long they wait."""
import os
import re
import subprocess
import unittest

MPIEXEC = os.environ["MPIEXEC"]
IDLE = os.environ["IDLE"]
SECONDS = float(os.environ.get("IDLE_SECONDS", "3"))
CORES = len(os.sched_getaffinity(0))
WAITED = re.compile(r"^rank (\d+) waited ([0-9.]+) s, used ([0-9.]+) s$", re.MULTILINE)


class Idle(unittest.TestCase):
    def check(self, ranks):
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PMIX_", "SLURM_", "PMI_"))}
        done = subprocess.run([MPIEXEC, "-n", str(ranks), IDLE, str(SECONDS)], env=inherited, capture_output=True,
                              stdin=subprocess.DEVNULL, text=True, timeout=SECONDS + 60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        told = [(int(rank), float(waited), float(used)) for rank, waited, used in WAITED.findall(done.stdout)]
        self.assertEqual(sorted(rank for rank, _, _ in told), list(range(ranks - 1)), done.stdout)
        for rank, waited, used in sorted(told):
            print(f"{ranks} ranks, {CORES} cores: rank {rank} waited {waited:.2f} s and used {1000 * used:.1f} ms",
                  flush=True)
            self.assertGreater(waited, 0.9 * SECONDS)
            self.assertLess(used / waited, 0.01)

    def test_a_core_for_every_rank(self):
        if CORES < 2:
            self.skipTest("there is one core only")
        self.check(2)

    def test_more_ranks_than_cores(self):
        self.check(CORES + 2)


if __name__ == "__main__":
    unittest.main()
