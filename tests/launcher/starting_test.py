# SPDX-License-Identifier: BSD-3-Clause
"""A job can be ended before all of its ranks have been started, and before the first one has."""
import os
import signal
import unittest

from launcher_case import LauncherCase, eventually

RANKS = 2000  # so many that the end of the start is not reached meanwhile


class Starting(LauncherCase):
    def start_many(self, *options):
        job = self.start_mpiexec("-n", RANKS, *options, "sleep", 90)
        self.assertTrue(eventually(lambda: len(self.processes()) > 10))
        return job

    def test_interrupt(self):
        job = self.start_many()
        job.send_signal(signal.SIGINT)
        status, _, err = self.assert_ends(job)
        self.assertEqual(status, 128 + signal.SIGINT)
        self.assertRegex(err, r"\Ampiexec: ended by signal 2 \(Interrupt\) when \d+ of 2000 ranks had been started\n\Z")
        self.assert_nothing_left()

    def test_kill_9_of_mpiexec(self):
        job = self.start_many("--report-bindings")
        job.kill()
        job.wait()
        self.assert_gone()
        self.assertLess(job.stderr.read().count("mpiexec: rank "), RANKS)

    def start_hanging(self):
        """A job whose start hangs in hwloc, which reads from a pipe to which nobody writes."""
        os.mkfifo(self.directory / "machine.xml")
        job = self.start_mpiexec("-n", 2, "touch", "started",
                                 env=self.environment | {"HWLOC_XMLFILE": str(self.directory / "machine.xml")})
        self.job_process(job)
        return job

    def test_interrupt_before_the_first_rank(self):
        job = self.start_hanging()
        job.send_signal(signal.SIGINT)
        status, _, err = self.assert_ends(job)
        self.assertEqual(status, 128 + signal.SIGINT)
        self.assertRegex(err, r"\Ampiexec: ended by signal 2 \(Interrupt\) before any rank was started\n\Z")
        self.assertFalse((self.directory / "started").exists())

    def test_kill_9_of_mpiexec_before_the_first_rank(self):
        job = self.start_hanging()
        job.kill()
        job.wait()
        self.assert_gone()


if __name__ == "__main__":
    unittest.main()
