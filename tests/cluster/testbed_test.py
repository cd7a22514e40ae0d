# SPDX-License-Identifier: BSD-3-Clause
"""The testbed itself: its nodes are machines of their own, it comes up fast, and nothing is left of it, even after any
of its processes was killed."""
import itertools
import os
import signal
import subprocess
import sys
import time
import unittest

from rig_case import CANNOT, PATIENCE, TESTBED, RigCase, command, eventually, main, read, running, words

RIG = f"test-{os.getpid()}"
NUMBERS = itertools.count()
LOOK = ("hostname; cat /proc/sys/kernel/random/boot_id; readlink /proc/self/ns/net; ls /sys/class/net; "
        "ls -A /dev/shm /tmp")


class Testbed(RigCase):
    def setUp(self):
        self.rig = f"{RIG}-{next(NUMBERS)}"

    def test_up_and_down(self):
        parts = self.up(self.rig, "-n", 4)
        self.assertEqual(sorted(parts.nodes), ["n1", "n2", "n3", "n4"])
        self.assertGreater(len(parts.all), 4 * 3)
        self.assertGreaterEqual(len(parts.namespaces), 5 * 5)  # five kinds, five machines
        self.assert_down_leaves_nothing(self.rig, parts)

    def test_nodes_are_machines_of_their_own(self):
        self.up(self.rig, "-n", 2)
        views = []
        for node in ("n1", "n2"):
            command("run", self.rig, "--on", node, "--", "touch", f"/dev/shm/{node}", f"/tmp/{node}")
            views.append(command("run", self.rig, "--on", node, "--", "sh", "-c", LOOK).stdout.split())
        self.assertEqual([view[0] for view in views], ["n1", "n2"])
        for part in (1, 2):
            self.assertNotEqual(views[0][part], views[1][part])
        for node, view in zip(("n1", "n2"), views):
            self.assertEqual(view[3:], ["eth0", "lo", "/dev/shm:", node, "/tmp:", node])
        self.assertFalse(os.path.exists("/dev/shm/n1") or os.path.exists("/tmp/n1"))

    def test_a_job_runs_on_all_nodes(self):
        self.up(self.rig, "-n", 3)
        done = command("run", self.rig, "--", "srun", "-N3", "hostname")
        self.assertEqual((done.returncode, sorted(done.stdout.split())), (0, ["n1", "n2", "n3"]), done.stderr)

    def test_status_and_signals_go_through(self):
        self.up(self.rig, "-n", 1)
        self.assertEqual(command("run", self.rig, "--", "sh", "-c", "exit 7").returncode, 7)
        self.assertEqual(command("run", self.rig, "--", "sh", "-c", "kill -TERM $$").returncode, 128 + signal.SIGTERM)
        script = "trap 'echo caught; exit 3' TERM; echo ready; while :; do sleep 0.05; done"
        with subprocess.Popen(words("run", self.rig, "--", "sh", "-c", script), stdout=subprocess.PIPE,
                              text=True) as job:
            self.assertEqual(job.stdout.readline(), "ready\n")
            job.terminate()
            self.assertEqual((job.stdout.read(), job.wait(PATIENCE)), ("caught\n", 3))

    def test_a_signal_that_comes_at_once_goes_through(self):
        """Right after `run` has made the process for the command, before it does anything else."""
        interrupted = ("import os, signal\nfrom cluster import enter\nfork = os.fork\n"
                       "def interrupted_fork():\n    child = fork()\n"
                       "    if child != 0: os.kill(os.getpid(), signal.%s)\n    return child\n"
                       "os.fork = interrupted_fork\n"
                       "raise SystemExit(enter.run(os.getpid(), ['sleep', '%d'], dict(os.environ)))")
        for name in ("SIGTERM", "SIGINT"):
            with self.subTest(signal=name):
                done = subprocess.run([sys.executable, "-c", interrupted % (name, PATIENCE)], cwd=TESTBED,
                                      timeout=2 * PATIENCE, check=False)
                self.assertEqual(done.returncode, 128 + getattr(signal, name))

    def test_whatever_is_killed_nothing_is_left(self):
        victims = {
            "the process that waits for the login node": lambda parts: parts.waiting,
            "the login node": lambda parts: parts.login,
            "a node": lambda parts: parts.nodes["n2"],
            "slurmctld": lambda parts: parts.named("slurmctld"),
            "slurmd": lambda parts: parts.named("slurmd"),
            "munged": lambda parts: parts.named("munged"),
        }
        for what, choose in victims.items():
            with self.subTest(what=what):
                parts = self.up(self.rig, "-n", 2)
                victim = choose(parts)
                os.kill(victim, signal.SIGKILL)
                self.assertTrue(eventually(lambda: not running(victim)))  # pylint: disable=cell-var-from-loop
                self.assert_down_leaves_nothing(self.rig, parts)

    def test_down_in_the_middle_of_a_job(self):
        parts = self.up(self.rig, "-n", 2)
        with subprocess.Popen(words("run", self.rig, "--", "srun", "-N2", "sh", "-c", "echo on; sleep 60"),
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as job:
            self.assertEqual(job.stdout.readline(), "on\n")
            self.assert_down_leaves_nothing(self.rig, parts)
            self.assertNotEqual(job.wait(PATIENCE), 0)

    def test_up_is_killed_at_any_moment(self):
        self.up(self.rig, "-n", 2)
        command("down", self.rig)
        for delay in (0.1, 0.2, 0.3, 0.5):
            with subprocess.Popen(words("up", self.rig, "-n", 2), stdout=subprocess.DEVNULL) as start:
                time.sleep(delay)
                start.kill()
            self.assertEqual(command("down", self.rig).returncode, 0)
            left = [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc")))
                    if f"/{self.rig}\0" in read(f"/proc/{pid}/cmdline") and running(pid)]
            self.assertEqual(left, [], delay)
            self.assertFalse(os.path.exists(f"/var/tmp/bowline-testbed/{self.rig}"), delay)

    def test_a_crashed_node_is_noticed(self):
        parts = self.up(self.rig, "-n", 2)
        os.kill(parts.nodes["n2"], signal.SIGKILL)
        self.assertTrue(eventually(lambda: not running(parts.nodes["n2"])))
        done = command("run", self.rig, "--on", "n2", "--", "true")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Atestbed: .*no node n2, or it has crashed; its nodes are n1, n2\n\Z")

    def test_the_switches_keep_their_addresses(self):
        """Or else the nodes could lose the login node when one of them crashes."""
        self.up(self.rig, "-n", 2)
        files = [f"/sys/class/net/{switch}/address" for switch in ("s0", "s1")]
        look = lambda: command("run", self.rig, "--", "cat", *files).stdout
        before = look()
        self.assertEqual(len(before.split()), 2)
        lowest = "02:00:00:00:00:01"
        self.assertEqual(command("run", self.rig, "--", "ip", "link", "set", "n2", "address", lowest).returncode, 0)
        self.assertEqual(look(), before)

    def test_two_side_by_side(self):
        first, second = self.up(self.rig, "-n", 2), self.up(f"{self.rig}-b", "-n", 3)
        self.assertFalse(first.namespaces & second.namespaces)
        for rig, nodes in ((self.rig, 2), (f"{self.rig}-b", 3)):
            done = command("run", rig, "--", "srun", "-N", nodes, "hostname")
            self.assertEqual(len(done.stdout.split()), nodes, done.stderr)
        self.assert_down_leaves_nothing(self.rig, first)
        done = command("run", f"{self.rig}-b", "--", "srun", "-N3", "hostname")
        self.assertEqual(len(done.stdout.split()), 3, done.stderr)
        self.assert_down_leaves_nothing(f"{self.rig}-b", second)

    def test_a_second_one_of_the_same_name(self):
        self.up(self.rig, "-n", 1)
        done = command("up", self.rig, "-n", 1)
        self.assertEqual(done.returncode, 1)
        self.assertIn("is up already", done.stderr)
        self.assertEqual(command("up", self.rig, "-n", 1, "--replace").returncode, 0)

    def reaches(self, address):
        """Whether the login node's Slurm port can be reached from n1 (through both of their links)."""
        script = f"exec 3<>/dev/tcp/{address}/6818"
        return command("run", self.rig, "--", "timeout", "1", "bash", "-c", script).returncode == 0

    def test_links(self):
        self.up(self.rig, "-n", 2, "--rate", "100mbit")
        limits = lambda: command("run", self.rig, "--on", "n2", "--", "tc", "qdisc", "show", "dev", "eth0").stdout
        self.assertIn("rate 100Mbit", limits())
        self.assertEqual(command("link", self.rig, "limit", "n2", "none").returncode, 0)
        self.assertNotIn("rate", limits())
        self.assertTrue(self.reaches("n2"))
        self.assertEqual(command("link", self.rig, "cut", "n2").returncode, 0)
        self.assertFalse(self.reaches("n2"))
        self.assertTrue(self.reaches("n1"))
        self.assertEqual(command("link", self.rig, "restore", "n2").returncode, 0)
        self.assertTrue(eventually(lambda: self.reaches("n2"), 10))

    def test_two_switches(self):
        self.up(self.rig, "-n", 4, "--switches", 2)
        done = command("run", self.rig, "--", "srun", "-N4", "-l", "sh", "-c", "echo $SLURM_TOPOLOGY_ADDR")
        self.assertEqual(sorted(done.stdout.splitlines()),
                         ["0: s0.s1.n1", "1: s0.s1.n2", "2: s0.s2.n3", "3: s0.s2.n4"], done.stderr)
        self.assertTrue(self.reaches("n1") and self.reaches("n4"))


class Sentences(RigCase):
    """What a user is told who cannot have what was asked for."""

    def assert_refused(self, done, status, *words):
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertRegex(done.stderr, r"\Atestbed: [^\n]+\n\Z")
        for word in words:
            self.assertIn(word, done.stderr)

    def test_wrong_shapes(self):
        self.assert_refused(command("up", RIG, "-n", 0), 1, "nodes is 0", "1 to 64")
        self.assert_refused(command("up", RIG, "-n", 2, "--switches", 3), 1, "switches is 3", "1 to 2")
        self.assert_refused(command("up", RIG, "--share", "/usr"), 1, "/usr", "/tmp")
        self.assertFalse(os.path.exists(f"/var/tmp/bowline-testbed/{RIG}"))

    def test_names(self):
        self.assert_refused(command("down", "../x"), 1, "'../x'", "letters")

    def test_no_rig(self):
        self.assert_refused(command("run", RIG, "--", "true"), 1, RIG, "slurm/testbed/up")

    def test_packages_are_missing(self):
        hide = "mount -t tmpfs none /usr/sbin && exec \"$@\""
        done = subprocess.run(["unshare", "--mount", "sh", "-c", hide, "-", *words("up", RIG)],
                              capture_output=True, text=True, check=False)
        self.assert_refused(done, CANNOT, "cannot be used here", "munge", "slurmctld", "scripts/setup cluster")

    def test_rights_are_missing(self):
        # By the interpreter that this user finds: the one that runs the tests may lie where only root may look.
        done = subprocess.run([TESTBED / "up", "--name", RIG], capture_output=True, text=True, check=False, user=65534,
                              group=65534, extra_groups=[])
        self.assert_refused(done, CANNOT, "cannot be used here")


if __name__ == "__main__":
    main()
