# SPDX-License-Identifier: BSD-3-Clause
"""Jobs run where something is missing: the current directory, a directory for files, a system call."""
import os
import subprocess
import unittest

from launcher_case import LauncherCase, MPIEXEC

HELLO = os.environ["HELLO"]
DENY_CALLS = os.environ["DENY_CALLS"]
READ_ONLY = "for place in /tmp /dev/shm /var/tmp; do mount -t tmpfs -o ro none $place || exit 77; done; exec \"$@\""


class Places(LauncherCase):
    def run_command(self, *command, **options):
        options = {"stdin": subprocess.DEVNULL, "env": self.environment, "cwd": self.directory} | options
        return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=60, check=False,
                              **options)

    def assert_greets(self, done):
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(done.stdout.splitlines()), 2, done.stdout)

    def in_removed_directory(self, *arguments):
        (self.directory / "gone").mkdir()
        return self.run_command("sh", "-c", 'cd gone; rmdir ../gone; exec "$@"', "sh", MPIEXEC, *arguments)

    def test_current_directory_that_was_removed(self):
        self.assert_greets(self.in_removed_directory("-n", 2, HELLO))

    def test_relative_names_in_a_removed_directory(self):
        for words in (["./program"], ["-outfile-pattern", "out", "true"], ["--output-dir", "out", "true"]):
            done = self.in_removed_directory("-n", 2, *words)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, r"\Ampiexec: [^\n]+\n\Z")

    def test_temporary_directory_that_does_not_exist(self):
        self.assert_greets(self.run_mpiexec("-n", 2, HELLO, env=self.environment | {"TMPDIR": "/no/such/place"}))

    @unittest.skipIf(os.environ["SANITIZED"] == "1", "sanitizers write files in /tmp")
    def test_no_directory_that_may_be_written(self):
        namespace = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--mount"]
        done = self.run_command(*namespace, "sh", "-c", READ_ONLY, "sh", MPIEXEC, "-n", 2, HELLO, cwd="/",
                                env={name: value for name, value in self.environment.items()
                                     if name not in ("TMPDIR", "XDG_RUNTIME_DIR")})
        if done.returncode == 77 or "unshare" in done.stderr:
            self.skipTest(f"no file systems can be mounted here: {done.stderr.strip()}")
        self.assert_greets(done)

    def deny(self, calls, *command, **options):
        done = self.run_command(DENY_CALLS, calls, *command, **options)
        if done.returncode == 77:
            self.skipTest(done.stderr.strip())
        return done

    def test_memory_files_that_are_refused(self):
        self.assert_greets(self.deny("memfd_create", MPIEXEC, "--timeout", 50, "-n", 2, HELLO))
        with open(self.directory / "input", "w+", encoding="utf-8") as file:
            file.write("line\n")
            file.seek(0)
            done = self.deny("memfd_create", MPIEXEC, "--stdin", "all", "-n", 2, "cat", stdin=file)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "line\n" * 2, ""))

    @unittest.skipIf(os.environ["SANITIZED"] == "1", "AddressSanitizer asks for the processors in each new thread")
    def test_processors_that_are_not_told(self):
        """hwloc would loop for ever."""
        self.assert_greets(self.deny("sched_getaffinity", MPIEXEC, "-n", 2, HELLO))


if __name__ == "__main__":
    unittest.main()
