# SPDX-License-Identifier: BSD-3-Clause
"""Ranks are killed, nodes crash and links are cut in the middle of traffic: jobs end soon, or go on as if nothing had
been.

UCX=1 in the environment says that this build has a transport between nodes; without it jobs stay on one node. The
tests in the class Long take minutes.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from rig_case import PATIENCE, TESTBED, RigCase, command, eventually, main

RIG = f"faults-{os.getpid()}"
PROGRAM, SOAK, SIGNALS = (os.environ[name] for name in ("DEAD_RANK", "SOAK", "SIGNALS"))
VICTIM = 1  # dead_rank's
HAVE_TALKED = ("compute", "finalize", "exchange")  # with the victim, before they wait for it
WATCHFUL = {"BOWLINE_WATCH_AFTER": "1", "BOWLINE_LOG_LEVEL": "2"}
BOUND = 30  # seconds
needs_transport = unittest.skipUnless(os.environ.get("UCX") == "1", "this build has no transport between nodes")


class FaultCase(RigCase):
    def setUp(self):
        self.parts = self.up(RIG, "-n", 4, "--replace")
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="bowline-faults-", dir="/var/tmp"))  # all nodes see it
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def srun(self, nodes, each, *words):
        """KillOnBadExit is not set: the harder case."""
        job = subprocess.Popen([TESTBED / "run", "--name", RIG, "--", "srun", "--mpi=pmix", f"-N{nodes}",
                                f"--ntasks-per-node={each}", *words], cwd=self.directory, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env=os.environ | WATCHFUL)
        self.addCleanup(job.communicate)
        self.addCleanup(job.kill)
        return job

    def start(self, nodes, each, what):
        """Starts dead_rank; returns the job when all ranks have begun."""
        for old in (*self.directory.glob("*.[0-9]*"), self.directory / "dead"):
            old.unlink(missing_ok=True)
        job = self.srun(nodes, each, PROGRAM, what)
        ready = [self.directory / f"ready.{rank}" for rank in range(nodes * each)]
        self.assertTrue(eventually(lambda: all(path.exists() for path in ready)), "the ranks never begin")
        return job

    def kill_victim(self, each):
        pid = (self.directory / f"ready.{VICTIM}").read_text(encoding="utf-8").strip()
        done = command("run", RIG, "--on", f"n{VICTIM // each + 1}", "--", "sh", "-c", f"kill -KILL {pid}")
        self.assertEqual(done.returncode, 0, done.stderr)
        (self.directory / "dead").touch()

    def crash_node(self):
        os.kill(self.parts.nodes[f"n{VICTIM + 1}"], signal.SIGKILL)

    def assert_ends(self, job, *words):
        began = time.monotonic()
        _, err = job.communicate(timeout=2 * PATIENCE)
        self.assertLess(time.monotonic() - began, BOUND, err)
        self.assertNotEqual(job.returncode, 0, err)
        for word in words:
            self.assertIn(word, err)
        return err

    def assert_lonely_death_is_noticed(self, *deeds):
        """No PMIx server sees it, and srun would wait for ever: the others end the step."""
        for what in deeds:
            with self.subTest(what=what):
                job = self.start(3, 1, what)
                if what not in HAVE_TALKED:
                    self.await_contact(job)
                self.kill_victim(1)
                self.assert_ends(job, f"rank {VICTIM} on n{VICTIM + 1} cannot be reached any more")

    def await_contact(self, job):
        """Until one of the others has made contact with the victim, because it waits for it."""
        self.await_words(job, f"looks after rank {VICTIM}")

    def await_words(self, job, words):
        said = []
        while words not in (line := job.stderr.readline()):
            said.append(line)
            self.assertTrue(line, f"{words!r} is never said, but {said}")


class Faults(FaultCase):
    def test_a_rank_dies_beside_others(self):
        for what in ("receive", "exchange"):
            with self.subTest(what=what):
                job = self.start(1, 4, what)
                self.kill_victim(4)
                said = self.assert_ends(job)
                # srun names it alone, or among those that it has killed then, or one of these has seen it end.
                self.assertRegex(said, rf"task {VICTIM}: Killed|rank {VICTIM} has ended")

    @needs_transport
    def test_the_only_rank_of_a_node_dies(self):
        self.assert_lonely_death_is_noticed("receive", "compute")

    @needs_transport
    def test_who_wants_to_goes_on_without_it(self):
        job = self.start(3, 1, "go_on")
        for _ in range(2):
            self.await_contact(job)
        self.kill_victim(1)
        out, err = job.communicate(timeout=2 * PATIENCE)
        heard = sorted(line for line in out.splitlines() if line.startswith("rank"))  # UCX logs to the same place
        self.assertEqual(heard, ["rank 0 has heard m from 2", "rank 0: the victim is lost",
                                 "rank 2 has heard m from 0", "rank 2: the victim is lost"], err)
        for rank in (0, 2):  # an error code names nobody
            self.assertIn(f"rank {rank} on n{rank + 1}: rank {VICTIM} on n{VICTIM + 1} cannot be reached any more", err)

    @needs_transport
    def test_a_node_crashes(self):
        job = self.start(4, 1, "exchange")
        self.crash_node()
        self.assert_ends(job)

    @needs_transport
    def test_a_link_is_cut_for_a_while(self):
        job = self.srun(4, 1, SOAK, "8s")
        self.assertTrue(job.stderr.readline().startswith("soak: seed"))  # all have begun
        self.assertEqual(command("link", RIG, "cut", "n2").returncode, 0)
        time.sleep(3)  # the fault itself
        self.assertEqual(command("link", RIG, "restore", "n2").returncode, 0)
        _, err = job.communicate(timeout=2 * PATIENCE)
        self.assertEqual(job.returncode, 0, err)


class Long(FaultCase):
    @needs_transport
    def test_the_only_rank_of_a_node_dies(self):
        self.assert_lonely_death_is_noticed("receive_anything", "barrier", "exchange", "finalize")

    @needs_transport
    def test_a_node_loses_its_power(self):
        """Nobody hears that its connections end; Slurm's pings find out."""
        job = self.start(4, 1, "exchange")
        self.assertEqual(command("link", RIG, "cut", f"n{VICTIM + 1}").returncode, 0)
        self.crash_node()
        self.assert_ends(job, f"Node failure on n{VICTIM + 1}")

    @needs_transport
    def test_a_link_is_cut_for_good(self):
        """How long TCP tries is a setting of each node, here seconds; Slurm is told to wait longer than that."""
        self.parts = self.up(RIG, "-n", 3, "--replace", "--slurm-conf", "SlurmdTimeout=300")
        for node in ("n1", "n2", "n3"):
            command("run", RIG, "--on", node, "--", "sysctl", "-qw", "net.ipv4.tcp_retries2=4")
        job = self.start(3, 1, "exchange")
        time.sleep(1)  # traffic
        self.assertEqual(command("link", RIG, "cut", f"n{VICTIM + 1}").returncode, 0)
        began = time.monotonic()
        self.await_words(job, f"rank {VICTIM} on n{VICTIM + 1} cannot be reached any more")
        self.assertLess(time.monotonic() - began, BOUND)

    def test_a_time_limit_reaches_the_ranks(self):
        """Slurm counts in minutes."""
        job = self.srun(2, 2, "--time=1", SIGNALS)
        out, err = job.communicate(timeout=3 * PATIENCE)
        for rank in range(4):
            self.assertIn(f"caught {signal.SIGTERM.value} by {rank}", out, err)


if __name__ == "__main__":
    main()
