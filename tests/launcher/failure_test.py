# SPDX-License-Identifier: BSD-3-Clause
"""A rank fails: everyone is ended, the status is that rank's, and one sentence says who and how."""
import os
import signal
import socket
import unittest

from launcher_case import CLIENT, LauncherCase

HOST = socket.gethostname()


class Failure(LauncherCase):
    def run_to_the_end(self, *arguments):
        done = self.run_mpiexec(*arguments)
        self.assert_nothing_left()
        return done

    def once_all_are_there(self, ranks, command):
        """A script: rank 1 does this once all ranks are there; the others would stay for a minute."""
        for file in self.directory.glob("ready.*"):
            file.unlink()
        others = " ".join(map(str, range(ranks)))
        return (f"touch ready.$PMIX_RANK; if [ $PMIX_RANK = 1 ]; then for rank in {others}; do "
                f"until [ -e ready.$rank ]; do sleep 0.01; done; done; {command}; fi; sleep 60")

    def assert_one_sentence(self, done, *words):
        self.assertRegex(done.stderr, r"\Ampiexec: [^\n]+\n\Z")
        for word in words:
            self.assertIn(word, done.stderr)

    def test_abort(self):
        for code, status in ((1, 1), (7, 7), (255, 255), (258, 2), (256, 1), (0, 0)):
            done = self.run_to_the_end("-n", 3, CLIENT, "abort", code, "for a reason")
            self.assertEqual(done.returncode, status, done.stderr)
            self.assert_one_sentence(done, "rank 1", HOST, "MPI_Abort", f"code {code}", "for a reason", "other 2 ranks")

    def test_crash_of_a_client(self):
        done = self.run_to_the_end("-n", 3, CLIENT, "crash")
        self.assertEqual(done.returncode, 128 + signal.SIGSEGV)
        self.assert_one_sentence(done, "rank 1", HOST, "signal 11 (Segmentation fault)", "other 2 ranks")

    def test_signal_kills_a_rank(self):
        for number in (signal.SIGKILL, signal.SIGABRT, signal.SIGBUS, signal.SIGTERM):
            done = self.run_to_the_end("-n", 2, "sh", "-c", self.once_all_are_there(2, f"kill -{int(number)} $$"))
            self.assertEqual(done.returncode, 128 + number)
            self.assert_one_sentence(done, "rank 1", HOST, f"signal {int(number)}", "other rank")

    def test_exit_status(self):
        for status in (1, 2, 77, 255):
            done = self.run_to_the_end("-n", 4, "sh", "-c", self.once_all_are_there(4, f"exit {status}"))
            self.assertEqual(done.returncode, status)
            self.assert_one_sentence(done, "rank 1", HOST, f"status {status}", "other 3 ranks")

    def test_last_rank_fails(self):
        done = self.run_to_the_end("-n", 1, "sh", "-c", "exit 5")
        self.assertEqual(done.returncode, 5)
        self.assert_one_sentence(done, "rank 0", "status 5")
        self.assertNotIn("other", done.stderr)

    def test_exit_after_finalize(self):
        done = self.run_to_the_end("-n", 2, CLIENT, "status", 9)
        self.assertEqual(done.returncode, 9)
        self.assertNotIn("Finalize", done.stderr)

    def test_who_has_finalized_and_exits_with_a_status_ends_nobody(self):
        script = f"{CLIENT} status 9; status=$?; if [ $PMIX_RANK = 0 ]; then sleep 0.3; echo last words >&2; fi; " \
                 "exit $status"
        done = self.run_to_the_end("-n", 2, "sh", "-c", script)
        self.assertEqual(done.returncode, 9, done.stderr)
        self.assertIn("last words", done.stderr)
        self.assertRegex(done.stderr, rf"mpiexec: rank 1 on {HOST} exited with status 9\n")

    def test_exit_without_finalize(self):
        done = self.run_to_the_end("-n", 3, CLIENT, "leave", 0)
        self.assertEqual(done.returncode, 1)
        self.assert_one_sentence(done, "rank 1", HOST, "without MPI_Finalize", "other 2 ranks")
        done = self.run_to_the_end("-n", 3, CLIENT, "leave", 6)
        self.assertEqual(done.returncode, 6)
        self.assert_one_sentence(done, "rank 1", "status 6", "without MPI_Finalize")

    def test_program_that_never_uses_mpi(self):
        script = "touch here.$PMIX_RANK; while [ $PMIX_RANK = 0 -a ! -e here.1 ]; do sleep 0.01; done; echo $PMIX_RANK"
        done = self.run_mpiexec("-n", 2, "sh", "-c", script)
        self.assertEqual((done.returncode, sorted(done.stdout), done.stderr), (0, sorted("0\n1\n"), ""))

    def test_ranks_that_ignore_term(self):
        done = self.run_to_the_end("-n", 3, "sh", "-c", "trap '' TERM; " + self.once_all_are_there(3, "exit 3"))
        self.assertEqual(done.returncode, 3)

    def test_ranks_may_tidy_up_on_term(self):
        script = "trap 'echo tidied > tidied; exit 0' TERM; " + self.once_all_are_there(2, "exit 3")
        done = self.run_to_the_end("-n", 2, "sh", "-c", script.replace("sleep 60", "sleep 60 & wait"))
        self.assertEqual(done.returncode, 3)
        self.assertTrue((self.directory / "tidied").exists())

    def test_stopped_ranks_are_ended(self):
        done = self.run_to_the_end("-n", 2, "sh", "-c", "[ $PMIX_RANK = 0 ] && kill -STOP $$; exit 4")
        self.assertEqual(done.returncode, 4)

    def test_last_words_come_before_the_sentence(self):
        done = self.run_to_the_end("-n", 1, "sh", "-c", "printf 'my last words' >&2; kill -9 $$")
        self.assertTrue(done.stderr.startswith("my last words"), done.stderr)
        self.assertIn("signal 9", done.stderr)

    def test_only_the_first_failure_counts(self):
        done = self.run_to_the_end("-n", 2, "sh", "-c", "trap 'exit 9' TERM; " + self.once_all_are_there(2, "exit 8"))
        self.assertEqual(done.returncode, 8)
        self.assertEqual(done.stderr.count("mpiexec: "), 1, done.stderr)

    def test_timeout(self):
        done = self.run_mpiexec("-n", 2, "--timeout", "0.5", "sleep", "60")
        self.assertEqual(done.returncode, 124)
        self.assert_one_sentence(done, "--timeout 0.5", "2 of 2 ranks")

    def test_timeout_that_is_not_reached(self):
        self.assertEqual(self.run_mpiexec("-n", 2, "--timeout", "20", "true").returncode, 0)


if __name__ == "__main__":
    unittest.main()
