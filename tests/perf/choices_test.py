# SPDX-License-Identifier: BSD-3-Clause
"""perf/choices as its users run it. Environment: SIM is the simulator."""

import os
import subprocess
import sys
import unittest

from made_up import PERF


def choices(*arguments):
    return subprocess.run([sys.executable, str(PERF / "choices"), "--sim", os.environ["SIM"], *map(str, arguments)],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)


class Choices(unittest.TestCase):
    def test_the_defaults_for_many_ranks_are_near_the_simulators_choice(self):
        done = choices("--nodes", 4, "--ppn", 16, "--bytes", "8,1K,16K,256K")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout,
                         r"0 of 37 choices take more than 1\.2 times as long as the best, at most 1\.\d\d\n")

    def test_what_is_far_from_the_best_is_printed(self):
        done = choices("--op", "reduce", "--nodes", 64, "--ppn", 24, "--bytes", "4K", "--factor", 1.1)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"\nreduce +64 +4K +rabenseifner +[\d.]+ +knomial +[\d.]+ +1\.\d+\n1 of 1 ")

    def test_wrong_arguments_are_one_sentence(self):
        for arguments, words in ((["--op", "dance"], "--op: invalid choice: 'dance'"),
                                 (["--nodes", "0"], "--nodes: '0' is no whole number"),
                                 (["--ppn", "x"], "--ppn: 'x' is no whole number"),
                                 (["--bytes", "8,,9"], "--bytes: '' is no whole number"),
                                 (["--machine", "/nowhere"], "/nowhere: the file cannot be opened"),
                                 (["--factor", "0.5"], "'0.5' is no number of at least 1"),
                                 (["--factor", "x"], "'x' is no number"), (["--patience", "0"], "'0' is no number of"),
                                 (["--sim", "/nowhere"], "--sim /nowhere cannot be run"), (["--fast"], "--fast")):
            with self.subTest(arguments):
                done = choices(*arguments)
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
