# SPDX-License-Identifier: BSD-3-Clause
"""Where reading another process's memory is forbidden, long messages take another path, and each receiver says so once
for each sender."""
import collections
import os
import re
import subprocess
import unittest

MPIEXEC = os.environ["MPIEXEC"]
PROGRAMS = os.environ["PROGRAMS"]
DENY = [os.environ["DENY_CALLS"], "process_vm_readv,process_vm_writev"]
REFUSED = re.compile(r"^bowline: rank (\d+) on \S+: cross-memory attach to rank (\d+) \(process \d+\) is refused: "
                     r"(.*)$", re.MULTILINE)
COMPARED = re.compile(r"^bowline: rank \d+ on \S+: \w+ of \d+ bytes among \d+ ranks: .*\n", re.MULTILINE)
# Every message that is announced would be read from the sender's memory; what is told includes information.
SETTINGS = {"BOWLINE_LONG_MESSAGES": "single_copy", "BOWLINE_LOG_LEVEL": "2"}


def run(ranks, *command, **settings):
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PMIX_", "SLURM_", "PMI_"))}
    return subprocess.run([MPIEXEC, "--timeout", "80", "-n", str(ranks), *command], env=inherited | SETTINGS | settings,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100, check=False)


def program(name):
    return os.path.join(PROGRAMS, name)


class SingleCopy(unittest.TestCase):
    def setUp(self):
        tried = subprocess.run([*DENY, "true"], capture_output=True, text=True, check=False)
        if tried.returncode == 77:
            self.skipTest(tried.stderr.strip())
        self.assertEqual((tried.returncode, tried.stderr), (0, ""))

    def check(self, name, ranks, messages_are_long=True):
        done = run(ranks, *DENY, program(name))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("checks passed", done.stdout)
        told = REFUSED.findall(done.stderr)
        self.assertEqual({reason.split(";")[0] for *_, reason in told} - {"Operation not permitted"}, set())
        self.assertEqual([pair for pair, times in collections.Counter(told).items() if times != 1], [])
        if messages_are_long:
            self.assertGreaterEqual(len(told), ranks, done.stderr)
        self.assertEqual(REFUSED.sub("", COMPARED.sub("", done.stderr)).strip(), "")

    def test_data(self):
        self.check("p2p_data", 2)
        self.check("p2p_data", 3)

    def test_truncation(self):
        self.check("truncation", 2)

    def test_completion(self):
        self.check("completion", 4, messages_are_long=False)

    def test_matching(self):
        self.check("p2p_matching", 3, messages_are_long=False)

    def test_collectives(self):
        self.check("collectives", 5, messages_are_long=False)
        self.check("reductions", 4, messages_are_long=False)

    def test_threads(self):
        self.check("threads", 2, messages_are_long=False)

    def test_not_refused_not_told(self):
        """The filter alone makes the difference."""
        done = run(2, program("p2p_data"))
        self.assertEqual(done.returncode, 0, done.stderr)
        if REFUSED.search(done.stderr):
            self.skipTest("cross-memory attach is refused on this machine, filter or not")
        self.assertEqual(done.stderr, "")

    def test_not_wanted_not_tried(self):
        done = run(2, *DENY, program("p2p_data"), BOWLINE_CROSS_MEMORY_ATTACH="0")
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
