# SPDX-License-Identifier: BSD-3-Clause
"""A test case that runs jobs which lose ranks, in a directory of its own, where nothing may be left."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

MPIEXEC = os.environ["MPIEXEC"]
LONGEST = 60  # seconds


class SurvivingCase(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="bowline-survivors-"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def run_job(self, options, ranks, command, settings):
        """`command`: a program and its arguments."""
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PMIX_", "SLURM_", "PMI_"))}
        words = [MPIEXEC, *options, "--timeout", str(LONGEST), "-n", str(ranks), *command]
        return subprocess.run(words, env=inherited | settings | {"TMPDIR": str(self.directory)}, cwd=self.directory,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=2 * LONGEST,
                              check=False)

    def assert_nothing_left(self):
        self.assertEqual(list(self.directory.iterdir()), [])
