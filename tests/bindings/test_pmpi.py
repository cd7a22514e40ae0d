# SPDX-License-Identifier: BSD-3-Clause
"""A profiling tool sees the program's calls, preloaded or linked in.

Usage: test_pmpi.py PROGRAM PROGRAM_WITH_TOOL TOOL [unittest arguments]
"""

import os
import subprocess
import sys
import unittest

PROGRAM, PROGRAM_WITH_TOOL, TOOL = sys.argv[1:4]
del sys.argv[1:4]


def run(program, **environment):
    return subprocess.run([program], env=os.environ | environment, capture_output=True, text=True, timeout=60,
                          check=False)


class PmpiTest(unittest.TestCase):
    def expect(self, result, output):
        self.assertEqual((result.returncode, result.stderr, result.stdout), (0, "", output))

    def test_without_a_tool(self):
        self.expect(run(PROGRAM), "the numbers sum up to 28\n")

    def test_preloaded(self):
        self.expect(run(PROGRAM, LD_PRELOAD=TOOL), "the numbers sum up to 28\nMPI_Send was called 7 times\n")

    def test_linked_in(self):
        self.expect(run(PROGRAM_WITH_TOOL), "the numbers sum up to 28\nMPI_Send was called 7 times\n")


if __name__ == "__main__":
    unittest.main()
