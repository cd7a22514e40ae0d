# SPDX-License-Identifier: BSD-3-Clause
"""Each mistake gets one line that names it and status 2, before anything is started."""
import os
import subprocess
import unittest

from launcher_case import LauncherCase, MPIEXEC

TABLE = [  # arguments, words that the line must hold
    ([], ["no program given", "-n N program"]),
    (["-n", "2"], ["no program given"]),
    (["-n"], ["--n", "needs a value"]),
    (["-n", "0", "true"], ["-n 0", "at least 1"]),
    (["-n", "-3", "true"], ["-n -3", "at least 1"]),
    (["-n", "two", "true"], ["-n two", "whole number"]),
    (["-n", "2.5", "true"], ["-n 2.5", "whole number"]),
    (["-n", "", "true"], ["whole number"]),
    (["-n", "99999999999999999999", "true"], ["-n 99999999999999999999"]),
    (["-np", "x", "true"], ["-n x"]),
    (["-n", "2000000000", "true"], ["-n 2000000000", "at most 1073741824"]),
    (["-n", "1000000000", "true"], ["-n 1000000000", "so many processes", "at most ", "fewer"]),
    (["-n", "100000000", "true"], ["-n 100000000", "so many processes", "at most ", "fewer"]),
    (["-N", "100000000", "true"], ["100000000", "so many processes", "at most "]),
    (["-N", "3000000000", "true"], ["-N 3000000000", "at most 1073741824"]),
    (["-n", "1000000000", "true", ":", "-n", "1000000000", "true"], ["2000000000 ranks together", "1073741824"]),
    (["--nonsense", "true"], ["--nonsense", "--help"]),
    (["--tag-outptu", "true"], ["--tag-outptu", "did you mean --tag-output?"]),
    (["-q", "true"], ["-q"]),
    (["-n", "2", "no-such-program-anywhere"], ["no-such-program-anywhere", "PATH"]),
    (["-n", "2", "./absent"], ["./absent", "no such program"]),
    (["-n", "2", "./data"], ["./data", "not executable", "chmod"]),
    (["-n", "2", "data"], ["data", "PATH"]),
    (["-n", "2", "present"], ["present", "write ./present"]),
    (["-n", "2", "/tmp"], ["/tmp", "directory"]),
    (["-n", "2", ""], ["empty"]),
    (["--bind-to", "hwthread", "true"], ["--bind-to hwthread", "core, none, numa, socket"]),
    (["--map-by", "node", "true"], ["--map-by node", "core, numa, slot, socket"]),
    (["--wdir", "/no/such/place", "true"], ["--wdir /no/such/place", "directory"]),
    (["--wdir", "data", "true"], ["--wdir data", "directory"]),
    (["--output-dir", "/no/such/place", "true"], ["--output-dir /no/such/place", "No such file"]),
    (["--output-dir", "data", "true"], ["--output-dir data", "not a directory"]),
    (["--timeout", "soon", "true"], ["--timeout soon", "seconds"]),
    (["--timeout", "0", "true"], ["--timeout 0", "above 0"]),
    (["--timeout", "nan", "true"], ["--timeout nan", "seconds"]),
    (["--timeout", "1e99", "true"], ["--timeout 1e99", "at most 1000000000"]),
    (["--grace", "inf", "true"], ["--grace inf", "at most 1000000000"]),
    (["--grace", "-1", "true"], ["--grace -1", "above 0"]),
    (["-x", "=value", "true"], ["-x =value", "NAME=VALUE"]),
    (["-x", "SURELY_NOT_SET_ANYWHERE", "true"], ["SURELY_NOT_SET_ANYWHERE", "not set"]),
    (["--host", "elsewhere", "true"], ["elsewhere", "srun", "prterun"]),
    (["-host", "localhost,elsewhere", "-n", "2", "true"], ["elsewhere", "srun", "prterun"]),
    (["--hosts", "localhost,,", "true"], ["host", "missing"]),
    (["-n", "2", "true", ":"], ["no program given"]),
    (["-n", "2", "true", ":", "-n", "0", "true"], ["-n 0"]),
    (["-n", "1", "sh", "-c", "echo started", ":", "-n", "1", "./absent"], ["./absent"]),
]


class BadInput(LauncherCase):
    def setUp(self):
        super().setUp()
        (self.directory / "data").write_text("no program\n", encoding="utf-8")
        (self.directory / "present").write_text("#!/bin/sh\n", encoding="utf-8")
        (self.directory / "present").chmod(0o755)

    def test_table(self):
        for arguments, words in TABLE:
            with self.subTest(arguments=arguments):
                done = self.run_mpiexec(*arguments)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(done.stdout, "")
                self.assertRegex(done.stderr, r"\Ampiexec: [^\n]+\n\Z")
                for word in words:
                    self.assertIn(word, done.stderr)

    def test_nothing_is_started(self):
        self.run_mpiexec("-n", 1, "touch", "started", ":", "-n", 1, "./absent")
        self.assertFalse((self.directory / "started").exists())

    def test_temporary_directory_that_cannot_be_written(self):
        done = self.run_mpiexec("-n", 1, "true", env=self.environment | {"TMPDIR": "/no/such/place"})
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Ampiexec: [^\n]*/no/such/place[^\n]*TMPDIR[^\n]*\n\Z")

    @unittest.skipIf(os.environ.get("SANITIZED") == "1", "UBSan itself needs file descriptors")
    def test_too_few_open_files(self):
        done = subprocess.run(["sh", "-c", f"ulimit -n 40; exec {MPIEXEC} -n 60 sleep 60"], env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Ampiexec: [^\n]*ulimit -n[^\n]*\n\Z")

    @unittest.skipIf(os.geteuid() == 0, "root may execute and enter everything")
    def test_directory_without_permission(self):
        (self.directory / "closed").mkdir(mode=0)
        self.assertEqual(self.run_mpiexec("--wdir", "closed", "true").returncode, 2)


if __name__ == "__main__":
    unittest.main()
