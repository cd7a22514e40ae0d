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
    (["-n", "1000000000", "true"], ["-n 1000000000", "processes", "the limit is", "at most "]),
    (["-n", "100000000", "true"], ["-n 100000000", "processes", "kernel.", "at most "]),
    (["-N", "100000000", "true"], ["100000000", "processes", "at most "]),
    (["-N", "3000000000", "true"], ["-N 3000000000", "at most 1073741824"]),
    (["-n", "1000000000", "true", ":", "-n", "1000000000", "true"], ["2000000000 ranks together", "1073741824"]),
    (["--nonsense", "true"], ["--nonsense", "--help"]),
    (["--tag-outptu", "true"], ["--tag-outptu", "did you mean --tag-output?"]),
    (["-Q", "true"], ["-Q"]),
    (["-n", "2", "no-such-program-anywhere"], ["no-such-program-anywhere", "PATH"]),
    (["-n", "2", "./absent"], ["./absent", "no such program"]),
    (["-n", "2", "./data"], ["./data", "not executable", "chmod"]),
    (["-n", "2", "data"], ["data", "PATH"]),
    (["-n", "2", "present"], ["present", "write ./present"]),
    (["-n", "2", "/tmp"], ["/tmp", "directory"]),
    (["-n", "2", ""], ["empty"]),
    (["--separator"], ["--separator", "needs a word"]),
    (["-n", "2", "--separator", "and", "true"], ["--separator", "before all others"]),
    (["--bind-to", "thread", "true"], ["--bind-to thread", "none, hwthread, core, ", "numa, socket, node"]),
    (["--bind-to", "core:x", "true"], ["--bind-to core:x", "overload-allowed"]),
    (["--bind-to", "core:0", "true"], ["--bind-to core:0", "at least 1"]),
    (["--bind-to", "user:0+x", "true"], ["--bind-to user", '"x"', "number of a CPU"]),
    (["--bind-to", "user:99999", "true"], ["CPU 99999 cannot be used", "name some of"]),
    (["--cpu-set", "99999", "true"], ["--cpu-set", "CPU 99999 cannot be used"]),
    (["--cpu-set", "1-0", "true"], ["--cpu-set 1-0", "range"]),
    (["--map-by", "nodes", "true"], ["--map-by nodes", "slot, hwthread, core, ", "node"]),
    (["--map-by", "core:PE=0", "true"], ["--map-by core:PE=0", "at least 1"]),
    (["--map-by", "core:PE", "true"], ["--map-by core:PE", "at least 1"]),
    (["--map-by", "core:sideways", "true"], ["sideways", "pe, pe-list, span, oversubscribe"]),
    (["--map-by", "ppr:2", "true"], ["ppr:2", "ppr:NUMBER:OBJECT"]),
    (["--map-by", "ppr:two:socket", "true"], ["ppr:two:socket", "whole number"]),
    (["--map-by", "ppr:2:shelf", "true"], ["ppr shelf", "socket"]),
    (["-n", "4096", "--map-by", "ppr:1:node:PE=2", "true"], ["-N 1", "4096 ranks"]),
    (["-n", "4096", "--map-by", "ppr:1:socket", "true"], ["ppr:1:socket", "4096 ranks", "room for"]),
    (["-n", "4096", "--nooversubscribe", "true"], ["NOOVERSUBSCRIBE", "4096 ranks", "room for"]),
    (["-n", "3", "-H", "localhost:2", "--nooversubscribe", "true"], ["3 ranks", "room for 2"]),
    (["--rank-by", "age", "true"], ["--rank-by age", "slot", "socket"]),
    (["--mca", "btl"], ["--mca", "two values"]),
    (["-genv", "FOO"], ["-genv", "two values"]),
    (["-genv", "", "1", "true"], ["--genv =1", "NAME=VALUE"]),
    (["--stdin", "2", "-n", "2", "true"], ["--stdin 2", "2 ranks"]),
    (["--stdin", "some", "true"], ["--stdin some", "all or none"]),
    (["--display", "everything", "true"], ["--display everything", "map, allocation, bind"]),
    (["--output", "everything", "true"], ["--output everything", "tag, rank"]),
    (["--output-filename", "out:twice", "true"], ["--output-filename out:twice", "nojobid", "nocopy"]),
    (["--output-filename", "/no/such/place", "true"], ["--output-filename /no/such/place", "No such file"]),
    (["-outfile-pattern", "/no/such/place/%r", "true"], ["--outfile-pattern /no/such/place/%r", "not a directory"]),
    (["--hostfile", "absent", "true"], ["--hostfile absent", "No such file"]),
    (["-f", "data", "true"], ["--hostfile data, line 1", "program", "HOST:SLOTS"]),
    (["-configfile", "absent"], ["--configfile absent", "No such file"]),
    (["-configfile", "data", "true"], ["--configfile data", "true"]),
    (["-n", "2", "-configfile", "data"], ["--configfile data", "leave out -n"]),
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
    (["--host", "elsewhere", "true"], ["elsewhere", "srun", "install", "prterun"]),
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

    @unittest.skipIf(os.environ.get("SANITIZED") == "1", "UBSan itself needs file descriptors")
    def test_too_few_open_files(self):
        done = subprocess.run(["sh", "-c", f"ulimit -n 150; exec {MPIEXEC} -n 60 sleep 60"], env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"\Ampiexec: -n 60: [^\n]*150, by RLIMIT_NOFILE[^\n]*at most 36 ranks\n\Z")

    @unittest.skipIf(os.environ.get("SANITIZED") == "1", "UBSan itself needs file descriptors")
    def test_a_low_soft_limit_on_open_files_is_raised_for_mpiexec_only(self):
        done = subprocess.run(["sh", "-c", f"ulimit -S -n 30; exec {MPIEXEC} -n 12 sh -c 'ulimit -S -n'"],
                              env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=30, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "30\n" * 12, ""))

    @unittest.skipIf(os.geteuid() == 0, "root may execute and enter everything")
    def test_directory_without_permission(self):
        (self.directory / "closed").mkdir(mode=0)
        self.assertEqual(self.run_mpiexec("--wdir", "closed", "true").returncode, 2)


if __name__ == "__main__":
    unittest.main()
