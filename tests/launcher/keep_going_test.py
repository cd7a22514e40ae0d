# SPDX-License-Identifier: BSD-3-Clause
"""With --keep-going a job goes on when a rank is lost; mpiexec says so at that moment, and tells the others."""
import os
import signal
import socket
import sys
import time
import unittest

from spawn_case import SpawnCase

HOST = socket.gethostname()
PROGRAM = os.environ["LOSING_RANKS"]
SURVIVOR = os.environ["PMIX_SURVIVOR"]
LOST = rf"mpiexec: rank 1 on {HOST} {{}}, \d+\.\d s after the start; the job goes on without it"
KILLED = r"was killed by signal 9 \(Killed\)"


def by_mpiexec(text):
    return [line for line in text.splitlines() if line.startswith("mpiexec")]


class KeepGoing(SpawnCase):
    def go_on(self, ranks, *words, option=("--keep-going",), status=0, lost=KILLED):
        """Runs the program, whose rank 1 is lost; returns what the ranks print, in order."""
        done = self.run_mpiexec(*option, "-n", ranks, PROGRAM, *words)
        self.assertEqual(done.returncode, status, done.stderr)
        said = by_mpiexec(done.stderr)
        self.assertRegex(said[0], rf"\A{LOST.format(lost)}\Z")
        survivors = [f"rank {rank}: error" for rank in range(ranks) if rank != 1]
        out = sorted(done.stdout.splitlines())
        self.assertEqual([line for line in out if line.startswith("rank")], survivors)
        self.assert_nothing_left()
        return out, said[1:]

    def test_survivors_get_an_error_and_go_on(self):
        for ranks in (2, 4):
            for words, status, lost in (
                    (["kill"], 0, KILLED),
                    (["exit", 0], 0, "exited without MPI_Finalize after it had called MPI_Init"),
                    (["exit", 5], 5, "exited with status 5 without MPI_Finalize")):
                with self.subTest(ranks=ranks, words=words):
                    self.assertEqual(self.go_on(ranks, *words, status=status, lost=lost)[1], [])

    @unittest.skipIf(os.environ.get("SANITIZED") == "1", "a sanitizer has handlers of its own")
    def test_crash_page_comes_as_always(self):
        done = self.run_mpiexec("--keep-going", "-n", 3, PROGRAM, "crash")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"rank 1 on {HOST} crashed with signal 11", done.stderr)
        self.assertRegex("\n".join(by_mpiexec(done.stderr)),
                         rf"\A{LOST.format(r'was killed by signal 11 [^;]+')}\Z")

    def test_statuses(self):
        """The highest one of the ranks that have exited; lost ranks have none, unless all are lost."""
        for script, status in (("kill -9 $$", 137), ("kill -15 $$", 143),
                               ("test $PMIX_RANK = 1 && kill -9 $$; exit 0", 0),
                               ("test $PMIX_RANK = 1 && kill -9 $$; exit $PMIX_RANK", 2), ("exit $PMIX_RANK", 2)):
            with self.subTest(script=script):
                done = self.run_mpiexec("--keep-going", "-n", 3, "sh", "-c", script)
                self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(self.go_on(3, "kill", 0, "status", 9, status=9)[1],
                         [f"mpiexec: rank 0 on {HOST} exited with status 9"])
        done = self.run_mpiexec("--keep-going", "-n", 3, PROGRAM, "late", 4)
        self.assertEqual((done.returncode, by_mpiexec(done.stderr)),
                         (4, [f"mpiexec: rank 1 on {HOST} exited with status 4"]))

    def test_the_last_rank(self):
        done = self.run_mpiexec("--keep-going", "-n", 1, "sh", "-c", "kill -9 $$")
        self.assertEqual(done.returncode, 137)
        self.assertRegex(done.stderr, rf"\Ampiexec: rank 0 on {HOST} {KILLED}, \d\.\d s after the start\n\Z")

    def test_loss_is_told_at_once(self):
        job = self.start_mpiexec("--keep-going", "-n", 2, "sh", "-c", "test $PMIX_RANK = 1 && kill -9 $$; sleep 60")
        self.assertRegex(job.stderr.readline(), LOST.format(KILLED))
        self.assertIsNone(job.poll())
        job.send_signal(signal.SIGTERM)
        self.assertEqual(self.assert_ends(job)[0], 128 + signal.SIGTERM)

    def test_spellings_of_other_launchers(self):
        script = ("sh", "-c", "test $PMIX_RANK = 1 && kill -9 $$; sleep 0.1; echo $BOWLINE_KEEP_GOING")
        for words in (["-disable-auto-cleanup"], ["--enable-recovery"], ["--with-ft", "mpi"], ["--with-ft", "ulfm"],
                      ["-am", "ft-enable-mpi"], ["--am", "ft-mpi"], ["--keep-going"]):
            done = self.run_mpiexec(*words, "-n", 2, *script)
            self.assertEqual((done.returncode, done.stdout), (0, "1\n"), words)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for words in (["--with-ft", "no"], ["--with-ft", "false"], []):
            done = self.run_mpiexec(*words, "-n", 2, *script, env=self.environment | {"BOWLINE_KEEP_GOING": "1"})
            self.assertEqual((done.returncode, done.stdout.replace("1\n", "given\n")), (137, ""), words)
            self.assertIn("the other rank is ended", done.stderr)

    def test_what_a_lost_rank_has_started_ends_with_it(self):
        lost = "sleep 60 & echo $! > new; mv new child; kill -9 $$"
        other = "until test -e child; do sleep 0.01; done; while kill -0 $(cat child) 2>/dev/null; do sleep 0.01; done"
        script = f"if test $PMIX_RANK = 1; then {lost}; fi; {other}"
        done = self.run_mpiexec("--keep-going", "-n", 2, "sh", "-c", script)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_nothing_left()

    def test_abort_ends_the_job(self):
        done = self.run_mpiexec("--keep-going", "-n", 3, PROGRAM, "abort", 7)
        self.assertEqual(done.returncode, 7, done.stderr)
        said = by_mpiexec(done.stderr)
        self.assertRegex(said[0], LOST.format(KILLED))
        self.assertIn("MPI_Abort was called on MPI_COMM_WORLD with code 7", said[1])
        self.assertIn("; the other rank is ended", said[1])
        self.assertEqual(len(said), 2)

    def test_lost_ranks_do_not_hang(self):
        done = self.run_mpiexec("--keep-going", "--timeout", 1.5, "-n", 3, PROGRAM, "kill", 0, "stay")
        self.assertEqual(done.returncode, 124, done.stderr)
        said = by_mpiexec(done.stderr)
        self.assertRegex(said[1], "2 of 3 ranks were still running")
        self.assertIn(f"mpiexec: rank 1 on {HOST}: lost", said)
        self.assertNotIn("deadlock", done.stderr)

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "needs a core for each rank")
    def test_children_get_the_core_of_the_lost_rank(self):
        out, _ = self.go_on(2, "kill", 0, "spawn")
        victim = next(line for line in out if line.startswith("victim: cores "))
        self.assertIn(f"child: {victim.removeprefix('victim: ')}, BOWLINE_KEEP_GOING 1", out)

    def test_jobs_of_a_lost_rank_go_on(self):
        """Without the option they end with the job that has started them."""
        commands = [["spawn", "--", 1, "sh", "-c", "sleep 0.3; echo child"], ["exit", 3]]
        lost = rf"mpiexec: rank 0 on {HOST} exited with status 3 without MPI_Finalize"
        for option, out in (([], []), (["--keep-going"], ["child"])):
            job = self.start(*commands, options=[*option, "-n", 1])
            status, text, err = self.assert_ends(job)
            self.assertEqual((status, text.splitlines()), (3, ["spawn: ok", *out]), err)
            self.assertRegex(err, lost)

    def survivors(self, when):
        done = self.run_mpiexec("--keep-going", "-n", 4, SURVIVOR, when)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        found = {rank: {} for rank in (0, 2, 3)}
        for line in done.stdout.splitlines():
            rank, what, answer = line.removeprefix("rank ").split(": ", 2)
            if int(rank) != 1:
                found[int(rank)][what] = answer
        return list(found.values())

    def test_collectives_of_pmix_with_a_lost_rank_end(self):
        for when, answers in (("fence", ["PARTIAL SUCCESS"]), ("connect", ["PARTIAL SUCCESS", "SUCCESS"])):
            for found in self.survivors(when):
                self.assertIn(found.pop(f"{when} in progress"), answers)
                self.assertRegex(found.pop("event"), rf"PROC-ABORTED-BY-SIG of rank 1: rank 1 on {HOST} {KILLED}")
                self.assertEqual(found, {
                    "start": "SUCCESS", "fence of the living": "SUCCESS", "fence of all": "LOST_CONNECTION",
                    "fence of the job": "LOST_CONNECTION", "connect of the living": "SUCCESS",
                    "connect of all": "LOST_CONNECTION"})

    def test_many_losses_at_once(self):
        """PMIx does not complain about ranks that are lost before they hear of others."""
        for _ in range(3):
            done = self.run_mpiexec("--keep-going", "-n", 12, SURVIVOR, "crowd")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(done.stdout.count("rank 0: event: PROC-ABORTED-BY-SIG"), 11)
            lines = done.stderr.splitlines()
            self.assertEqual((len(by_mpiexec(done.stderr)), len(lines)), (11, 11), done.stderr)

    def test_loss_before_the_start_ends_the_job(self):
        """MPI_Init of the others would wait for ever."""
        begin = time.monotonic()
        done = self.run_mpiexec("--keep-going", "-n", 4, SURVIVOR, "before")
        self.assertLess(time.monotonic() - begin, 10)
        self.assertEqual(done.returncode, 137)
        # A rank may hear of the loss before it is ended; none goes on.
        self.assertRegex(done.stdout, r"\A(rank \d: event: PROC-ABORTED-BY-SIG of rank \d: [^\n]*\n)*\Z")
        self.assertRegex(done.stderr.splitlines()[-1],
                         rf"rank 1 on {HOST} {KILLED} before MPI had started in it, for which the others wait")

    def test_a_rank_that_leaves_before_the_start_ends_the_job(self):
        """With status 0, before or after the others have called MPI_Init; also in a job that does not keep going."""
        for options in ([], ["--keep-going"]):
            for pause in (0, 0.5):
                script = f"if [ $PMIX_RANK = 1 ]; then sleep {pause}; exit 0; fi; exec {PROGRAM} start"
                done = self.run_mpiexec(*options, "-n", 3, "sh", "-c", script)
                self.assertEqual(done.returncode, 1, done.stderr)
                said, *others = done.stderr.splitlines()
                self.assertRegex(said, rf"\Ampiexec: rank 1 on {HOST} exited with status 0 before MPI had started in "
                                       r"it, for which the others wait; the other 2 ranks are ended\Z")
                self.assertLessEqual(len(others), 2, done.stderr)
                for line in others:  # PMIx reports a rank that is ended while it connects
                    self.assertRegex(line, r"PMIX ERROR: UNREACHABLE in file .*/ptl_base_connection_hdlr\.c ")

    def test_who_never_uses_mpi_may_leave_early(self):
        done = self.run_mpiexec("--keep-going", "-n", 3, "sh", "-c", "[ $PMIX_RANK = 1 ] || sleep 0.2")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_loss_during_the_start_hangs_nobody(self):
        """The moment of the loss is anywhere in MPI_Init, or before, or behind it. The others may have ended before."""
        for milliseconds in range(4, 40, 3):
            done = self.run_mpiexec("--chaos", f"1,after=0.{milliseconds:03},rate=1000,kinds=kill,most=1,from=start",
                                    "-n", 3, PROGRAM, "start")
            self.assertIn(done.returncode, (0, 128 + signal.SIGKILL), done.stderr)
            for line in by_mpiexec(done.stderr)[1:]:
                self.assertRegex(line, r"the job goes on without it|before MPI had started in it|s after the start$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
