# SPDX-License-Identifier: BSD-3-Clause
"""mpiexec --report makes the report of what its ranks write. What the records say: mpi.report_record."""
import json
import os
import pathlib
import signal
import unittest

from launcher_case import MPIEXEC, LauncherCase

LATE, LOSING = os.environ["REPORT_LATE"], os.environ["LOSING_RANKS"]
ALLOCATION = {"SLURM_JOB_ID": "77", "SLURM_JOB_NUM_NODES": "2", "SLURM_JOB_CPUS_PER_NODE": "4(x2)"}


class ReportOption(LauncherCase):
    def run_report(self, where, *words):
        return self.run_mpiexec("--report", where, *words)

    def test_text_after_the_output_of_the_ranks(self):
        done = self.run_report("-", "-n", 3, LATE, 0.5)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertRegex(lines[0], "rank 0 of 3: .* checks passed")
        self.assertIn("Job report: ", lines[1])
        self.assertIn("MPI_Bcast at report_late.cpp:", done.stdout)

    def test_a_page_and_a_document(self):
        for name, begin in (("job.html", "<!DOCTYPE html>"), ("job", "<!DOCTYPE html>"), ("job.json", "{")):
            done = self.run_report(name, "-n", 2, LATE, 0.1)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            text = (pathlib.Path(self.directory) / name).read_text()
            self.assertTrue(text.startswith(begin), text[:80])
        self.assertEqual(json.loads(text)["ranks"], 2)

    def test_ranks_without_a_record(self):
        done = self.run_report("-", "--keep-going", "-n", 3, LOSING, "kill")
        self.assertIn(f"signal {int(signal.SIGKILL)}", done.stderr)
        self.assertIn("3 ranks", done.stdout)
        self.assertIn("Rank 1 left no record", done.stdout)

    def test_spawned_jobs_are_not_part_of_it(self):
        done = self.run_report("-", "-n", 2, LOSING, "none", 0, "spawn")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 ranks on 1 node", done.stdout)

    def test_a_job_in_a_job_is_not_part_of_it(self):
        inner = f"{MPIEXEC} -n 2 {LATE} 0.1; exec {LATE} 0.1"
        done = self.run_report("-", "-n", 1, "sh", "-c", inner)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 rank on 1 node", done.stdout)

    def test_nothing_to_tell(self):
        done = self.run_report("-", "-n", 2, "true")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertEqual(done.stderr, "mpiexec: --report -: no rank has written where its time went: ranks of Bowline "
                                      "do that in MPI_Finalize\n")

    def test_bad_input(self):
        here = str(self.directory)
        for where, words in ((here, ["is a directory", "name a file"]),
                             ("nowhere/job.html", ["nowhere", "is not a directory where files can be made"])):
            done = self.run_report(where, "-n", 2, "true")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, r"\Ampiexec: --report [^\n]+\n\Z")
            for word in words:
                self.assertIn(word, done.stderr)

    def test_other_launchers(self):
        for words, variables, named in (((), ALLOCATION, "srun"), (("--host", "elsewhere"), {}, "elsewhere")):
            done = self.run_mpiexec("--report", "-", *words, "-n", 2, "true", env=self.environment | variables)
            self.assertEqual(done.returncode, 2, done.stderr)  # without prterun mpiexec says so
            self.assertRegex(done.stderr, rf"\Ampiexec: [^\n]*{named}[^\n]*\n\Z")


if __name__ == "__main__":
    unittest.main()
