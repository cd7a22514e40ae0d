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
import threading
import time
import unittest

from rig_case import PATIENCE, RigCase, command, eventually, first_nodes, main, read, words

RIG = f"faults-{os.getpid()}"
PROGRAM, SOAK, SIGNALS, DEAD_MEMBER = (os.environ[name] for name in ("DEAD_RANK", "SOAK", "SIGNALS", "DEAD_MEMBER"))
VICTIM = 1  # dead_rank's
WATCHFUL = {"BOWLINE_WATCH_AFTER": "1", "BOWLINE_LOG_LEVEL": "2"}
# How soon TCP gives up a connection: one with data under way, one that rests (UCX asks for that), one that begins, as
# UCX does again when it has lost one over which its peer has not answered yet.
IMPATIENT_NODE = ("net.ipv4.tcp_retries2=4", "net.ipv4.tcp_syn_retries=2")
IMPATIENT_UCX = {"UCX_TCP_KEEPIDLE": "2s", "UCX_TCP_KEEPINTVL": "1s", "UCX_TCP_KEEPCNT": "3"}
needs_transport = unittest.skipUnless(os.environ.get("UCX") == "1", "this build has no transport between nodes")


class FaultCase(RigCase):
    patience = {}  # of UCX; its own

    def setUp(self):
        self.parts = self.up(RIG, "-n", 4, "--replace")
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="bowline-faults-", dir="/var/tmp"))  # all nodes see it
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def srun(self, nodes, each, *program):
        """KillOnBadExit is not set: the harder case."""
        job = subprocess.Popen(words("run", RIG, "--", "srun", "--mpi=pmix", *first_nodes(nodes),
                                     f"--ntasks-per-node={each}", *program), cwd=self.directory, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=os.environ | WATCHFUL | self.patience)
        self.addCleanup(job.communicate)
        self.addCleanup(job.kill)
        end = threading.Timer(4 * PATIENCE, command, ("down", RIG))  # of a job that hangs, and of who reads from it
        self.addCleanup(end.cancel)
        end.start()
        return job

    def start(self, nodes, each, what, *wrapper):
        """Starts dead_rank; returns the job when all ranks have begun."""
        for old in (*self.directory.glob("*.[0-9]*"), self.directory / "dead"):
            old.unlink(missing_ok=True)
        job = self.srun(nodes, each, *wrapper, PROGRAM, what)
        ready = [self.directory / f"ready.{rank}" for rank in range(nodes * each)]
        self.assertTrue(eventually(lambda: all(path.exists() for path in ready)), "the ranks never begin")
        return job

    def kill_lonely_victim(self, job):
        """Not before its neighbour knows where it was."""
        known = f"rank {VICTIM - 1} on n{VICTIM}: knows where rank {VICTIM} is"
        self.assertTrue(eventually(lambda: known in self.said() or job.poll() is not None), f"{known!r} is never said")
        self.kill_victim(1)

    def kill_victim(self, each):
        pid = (self.directory / f"ready.{VICTIM}").read_text(encoding="utf-8").strip()
        done = command("run", RIG, "--on", f"n{VICTIM // each + 1}", "--", "sh", "-c", f"kill -KILL {pid}")
        self.assertEqual(done.returncode, 0, done.stderr)
        (self.directory / "dead").touch()

    def crash_node(self):
        os.kill(self.parts.nodes[f"n{VICTIM + 1}"], signal.SIGKILL)

    def assert_ends(self, job):
        _, err = job.communicate(timeout=2 * PATIENCE)
        self.assertNotEqual(job.returncode, 0, err)
        return err

    def said(self):
        return "".join(map(read, sorted(self.directory.glob("said.*"))))

    def die_lonely(self, what):
        """What the ranks say, what srun says, and its exit status, when the only rank of a node has died. No PMIx
        server sees that. On a busy machine Slurm cancels the step by itself now and then, though no rank has asked
        for that: then once more. What the ranks say goes to files: srun loses some of it where a step ends so, of
        either stream."""
        for _ in range(3):
            job = self.start(3, 1, what, "-vv", "sh", "-c", 'exec "$0" "$1" >said.$SLURM_PROCID 2>&1')
            self.kill_lonely_victim(job)
            _, err = job.communicate(timeout=2 * PATIENCE)
            if "New abort client" in err or "CANCELLED" not in err:  # so srun calls a rank that asks for the end
                return self.said(), err, job.returncode
        return self.skipTest("Slurm has ended the step by itself each of three times")

    def assert_lonely_death_is_noticed(self, *deeds):
        """srun would wait for ever: the others end the step. Some deeds begin with talking to the victim; in those that
        are `late` nobody has ever been in contact with it when it dies."""
        for what in deeds:
            with self.subTest(what=what):
                said, err, status = self.die_lonely(what)
                self.assertNotEqual(status, 0, err)
                self.assertIn(f"n{VICTIM + 1}: task {VICTIM}: Killed", err)
                self.assertIn(f"rank {VICTIM} on n{VICTIM + 1} cannot be reached any more", said, err)

    def assert_both_name_the_victim(self, said):
        """An error code names nobody."""
        for rank in (0, 2):
            victim = rf"rank {VICTIM}( on n{VICTIM + 1})? cannot be reached any more"
            self.assertRegex(said, rf"rank {rank} on n{rank + 1}: {victim}")

    def await_contact(self, job):
        """Until one of the others has made contact with the victim, because it waits for it."""
        self.await_words(job, f"looks after rank {VICTIM}")

    def await_words(self, job, awaited):
        said = []
        while awaited not in (line := job.stderr.readline()):
            said.append(line)
            self.assertTrue(line, f"{awaited!r} is never said, but {said}")


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
    def test_collectives_with_a_rank_that_has_died_end(self):
        """Slurm does not notice. Those on its node find out; those on the other one, who wait for these, are told."""
        for count in (1, 100_000):
            with self.subTest(count=count):
                for old in self.directory.glob("over.*"):
                    old.unlink()
                out, err = self.srun(2, 2, "--overcommit", DEAD_MEMBER, count).communicate(timeout=2 * PATIENCE)
                through = sorted(line for line in out.splitlines() if "is through" in line)
                self.assertEqual(through, [f"rank {rank} is through, 0 checks failed" for rank in (0, 2, 3)], err)

    @needs_transport
    def test_the_only_rank_of_a_node_dies(self):
        self.assert_lonely_death_is_noticed("receive", "receive_late", "compute")

    @needs_transport
    def test_who_wants_to_goes_on_without_it(self):
        """`late`: nobody has been in contact with it."""
        for what in ("go_on", "go_on_late"):
            with self.subTest(what=what):
                said, err, _ = self.die_lonely(what)
                heard = sorted(line for line in said.splitlines() if line.startswith("rank"))  # logs begin otherwise
                self.assertEqual(heard, ["rank 0 has heard m from 2", "rank 0: the victim is lost",
                                         "rank 2 has heard m from 0", "rank 2: the victim is lost"], said + err)
                self.assert_both_name_the_victim(said)

    @needs_transport
    def test_a_node_crashes(self):
        job = self.start(4, 1, "exchange")
        self.crash_node()
        self.assert_ends(job)

    @needs_transport
    def test_a_link_is_cut_for_a_while(self):
        job = self.srun(4, 1, SOAK, "8s")
        self.await_words(job, "soak: seed")  # all have talked to each other: first contact needs Slurm's servers
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
        self.assertIn(f"Node failure on n{VICTIM + 1}", self.assert_ends(job))

    def impatient_rig(self):
        """How long TCP tries is a setting, here seconds; Slurm is told to wait longer than that."""
        self.patience = IMPATIENT_UCX
        self.parts = self.up(RIG, "-n", 3, "--replace", "--slurm-conf", "SlurmdTimeout=300")
        for node in ("n1", "n2", "n3"):
            done = command("run", RIG, "--on", node, "--", "sysctl", "-qw", *IMPATIENT_NODE)
            self.assertEqual(done.returncode, 0, done.stderr)

    def cut_off_victim(self):
        self.assertEqual(command("link", RIG, "cut", f"n{VICTIM + 1}").returncode, 0)

    @needs_transport
    def test_a_link_is_cut_for_good(self):
        self.impatient_rig()
        job = self.start(3, 1, "exchange")
        time.sleep(1)  # traffic
        self.cut_off_victim()
        self.await_words(job, f"rank {VICTIM} on n{VICTIM + 1} cannot be reached any more")

    @needs_transport
    def test_who_wants_to_goes_on_without_a_rank_that_is_cut_off(self):
        """With data under way and without, and to a good end; that of the step waits for the victim."""
        for what, says in (("part", "rank {0} has heard of all losses"), ("go_on", "rank {0} has heard m from {1}")):
            with self.subTest(what=what):
                self.impatient_rig()
                job = self.start(3, 1, what, "sh", "-c", '"$0" "$1"; echo $? > status.$SLURM_PROCID')
                for _ in range(2 if what == "go_on" else 0):
                    self.await_contact(job)
                self.cut_off_victim()
                ends = [self.directory / f"status.{rank}" for rank in (0, 2)]
                self.assertTrue(eventually(lambda: all(read(end) for end in ends)), "they never end")
                self.assertEqual([read(end) for end in ends], ["0\n", "0\n"])
                command("down", RIG)
                out, err = job.communicate(timeout=PATIENCE)
                heard = sorted(line for line in out.splitlines() if line.startswith("rank"))
                expected = [line for rank, other in ((0, 2), (2, 0))
                            for line in (says.format(rank, other), f"rank {rank}: the victim is lost")]
                self.assertEqual(heard, sorted(expected), err)
                self.assert_both_name_the_victim(err)

    def test_a_time_limit_reaches_the_ranks(self):
        """Slurm counts in minutes."""
        job = self.srun(2, 2, "--time=1", SIGNALS)
        out, err = job.communicate(timeout=3 * PATIENCE)
        for rank in range(4):
            self.assertIn(f"caught {signal.SIGTERM.value} by {rank}", out, err)


if __name__ == "__main__":
    main()
