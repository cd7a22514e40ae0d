# SPDX-License-Identifier: BSD-3-Clause
"""Machines that are short of something: a tiny and full /dev/shm does not matter, and where memory is short there is an
error in words instead of a process that the kernel kills."""
import os
import re
import subprocess
import unittest

from memory_cgroup import MemoryGroup

MPIEXEC = os.environ["MPIEXEC"]
PROGRAMS = os.environ["PROGRAMS"]
SANITIZED = os.environ.get("SANITIZED") == "1"
MIB = 1 << 20


def run(command, variables=None, **options):
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PMIX_", "SLURM_", "PMI_"))}
    return subprocess.run(command, env=inherited | (variables or {}), stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=100, check=False, **options)


class SharedMemoryFileSystem(unittest.TestCase):
    """/dev/shm of 64 KiB, full, seen by the job only."""

    PREPARE = ("mount -t tmpfs -o size=64k tiny /dev/shm && { head -c 1000000 /dev/zero >/dev/shm/filler 2>/dev/null; "
               "[ $(stat -f -c %f /dev/shm) = 0 ]; } && exec \"$@\"")

    def test_is_not_used(self):
        for unshare in (["unshare", "-m"], ["unshare", "-r", "-m"]):
            prefix = [*unshare, "sh", "-c", self.PREPARE, "sh"]
            tried = run([*prefix, "true"])
            if tried.returncode == 0:
                break
        else:
            self.skipTest(f"no mount namespace can be made here: {tried.stderr.strip()}")
        for program in ("p2p_data", "truncation"):
            done = run([*prefix, MPIEXEC, "-n", "2", os.path.join(PROGRAMS, program)])
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertRegex(done.stdout, r"\d+ checks passed")


class MemoryLimit(unittest.TestCase):
    LIMIT = 96 * MIB

    def setUp(self):
        if SANITIZED:
            self.skipTest("sanitizers need more memory than this test allows")
        try:
            self.group = MemoryGroup(self.LIMIT)
        except OSError as error:
            self.skipTest(f"no memory cgroup can be made here: {error}")
        self.addCleanup(self.group.close)

    def run_limited(self, *arguments):
        """Two ranks that send to each other need one ring each."""
        return run([MPIEXEC, "-n", "2", os.path.join(PROGRAMS, "no_memory"), *arguments],
                   preexec_fn=self.group.enter)

    def full(self):
        """The arguments with which a program fills the group."""
        return str(self.group.used_file), str(self.group.directory / "memory.stat"), str(self.LIMIT)

    def test_rings_that_fit(self):
        done = self.run_limited()
        self.assertEqual((done.returncode, done.stderr, self.group.kills()), (0, "", 0))
        self.assertEqual(len(re.findall("0 refused", done.stdout)), 2, done.stdout)

    def test_a_send_without_room_is_an_error(self):
        done = self.run_limited(*self.full())
        self.assertEqual((done.returncode, self.group.kills()), (0, 0), done.stderr)
        self.assertGreaterEqual(len(re.findall(r": 1 refused", done.stdout)), 1, done.stdout)
        self.assertIn("checks passed", done.stdout)

    def test_collectives_without_memory_fail_and_are_right_when_there_is_some(self):
        done = run([MPIEXEC, "-n", "3", os.path.join(PROGRAMS, "coll_no_memory"), *self.full()],
                   preexec_fn=self.group.enter)
        self.assertEqual((done.returncode, done.stderr, self.group.kills()), (0, "", 0), done.stdout)
        self.assertEqual(len(re.findall(r"\d+ of \d+ failed", done.stdout)), 3, done.stdout)

    def test_the_error_has_the_amounts(self):
        done = self.run_limited(*self.full(), "fatal")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(self.group.kills(), 0, done.stderr)
        for word in ("signal", "SIGBUS", "Killed"):
            self.assertNotIn(word, done.stderr)
        found = re.search(r"MPI_Send: (\d+) bytes of shared memory are needed .* of which (\d+) .* only (\d+) bytes "
                          "are left in the memory cgroup " + re.escape(str(self.group.directory)), done.stderr)
        self.assertTrue(found, done.stderr)
        needed, missing, left = map(int, found.groups())
        self.assertLessEqual(missing, needed)
        self.assertLess(left, missing + MIB)


if __name__ == "__main__":
    unittest.main()
