# SPDX-License-Identifier: BSD-3-Clause
"""bowline-info --selftest in an allocation: between neighbours and far nodes. INFO names the program."""
import os
import pathlib
import subprocess
import tempfile
import unittest

from rig_case import command, main

RIG, INFO = os.environ["RIG"], os.environ["INFO"]


class Selftest(unittest.TestCase):
    """Starts it in an allocation."""

    def selftest(self, allocated, *words):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="bowline-selftest-", dir="/var/tmp"))  # all nodes see it
        self.addCleanup(subprocess.run, ["rm", "-rf", folder], check=False)
        return command("run", RIG, "--", "sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", folder, "salloc",
                       f"-N{allocated}", "--ntasks-per-node=1", INFO, "--selftest", *words, timeout=240)


class Far(Selftest):
    """Takes long where nodes share the cores of one machine."""

    def test_nodes_that_are_far_apart(self):
        done = self.selftest(3, "--nodes", 3, "--seconds", 100)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for what in ("shared memory .* 3 nodes", "network ucx, 3 nodes .* TCP", "neighbours: eager messages, 8 bytes",
                     "neighbours: long messages, as chosen, 4 MiB .* a virtual link",
                     "neighbours: long messages, by put",
                     "neighbours: window by messages", "first and last node: eager messages, 8 KiB"):
            self.assertRegex(done.stdout, rf"(?m)^(ok|slow) +{what}")
        self.assertRegex(done.stdout, r"(?m)^verdict: ")


class BadInput(Selftest):
    def test_more_nodes_than_there_are(self):
        done = self.selftest(2, "--nodes", 3)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"(?m)^bowline-info: --nodes 3: this allocation has 2 \(n\[\d+-\d+\]\): ask for "
                                      "as many with salloc -N 3$")


if __name__ == "__main__":
    main()
