# SPDX-License-Identifier: BSD-3-Clause
"""mpiexec --record tells how a job ended, however it ends. The ranks are scripts that copy prepared recordings."""
import json
import os
import pathlib
import shlex
import signal
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
# pylint: disable=wrong-import-position
import flight_files
from launcher_case import MPIEXEC, LauncherCase

LATE, FLIGHT = os.environ["REPORT_LATE"], os.environ["FLIGHT"]
ALLOCATION = {"SLURM_JOB_ID": "77", "SLURM_JOB_NUM_NODES": "2", "SLURM_JOB_CPUS_PER_NODE": "4(x2)"}
VARIABLE = "BOWLINE_FLIGHT_RECORDER"
SENTENCE = "Rank 2 ended without MPI_Finalize, at most 12.5 ms after its last event (message_unexpected); 3 ranks "


class RecordOption(LauncherCase):
    def setUp(self):
        super().setUp()
        self.prepared = self.directory / "prepared"
        flight_files.killed_job(self.prepared)

    def keeping(self, then="true"):
        """A program that does what a rank with a recorder does, and then this."""
        copied = f'cp {shlex.quote(str(self.prepared))}/rank-$PMIX_RANK.flight "${VARIABLE}"'
        return ["sh", "-c", f"{copied}; {then}"]

    def run_record(self, where, *words):
        return self.run_mpiexec("--record", where, *words)

    def test_text_after_the_output_of_the_ranks(self):
        done = self.run_record("-", "-n", 4, *self.keeping("echo done"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertEqual(lines[:4], ["done"] * 4)
        self.assertTrue(lines[4].startswith(SENTENCE), lines[4])
        self.assertIn(" rank 3 wait_begun context=5 process=2", done.stdout)

    def test_files(self):
        for name, begin in (("end.html", "<!DOCTYPE html>"), ("end.svg", "<svg "), ("end.json", "{")):
            done = self.run_record(name, "-n", 4, *self.keeping())
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            text = (self.directory / name).read_text(encoding="utf-8")
            self.assertTrue(text.startswith(begin), text[:80])
        self.assertEqual({e["pid"] for e in json.loads(text)["traceEvents"]}, set(range(4)))

    def test_a_rank_is_killed(self):
        kill = f"if [ $PMIX_RANK = 2 ]; then {self.when_all_have_kept(0, 1, 3)}; kill -9 $$; fi"
        end = f"touch kept.$PMIX_RANK; {kill}; sleep 60"
        done = self.run_record("-", "-n", 4, *self.keeping(end))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(f"signal {int(signal.SIGKILL)}", done.stderr)
        self.assertTrue(done.stdout.startswith(SENTENCE), done.stdout)
        self.assertRegex(done.stdout, rf"\nRank 2 on \S+ was killed by signal {int(signal.SIGKILL)}[^\n]*\.\n")

    def test_mpiexec_knows_which_rank_was_the_first(self):
        """Rank 0 noticed the end of rank 2, but rank 3 has ended before."""
        kill = f"if [ $PMIX_RANK = 3 ]; then {self.when_all_have_kept(0, 1, 2)}; kill -9 $$; fi"
        done = self.run_record("-", "-n", 4, *self.keeping(f"touch kept.$PMIX_RANK; {kill}; sleep 60"))
        lines = done.stdout.splitlines()
        self.assertTrue(lines[0].startswith("Rank 3 ended without MPI_Finalize, some time after"), lines[0])
        self.assertRegex(lines[1], r"^Rank 3 on \S+ was killed by .*\.$")
        self.assertEqual(lines[2], "Ranks 0 to 2 ended without MPI_Finalize, too.")

    def test_a_rank_of_mpi_is_killed(self):
        """What the library itself keeps: rank 1 kills itself, while rank 0 waits for it or is about to."""
        done = self.run_record("-", "-n", 2, FLIGHT, "killed")
        self.assertIn(f"signal {int(signal.SIGKILL)}", done.stderr)
        lines = done.stdout.splitlines()
        self.assertTrue(lines[0].startswith("Rank 1 ended without MPI_Finalize, "), lines[0])
        self.assertEqual(lines[2:4], ["Rank 0 ended without MPI_Finalize, too.", ""])
        self.assertRegex("\n".join(lines), r"\n\S+ rank 1 collective_ended [^\n]*operation=allreduce")

    def test_ranks_of_mpi_end(self):
        done = self.run_record("end.html", "-n", 2, FLIGHT, "finalized")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("All 2 ranks ended with MPI_Finalize", (self.directory / "end.html").read_text(encoding="utf-8"))

    def test_a_rank_is_killed_and_the_others_go_on(self):
        end = "if [ $PMIX_RANK = 2 ]; then kill -9 $$; fi"
        done = self.run_record("-", "--keep-going", "-n", 4, *self.keeping(end))
        self.assertIn(f"signal {int(signal.SIGKILL)}", done.stderr)
        self.assertTrue(done.stdout.startswith(SENTENCE), done.stdout)

    def test_the_time_limit(self):
        done = self.run_record("end.html", "--timeout", 6, "-n", 4, *self.keeping("sleep 60"))
        self.assertEqual(done.returncode, 124, done.stderr)
        self.assertIn(SENTENCE, (self.directory / "end.html").read_text(encoding="utf-8"))

    def test_a_signal_to_mpiexec(self):
        job = self.start_mpiexec("--record", "end.html", "-n", 4, *self.keeping("touch kept.$PMIX_RANK; sleep 60"))
        self.wait_for_files(*(f"kept.{rank}" for rank in range(4)))
        job.send_signal(signal.SIGTERM)
        self.assert_ends(job)
        self.assertIn(SENTENCE, (self.directory / "end.html").read_text(encoding="utf-8"))

    def test_with_a_report(self):
        done = self.run_record("-", "--report", "-", "-n", 2, *self.keeping(f"exec {LATE} 0.1"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Job report: ", done.stdout)
        self.assertRegex(done.stdout, r"Job report: (.|\n)* ended with(out)? MPI_Finalize")

    def test_a_job_in_a_job_keeps_nothing(self):
        inner = f'{MPIEXEC} -n 1 sh -c "echo in ${{{VARIABLE}-nothing}}"'
        program = ["sh", "-c", inner.replace("$", "\\$")]
        done = self.run_record("end.html", "-n", 1, *program)
        self.assertEqual((done.returncode, done.stdout), (0, "in nothing\n"), done.stderr)

    def test_nothing_is_kept(self):
        done = self.run_record("-", "-n", 2, "true")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertEqual(done.stderr, "mpiexec: --record -: no rank has kept its last events: ranks of Bowline do that "
                                      "from MPI_Init on\n")

    def test_a_damaged_recording(self):
        (self.prepared / "rank-1.flight").write_bytes(b"")
        done = self.run_record("-", "-n", 4, *self.keeping())
        self.assertRegex(done.stderr, r"\Ampiexec: --record -: \S+/rank-1.flight is cut off: [^\n]+\n\Z")
        self.assertIn("Rank 1 has no recording.", done.stdout)

    def test_bad_input(self):
        for where, words in (("end.pdf", ["must end with .html, .svg or .json"]), ("end", ["must end with"]),
                             ("nowhere/end.html", ["nowhere", "is not a directory where files can be made"])):
            done = self.run_record(where, "-n", 1, "touch", "started")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, r"\Ampiexec: --record [^\n]+\n\Z")
            for word in words:
                self.assertIn(word, done.stderr)
        self.assertFalse((self.directory / "started").exists())

    def test_other_launchers(self):
        done = self.run_mpiexec("--record", "-", "-n", 2, "true", env=self.environment | ALLOCATION)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, rf"\Ampiexec: --record -: [^\n]*srun[^\n]*{VARIABLE}=FOLDER[^\n]*\n\Z")

    @staticmethod
    def when_all_have_kept(*ranks):
        files = " ".join(f"kept.{rank}" for rank in ranks)
        return f"until ls {files} >/dev/null 2>&1; do sleep 0.01; done"


if __name__ == "__main__":
    unittest.main()
