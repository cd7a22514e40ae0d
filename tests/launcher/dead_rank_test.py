# SPDX-License-Identifier: BSD-3-Clause
"""A rank is killed while the others wait for it, send to it or are in the middle of a message with it: the job ends
soon, the one sentence names the rank and the signal, and nothing is left."""
import os
import random
import signal
import socket
import time
import unittest

from launcher_case import LauncherCase, eventually, fields

PROGRAM = os.environ["DEAD_RANK"]
SEED = int(os.environ.get("TEST_SEED", "1"))
HOST = socket.gethostname()
VICTIM = 1


class DeadRank(LauncherCase):
    def start(self, ranks, *arguments, **settings):
        """Starts the program; returns the job and the ranks' process ids when all have begun."""
        for old in self.directory.glob("*.[0-9]*"):
            old.unlink()
        job = self.start_mpiexec("-n", ranks, PROGRAM, *arguments, env=self.environment | settings)
        self.wait_for_files(*(f"ready.{rank}" for rank in range(ranks)))
        return job, [int((self.directory / f"ready.{rank}").read_text(encoding="utf-8")) for rank in range(ranks)]

    def assert_kill_is_reported(self, job, pids):
        os.kill(pids[VICTIM], signal.SIGKILL)
        status, out, err = self.assert_ends(job)
        self.assertEqual((status, out), (128 + signal.SIGKILL, ""), err)
        self.assertRegex(err, r"\Ampiexec: [^\n]+\n\Z")
        others = f"other {len(pids) - 2 + 1} ranks" if len(pids) > 2 else "other rank"
        for word in (f"rank {VICTIM} on {HOST}", "signal 9 (Killed)", others):
            self.assertIn(word, err)
        self.assert_nothing_left()

    def done(self, rank):
        """How often the rank has done what it does over and over."""
        path = self.directory / f"done.{rank}"
        return path.stat().st_size if path.exists() else 0

    def wait_until_asleep(self, pids):
        """Until the ranks have found nothing to do for so long that the system has put them to sleep."""
        asleep = lambda: all(fields(pid)[0] == "S" for rank, pid in enumerate(pids) if rank != VICTIM)
        self.assertTrue(eventually(asleep), "the ranks never sleep")

    def wait_until_stuck(self, ranks):
        """Until no rank has got anything done for a while, although each has done something."""
        seen, since = None, time.monotonic()

        def stuck():
            nonlocal seen, since
            now = [self.done(rank) for rank in range(ranks) if rank != VICTIM]
            if now != seen:
                seen, since = now, time.monotonic()
            return 0 not in now and time.monotonic() - since > 0.3
        self.assertTrue(eventually(stuck), f"sends to a rank that does not receive go on: {seen}")

    def test_others_wait_for_it(self):
        for what in ("receive", "receive_anything", "barrier"):
            for ranks in (2, 8) if what == "receive" else (3,):
                with self.subTest(what=what, ranks=ranks):
                    job, pids = self.start(ranks, what)
                    self.wait_until_asleep(pids)
                    self.assert_kill_is_reported(job, pids)

    def test_others_are_about_to_wait_for_it(self):
        job, pids = self.start(3, "receive")
        self.assert_kill_is_reported(job, pids)

    def test_others_notice_and_abort(self):
        """They may be heard before the system has told of the death: its memory is gone first."""
        for ranks in (2, 3) * 2:
            with self.subTest(ranks=ranks):
                job, pids = self.start(ranks, "notice")
                self.assert_kill_is_reported(job, pids)

    def test_others_send_to_it(self):
        """Until its rings are full; and long messages that it never accepts."""
        for size, ranks in ((8, 2), (4096, 4)):
            with self.subTest(size=size, ranks=ranks):
                job, pids = self.start(ranks, "send", size)
                self.wait_until_stuck(ranks)
                self.assert_kill_is_reported(job, pids)
        job, pids = self.start(3, "send", 4 << 20)
        self.wait_until_asleep(pids)
        self.assert_kill_is_reported(job, pids)

    def exchange(self, size, what="exchange", **settings):
        """The moment of the kill is anywhere in an exchange, again and again."""
        print(f"seed {SEED}", flush=True)
        randomness = random.Random(SEED)
        for ranks in (2, 4):
            with self.subTest(ranks=ranks, seed=SEED):
                job, pids = self.start(ranks, what, size, **settings)
                self.assertTrue(eventually(lambda: all(self.done(rank) > 1 for rank in range(ranks))))
                time.sleep(randomness.random() / 100)
                self.assert_kill_is_reported(job, pids)

    def test_in_the_middle_of_short_messages(self):
        self.exchange(1000)

    def test_in_the_middle_of_collectives_through_shared_memory(self):
        self.exchange(8, "collectives")
        self.exchange(1 << 20, "collectives")

    def test_in_the_middle_of_messages_in_pieces(self):
        self.exchange(4 << 20, BOWLINE_LONG_MESSAGES="short_pieces")

    def test_in_the_middle_of_messages_read_from_its_memory(self):
        self.exchange(4 << 20, BOWLINE_LONG_MESSAGES="single_copy")

    def test_in_the_middle_of_messages_that_both_sides_copy(self):
        self.exchange(4 << 20, BOWLINE_LONG_MESSAGES="single_copy_by_both")

    def test_in_the_middle_of_messages_in_long_pieces(self):
        self.exchange(4 << 20, BOWLINE_LONG_MESSAGES="long_pieces")


if __name__ == "__main__":
    unittest.main()
