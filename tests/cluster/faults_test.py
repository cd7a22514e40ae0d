# SPDX-License-Identifier: BSD-3-Clause
"""Ranks are killed, nodes crash and links are cut in the middle of traffic: jobs end soon, or go on as if nothing had
been.

UCX=1 in the environment says that this build has a transport between nodes; without it jobs stay on one node.
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
PROGRAM, SOAK = os.environ["DEAD_RANK"], os.environ["SOAK"]
VICTIM = 1  # dead_rank's
BOUND = 30  # seconds
needs_transport = unittest.skipUnless(os.environ.get("UCX") == "1", "this build has no transport between nodes")


class Faults(RigCase):
    def setUp(self):
        self.parts = self.up(RIG, "-n", 4, "--replace")
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="bowline-faults-", dir="/var/tmp"))  # all nodes see it
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def srun(self, nodes, each, *words):
        """KillOnBadExit is not set: the harder case."""
        job = subprocess.Popen([TESTBED / "run", "--name", RIG, "--", "srun", "--mpi=pmix", f"-N{nodes}",
                                f"--ntasks-per-node={each}", *words], cwd=self.directory, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
        self.addCleanup(job.communicate)
        self.addCleanup(job.kill)
        return job

    def start(self, nodes, each, what):
        """Starts dead_rank; returns the job when all ranks have begun."""
        job = self.srun(nodes, each, PROGRAM, what)
        ready = [self.directory / f"ready.{rank}" for rank in range(nodes * each)]
        self.assertTrue(eventually(lambda: all(path.exists() for path in ready)), "the ranks never begin")
        return job

    def kill_victim(self, each):
        pid = (self.directory / f"ready.{VICTIM}").read_text(encoding="utf-8").strip()
        done = command("run", RIG, "--on", f"n{VICTIM // each + 1}", "--", "sh", "-c", f"kill -KILL {pid}")
        self.assertEqual(done.returncode, 0, done.stderr)

    def assert_ends(self, job, *words):
        began = time.monotonic()
        _, err = job.communicate(timeout=2 * PATIENCE)
        self.assertLess(time.monotonic() - began, BOUND, err)
        self.assertNotEqual(job.returncode, 0, err)
        for word in words:
            self.assertIn(word, err)

    def test_a_rank_dies_beside_others(self):
        for what in ("receive", "exchange"):
            with self.subTest(what=what):
                for old in self.directory.glob("*.[0-9]*"):
                    old.unlink()
                job = self.start(1, 4, what)
                self.kill_victim(4)
                self.assert_ends(job, f"task {VICTIM}: Killed")

    @needs_transport
    def test_the_only_rank_of_a_node_dies(self):
        job = self.start(4, 1, "exchange")
        self.kill_victim(1)
        self.assert_ends(job, f"rank {VICTIM}")

    @needs_transport
    def test_a_node_crashes(self):
        job = self.start(4, 1, "exchange")
        os.kill(self.parts.nodes[f"n{VICTIM + 1}"], signal.SIGKILL)
        self.assert_ends(job)

    @needs_transport
    def test_a_link_is_cut_for_a_while(self):
        job = self.srun(4, 1, SOAK, "2000")
        self.assertTrue(job.stderr.readline().startswith("soak: seed"))  # all have begun
        self.assertEqual(command("link", RIG, "cut", "n2").returncode, 0)
        time.sleep(3)  # the fault itself
        self.assertEqual(command("link", RIG, "restore", "n2").returncode, 0)
        _, err = job.communicate(timeout=2 * PATIENCE)
        self.assertEqual(job.returncode, 0, err)


if __name__ == "__main__":
    main()
