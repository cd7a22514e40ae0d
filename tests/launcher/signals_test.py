# SPDX-License-Identifier: BSD-3-Clause
"""Signals that mpiexec gets are passed on to the ranks; those that ask for an end have it, sooner or later."""
import signal
import subprocess
import sys
import time
import unittest

from launcher_case import LauncherCase, eventually

# A rank that notes the signals it gets in its file and ends when told to.
NOTES = """
import os, signal, sys, time
rank = os.environ["PMIX_RANK"]
def note(number, frame):
    with open("got." + rank, "a") as file: file.write("%d\\n" % number)
    if number == int(sys.argv[1]): sys.exit(int(sys.argv[2]))
for number in (1, 2, 3, 10, 12, 15): signal.signal(number, note)
open("here." + rank, "w").close()
while True: time.sleep(60)
"""


class Signals(LauncherCase):
    def start_notes(self, last, status, *options):
        job = self.start_mpiexec("-n", 2, *options, sys.executable, "-c", NOTES, int(last), status)
        self.wait_for_files("here.0", "here.1")
        return job

    def got(self, rank):
        path = self.directory / f"got.{rank}"
        return [int(line) for line in path.read_text(encoding="utf-8").split()] if path.exists() else []

    def test_user_signals_are_passed_on(self):
        job = self.start_notes(signal.SIGTERM, 0)
        for number in (signal.SIGUSR1, signal.SIGUSR2):
            job.send_signal(number)
            self.assertTrue(self.eventually_got(number))
        job.terminate()
        status, _, err = self.assert_ends(job)
        self.assertEqual((status, err), (0, "mpiexec: no rank has called MPI_Init\n"))  # SIGUSR1 asks
        self.assertEqual(self.got(0), [10, 12, 15])
        self.assertEqual(self.got(1), [10, 12, 15])

    def eventually_got(self, number):
        return eventually(lambda: number in self.got(0) and number in self.got(1))

    def test_ends_by_signal(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            for file in self.directory.glob("here.*"):
                file.unlink()
            job = self.start_mpiexec("-n", 3, "sh", "-c", "touch here.$PMIX_RANK; exec sleep 60")
            self.wait_for_files("here.0", "here.1", "here.2")
            job.send_signal(number)
            status, _, err = self.assert_ends(job)
            self.assertEqual(status, 128 + number)
            self.assertRegex(err, rf"\Ampiexec: ended by signal {int(number)} [^\n]*\n\Z")

    def test_ranks_choose_their_status(self):
        job = self.start_notes(signal.SIGINT, 5)
        job.send_signal(signal.SIGINT)
        self.assertEqual(self.assert_ends(job)[0], 5)

    def test_grace(self):
        """Ranks that take their time get it, and not more."""
        job = self.start_notes(0, 0, "--grace", "1")
        started = time.monotonic()
        job.send_signal(signal.SIGTERM)
        status, _, err = self.assert_ends(job)
        self.assertEqual(status, 128 + signal.SIGTERM)
        self.assertGreater(time.monotonic() - started, 0.9)
        self.assertRegex(err, r"\Ampiexec: [^\n]*within 1 s of signal 15[^\n]*\n\Z")

    def test_second_request_ends_at_once(self):
        job = self.start_notes(0, 0, "--grace", "60")
        job.send_signal(signal.SIGINT)
        self.assertTrue(self.eventually_got(signal.SIGINT))
        job.send_signal(signal.SIGINT)
        self.assertEqual(self.assert_ends(job)[0], 128 + signal.SIGINT)

    def test_ignored_hangup_stays_ignored(self):
        """nohup mpiexec ..."""
        job = self.start_mpiexec("-n", 2, "sh", "-c", "trap 'touch got.$PMIX_RANK' USR1; touch here.$PMIX_RANK; "
                                 "until [ -e got.$PMIX_RANK ]; do sleep 0.01; done; echo survived",
                                 preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.wait_for_files("here.0", "here.1")
        job.send_signal(signal.SIGHUP)
        job.send_signal(signal.SIGUSR1)  # of two that wait, the one with the lower number comes first
        status, out, _ = self.assert_ends(job)
        self.assertEqual((status, out), (0, "survived\n" * 2))

    def test_ranks_get_default_dispositions(self):
        """Nothing that mpiexec blocks or ignores for itself is blocked or ignored in a rank."""
        done = self.run_mpiexec("-n", 1, "grep", "-E", "Sig(Blk|Ign)", "/proc/self/status")
        self.assertEqual([int(line.split()[1], 16) for line in done.stdout.splitlines()][0], 0)
        direct = subprocess.run(["grep", "SigIgn", "/proc/self/status"], capture_output=True, text=True, check=True)
        self.assertIn(direct.stdout, done.stdout)


if __name__ == "__main__":
    unittest.main()
