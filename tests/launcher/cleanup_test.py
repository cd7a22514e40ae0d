# SPDX-License-Identifier: BSD-3-Clause
"""Nothing is left, however a job ends; LauncherCase looks for processes and files after every test."""
import os
import pathlib
import signal
import subprocess
import time
import unittest

from launcher_case import CLIENT, LauncherCase, eventually

# A rank with a child, a grandchild in another session that ignores TERM, and itself.
FAMILY = ("sleep 61 & setsid sh -c \"trap '' TERM HUP INT; touch deep.$PMIX_RANK; sleep 62; sleep 63\" & "
          "touch here.$PMIX_RANK; %s")


class Leftovers(LauncherCase):
    def start_family(self, end="sleep 64", **options):
        job = self.start_mpiexec("-n", 2, "sh", "-c", FAMILY % end, **options)
        self.wait_for_files("here.0", "here.1", "deep.0", "deep.1")
        return job

    def test_ranks_end_and_leave_processes(self):
        job = self.start_mpiexec("-n", 2, "sh", "-c", FAMILY % "while [ ! -e deep.$PMIX_RANK ]; do :; done; exit 0")
        status, _, err = self.assert_ends(job)
        self.assertEqual((status, err), (0, ""))
        self.assert_nothing_left()

    def test_a_rank_fails(self):
        job = self.start_mpiexec("-n", 2, "sh", "-c", FAMILY % "while [ ! -e deep.$PMIX_RANK ]; do :; done; exit 7")
        self.assertEqual(self.assert_ends(job)[0], 7)
        self.assert_nothing_left()

    def test_kill_9_of_mpiexec(self):
        job = self.start_family()
        job.kill()
        job.wait()
        self.assert_gone()

    def test_kill_9_of_mpiexec_with_clients(self):
        job = self.start_mpiexec("-n", 2, "sh", "-c", f"touch here.$PMIX_RANK; {CLIENT} abort 0; sleep 60; sleep 60")
        self.wait_for_files("here.0", "here.1")
        job.kill()
        job.wait()
        self.assert_gone()

    def test_kill_9_of_the_job_process(self):
        job = self.start_family()
        os.kill(self.job_process(job), signal.SIGKILL)
        status, _, err = self.assert_ends(job)
        self.assertEqual(status, 128 + signal.SIGKILL)
        self.assertRegex(err, r"\Ampiexec: [^\n]*killed by signal 9[^\n]*\n\Z")
        self.assert_nothing_left()

    def test_kill_9_of_both(self):
        """Nobody is left to look for grandchildren then, but the ranks die with their parent."""
        job = self.start_mpiexec("-n", 2, "sh", "-c", "touch here.$PMIX_RANK; exec sleep 60")
        self.wait_for_files("here.0", "here.1")
        inner = self.job_process(job)
        os.kill(inner, signal.SIGSTOP)  # so that it cannot tidy up
        job.kill()
        os.kill(inner, signal.SIGKILL)
        job.wait()
        self.assertTrue(eventually(lambda: not self.processes()))
        left = list(self.temporary.iterdir())  # nobody was there to remove it
        self.assertEqual(len(left), 1)
        target = self.directory / "precious"
        target.mkdir()
        (target / "data").touch()
        link = self.temporary / (left[0].name[:-4] + "beef")  # the name of a scratch directory
        link.symlink_to(target)
        living = self.start_mpiexec("-n", 1, "sh", "-c", "touch alive; exec sleep 60")
        self.wait_for_files("alive")
        (own,) = [entry for entry in self.temporary.iterdir() if entry not in (left[0], link)]
        self.assertEqual(self.run_mpiexec("-n", 1, "true").returncode, 0)
        self.assertEqual(sorted(self.temporary.iterdir()), sorted([own, link]))
        self.assertEqual(os.listdir(target), ["data"])
        link.unlink()
        living.terminate()
        self.assert_ends(living)

    def test_kill_9_of_the_process_group(self):
        job = self.start_family(start_new_session=True)
        os.killpg(job.pid, signal.SIGKILL)
        job.wait()
        self.assert_gone()

    def test_kill_by_name(self):
        """The process that runs the job is not called mpiexec, so that killall and pkill -f leave it to tidy up."""
        job = self.start_family()
        inner = pathlib.Path("/proc") / str(self.job_process(job))
        self.assertEqual((inner / "comm").read_text(encoding="utf-8"), "bowline-job\n")
        self.assertEqual((inner / "cmdline").read_bytes().strip(b"\0"), b"bowline-job")
        job.kill()
        job.wait()
        self.assert_gone()

    def test_kill_9_at_any_moment(self):
        """From before the first fork to after the last."""
        for step in range(60):
            job = self.start_mpiexec("-n", 2, *((CLIENT,) if step % 2 else ("sh", "-c", "setsid sleep 60 & sleep 60")))
            time.sleep(step / 1500)
            job.kill()
            job.wait()
            self.assert_gone()
            self.stop(job)

    def test_processes_that_fork_all_the_time(self):
        job = self.start_mpiexec("-n", 2, "sh", "-c",
                                 "touch here.$PMIX_RANK; "
                                 "while :; do setsid sh -c 'sleep 0.02; sleep 60' & sleep 0.01; done")
        self.wait_for_files("here.0", "here.1")
        self.assertTrue(eventually(lambda: len(self.processes()) > 20))
        job.kill()
        job.wait()
        self.assert_gone(5)

    def test_pipe_held_by_a_stranger(self):
        """A pipe that a rank handed to a process outside of the job is not waited for."""
        os.mkfifo(self.directory / "go")
        job = self.start_mpiexec("-n", 1, "sh", "-c", "echo said; touch here; read x <go")
        self.wait_for_files("here")
        inner = self.job_process(job)
        rank = next(pid for pid in self.processes() if self.parent(pid) == inner)
        stranger = subprocess.Popen(["sh", "-c", f"exec 1>/proc/{rank}/fd/1; touch held; exec sleep 60"],
                                    cwd=self.directory)
        try:
            self.wait_for_files("held")
            (self.directory / "go").write_bytes(b"")
            status, out, _ = self.assert_ends(job)
            self.assertEqual(status, 1)  # read met the end of its input
            self.assertEqual(out, "said\n")
        finally:
            stranger.kill()
            stranger.wait()


if __name__ == "__main__":
    unittest.main()
