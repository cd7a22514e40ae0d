# SPDX-License-Identifier: BSD-3-Clause
"""Several jobs in one event loop with one PMIx server: each starts, fails and ends alone, and their ranks read each
other's keys. SEVERAL_JOBS is the program of several_jobs.cpp."""
import os
import pathlib
import re
import signal
import socket
import subprocess
import unittest

from launcher_case import CLIENT, PATIENCE, LauncherCase

HOST = socket.gethostname()
SEVERAL_JOBS = os.environ["SEVERAL_JOBS"]


class SeveralJobs(LauncherCase):
    def start(self, *jobs):
        """Each job: a list of arguments."""
        arguments = []
        for index, job in enumerate(jobs):
            arguments += [":"] * (index > 0) + job
        process = subprocess.Popen([SEVERAL_JOBS, *map(str, arguments)], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment,
                                   cwd=self.directory)
        self.addCleanup(self.stop, process)
        return process

    @staticmethod
    def job(index, ranks, *command, when=None, options=()):
        """Each rank makes the file `there.INDEX.RANK`; `ended.INDEX` tells that the job has ended before others."""
        script = f'touch there.{index}.$PMIX_RANK; exec "$@"'
        return [*(["--when", when] if when else []), "--ended", f"ended.{index}",
                *options, "-n", ranks, "--env", f"JOB={index}", "sh", "-c", script, "sh", *command]

    @staticmethod
    def script(text):
        return "sh", "-c", text

    WAITS = "until [ -e go ]; do sleep 0.01; done"
    STAYS = ("sh", "-c", f"{WAITS}; echo stayed")

    def finish(self, process, status):
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, status, out + err)
        self.assert_nothing_left()
        return sorted(out.splitlines()), err.splitlines()

    def go(self):
        (self.directory / "go").touch()

    def test_ranks_read_the_keys_of_a_job_that_was_added_later(self):
        ranks = [2, 3]
        met, read = (",".join(f"{what}.{job}.{rank}" for job in (0, 1) for rank in range(ranks[job]))
                     for what in ("met", "read"))
        process = self.start(self.job(0, ranks[0], CLIENT, "meet", met, "stay", read),
                             self.job(1, ranks[1], CLIENT, "meet", met, "stay", read, when="met.0.1"))
        out, err = self.finish(process, 0)
        expected = [f"job {1 - job} rank {rank}: its card" for job in (0, 1) for _ in range(ranks[job])
                    for rank in range(ranks[1 - job])]
        self.assertEqual([line for line in out if "card" in line], sorted(expected))
        self.assertEqual(err, [])

    def test_keys_of_a_job_that_has_ended(self):
        """Rank 0 has read them before, rank 1 has not."""
        process = self.start(
            self.job(0, 2, "sh", "-c", f"case $PMIX_RANK in 0) exec {CLIENT} meet met.1.0,met.1.1 again go;; "
                                       f"*) exec {CLIENT} meet go;; esac"),
            self.job(1, 2, CLIENT, "meet", "read.0.0"))
        self.wait_for_files("ended.1")
        self.go()
        out, err = self.finish(process, 0)
        self.assertEqual([line for line in out if line.startswith("job 1")],
                         [f"job 1 rank {rank}: {answer}" for rank in (0, 1)
                          for answer in ("NOT-FOUND", "its card", "its card")])
        self.assertEqual(err, [])

    def test_one_fails_while_the_other_continues(self):
        for failing, command, status, words in (
                (1, (CLIENT, "leave", 3), 3, "job 1: rank 1 on {} exited with status 3"),
                (0, (CLIENT, "crash"), 128 + signal.SIGSEGV, "rank 1 on {} was killed by signal 11"),
                (1, (CLIENT, "abort", 7, "for a reason"), 7, "job 1: rank 1 on {} called MPI_Abort with code 7")):
            with self.subTest(command=command):
                jobs = [self.job(0, 2, *self.STAYS), self.job(1, 2, *self.STAYS)]
                jobs[failing] = self.job(failing, 2, *command)
                process = self.start(*jobs)
                self.wait_for_files(f"ended.{failing}")
                self.go()
                out, err = self.finish(process, status)
                self.assertEqual(out, ["stayed", "stayed"])
                self.assertEqual(len(err), 1, err)
                self.assertRegex(err[0], rf"\Ampiexec: {words.format(re.escape(HOST))}.*other rank is ended\Z")
                for file in self.directory.glob("*.*"):
                    file.unlink()
                (self.directory / "go").unlink()

    def test_the_status_is_that_of_the_job_with_the_lowest_number(self):
        process = self.start(self.job(0, 1, "true"), self.job(1, 1, *self.script(f"{self.WAITS}; exit 5")),
                             self.job(2, 1, *self.script("exit 4")))
        self.wait_for_files("ended.2")
        self.go()
        self.finish(process, 5)

    def test_an_abort_that_names_ranks_of_both(self):
        process = self.start(self.job(0, 1, CLIENT, "meet", "met.1.0,met.1.1", "end"),
                             self.job(1, 2, CLIENT, "meet", "never"), self.job(2, 1, *self.STAYS))
        self.wait_for_files("ended.1")
        self.go()
        out, err = self.finish(process, 9)
        self.assertIn("stayed", out)
        self.assertEqual(err, [f"mpiexec: rank 0 on {HOST} called MPI_Abort with code 9: enough; the other 2 ranks are "
                               "ended"])

    def test_what_a_job_leaves_behind_ends_with_it(self):
        """And what another job has left to itself stays as long as that job does."""
        leave = ("setsid sh -c 'echo $$ > left.{0}.new; mv left.{0}.new left.{0}; sleep 60' & "
                 "until [ -e left.{0} ]; do sleep 0.01; done")
        process = self.start(self.job(0, 1, *self.script(f"{leave.format(0)}; {self.WAITS}")),
                             self.job(1, 1, *self.script(leave.format(1)), when="left.0"))
        self.wait_for_files("left.0", "left.1")
        stays, goes = (int((self.directory / f"left.{job}").read_text(encoding="utf-8")) for job in (0, 1))
        self.wait_for_files("ended.1")
        self.assertFalse(pathlib.Path(f"/proc/{goes}").exists())
        self.assertTrue(pathlib.Path(f"/proc/{stays}").exists())
        self.go()
        self.finish(process, 0)

    def test_a_signal_asks_all_to_end(self):
        process = self.start(self.job(0, 2, *self.STAYS), self.job(1, 1, *self.STAYS))
        self.wait_for_files("there.0.0", "there.0.1", "there.1.0")
        process.send_signal(signal.SIGTERM)
        self.finish(process, 128 + signal.SIGTERM)

    def test_the_time_limit_holds_for_all(self):
        process = self.start(self.job(0, 1, *self.STAYS, options=["--timeout", 0.5]), self.job(1, 2, *self.STAYS))
        _, err = self.finish(process, 124)
        self.assertEqual([line.partition(" s;")[2] for line in err],
                         [" 1 of 1 ranks were still running", " 2 of 2 ranks were still running"])


if __name__ == "__main__":
    unittest.main()
