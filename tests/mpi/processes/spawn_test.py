# SPDX-License-Identifier: BSD-3-Clause
"""Processes that nobody has launched spawn others, and what the ends of parents and children mean for each other. SPAWN
is the program of spawn.cpp."""
import os
import re
import subprocess
import unittest

MPIEXEC = os.environ["MPIEXEC"]
SPAWN = os.environ["SPAWN"]
PATIENCE = 100


class Spawn(unittest.TestCase):
    @staticmethod
    def run_program(*command):
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PMIX_", "SLURM_", "PMI_"))}
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE,
                              env=inherited | {"BOWLINE_MPIEXEC": MPIEXEC}, check=False)

    def test_a_process_without_a_launcher_spawns(self):
        ran = self.run_program(SPAWN, "alone")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.assertRegex(ran.stdout, r"\Arank 0 of 1: \d+ checks passed\n\Z")
        self.assertRegex(ran.stderr, r"\A(mpiexec: [^\n]*\n)*\Z")  # why programs did not start

    def test_children_that_have_parted_harm_nobody(self):
        ran = self.run_program(MPIEXEC, "-n", "2", SPAWN, "parted")
        self.assertRegex(ran.stdout, r"\Arank 0 of 2: \d+ checks passed\n\Z", ran.stderr)
        lines = ran.stderr.splitlines()
        self.assertEqual(sum(bool(re.search("MPI_Abort was called .* with code 9", line)) for line in lines), 2, lines)
        self.assertEqual(sum("without MPI_Finalize" in line for line in lines), 2, lines)
        self.assertIn(ran.returncode, (7, 9))  # no failure passes in silence


if __name__ == "__main__":
    unittest.main()
