# SPDX-License-Identifier: BSD-3-Clause
"""Processes that nobody has launched spawn others, and what the ends of parents and children mean for each other. SPAWN
and OFFSPRING are the programs of spawn.cpp and offspring.cpp."""
import os
import pathlib
import re
import subprocess
import tempfile
import time
import unittest

MPIEXEC = os.environ["MPIEXEC"]
SPAWN, OFFSPRING = os.environ["SPAWN"], os.environ["OFFSPRING"]
PATIENCE = 100


class Spawn(unittest.TestCase):
    @staticmethod
    def run_program(*command, **options):
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PMIX_", "SLURM_", "PMI_"))}
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
        return subprocess.run(command, stdin=subprocess.DEVNULL, text=True, timeout=PATIENCE, check=False,
                              env=inherited | {"BOWLINE_MPIEXEC": MPIEXEC}, **options)

    def test_a_process_without_a_launcher_spawns(self):
        ran = self.run_program(SPAWN, "alone")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.assertRegex(ran.stdout, r"\Arank 0 of 1: \d+ checks passed\n\Z")
        self.assertRegex(ran.stderr, r"\A(mpiexec: [^\n]*\n)*\Z")  # why programs did not start

    def test_what_a_process_without_a_launcher_and_its_children_know(self):
        ran = self.run_program(OFFSPRING, "alone")
        self.assertRegex(ran.stdout, r"\Arank 0 of 1: \d+ checks passed\n\Z", ran.stderr)

    def check_outliving(self, *words):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            with open(folder / "output", "wb") as output:  # the child has it, too: a pipe would not end
                ran = self.run_program(OFFSPRING, "outlived", name, *words, stdout=output, stderr=output)
            self.assertEqual(ran.returncode, 3, (folder / "output").read_text(encoding="utf-8"))
            child = int((folder / "child").read_text(encoding="ascii"))
            time.sleep(1)  # mpiexec would end it at once
            self.assertTrue(os.path.exists(f"/proc/{child}"))
            (folder / "go").touch()
            deadline = time.monotonic() + PATIENCE
            while not (folder / "done").exists() or os.path.exists(f"/proc/{child}"):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.02)

    def test_children_outlive_a_process_without_a_launcher(self):
        self.check_outliving("parted")

    def test_children_outlive_a_process_with_which_they_are_connected(self):
        self.check_outliving()

    def test_children_that_have_parted_harm_nobody(self):
        ran = self.run_program(MPIEXEC, "-n", "2", SPAWN, "parted")
        self.assertRegex(ran.stdout, r"\Arank 0 of 2: \d+ checks passed\n\Z", ran.stderr)
        lines = ran.stderr.splitlines()
        self.assertEqual(sum(bool(re.search("MPI_Abort was called .* with code 9", line)) for line in lines), 2, lines)
        self.assertEqual(sum("without MPI_Finalize" in line for line in lines), 2, lines)
        self.assertIn(ran.returncode, (7, 9))  # no failure passes in silence


if __name__ == "__main__":
    unittest.main()
