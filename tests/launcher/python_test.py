# SPDX-License-Identifier: BSD-3-Clause
"""Pages about programs in Python have the lines of the Python code."""
import os
import socket
import sys
import unittest

import at_once
from launcher_case import LauncherCase

HOST = socket.gethostname()
WORLD = "on MPI_COMM_WORLD"
PROGRAM = """import ctypes, os, sys
mpi = ctypes.CDLL(sys.argv[1])
world = ctypes.c_void_p(0x101)
value = ctypes.c_int(0)
mpi.MPI_Init(None, None)
def solve():
    mpi.MPI_Barrier(world)
if sys.argv[2] == "error":
    mpi.MPI_Recv(ctypes.byref(value), 1, ctypes.c_void_p(0), 0, 7, world, None)
if os.environ["PMIX_RANK"] == "0":
    solve()
mpi.MPI_Probe(0, 7, world, None)
"""


class Python(LauncherCase):
    def run_program(self, what, *command, **settings):
        program = self.directory / "solver.py"
        program.write_text(PROGRAM, encoding="utf-8")
        return self.run_mpiexec("--timeout", 60, "-n", 2, *command, sys.executable, program, os.environ["LIBRARY"],
                                what, env=self.environment | {"BOWLINE_HANG_SECONDS": "1"} | settings)

    def assert_lines(self, done, name):
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, rf"{name}: rank 0 on {HOST}: in MPI_Barrier {WORLD}, operation 1, awaiting "
                                      r"rank 1 \(solver\.py:7\), for \d")
        self.assertRegex(done.stderr, rf"{name}: rank 1 on {HOST}: in MPI_Probe {WORLD} from rank 0, tag 7 "
                                      r"\(solver\.py:12\), for \d")

    def test_deadlock(self):
        self.assert_lines(self.run_program("deadlock"), "mpiexec")

    def test_deadlock_found_by_the_ranks(self):
        self.assert_lines(self.run_program("deadlock", "env", "-u", "BOWLINE_WAIT_BOARD"), "bowline")

    def test_error(self):
        done = self.run_program("error")
        self.assertIn("datatype", done.stderr)
        self.assertIn("(called at solver.py:9)", done.stderr)


if __name__ == "__main__":
    at_once.main()
