# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the installed tree share."""
import os
import pathlib
import subprocess
import tempfile
import unittest

PREFIX = pathlib.Path(os.environ["PREFIX"])
SHARE = PREFIX / "share/bowline"
CONSUMER = pathlib.Path(__file__).resolve().parent / "consumer"
SOURCE = str(CONSUMER / "ranks.c")
OVERRIDES = {"BOWLINE_FC", "MPICH_FC", "OMPI_FC", "FC",
             "BOWLINE_CC", "MPICH_CC", "OMPI_CC", "BOWLINE_CXX", "MPICH_CXX", "OMPI_CXX", "LD_LIBRARY_PATH",
             "CC", "CXX"}


class InstallTest(unittest.TestCase):
    FOLDER = "with spaces "  # what the name of the tests' folder begins with

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix=self.FOLDER)
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)

    def run_program(self, *command, input="", **environment):
        """Runs the command in the test's folder, whatever its status is."""
        clean = {k: v for k, v in os.environ.items() if k not in OVERRIDES}
        return subprocess.run([str(word) for word in command], cwd=self.directory, env=clean | environment,
                              input=input, capture_output=True, text=True, timeout=200, check=False)

    def call(self, *command, status=0, **environment):
        done = self.run_program(*command, **environment)
        self.assertEqual(done.returncode, status, f"{command}\n{done.stdout}\n{done.stderr}")
        return done

    def output(self, *command, **environment):
        return self.call(*command, **environment).stdout.strip()

    def check_runs(self, program, prefix=PREFIX):
        self.assertIn("sum of 3 ranks: 6", self.output(prefix / "bin/mpiexec", "-n", "3", self.directory / program))
