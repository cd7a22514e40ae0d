# SPDX-License-Identifier: BSD-3-Clause
"""Programs, arguments, environment, directories, several programs in one job, PMIx, and how long a start takes."""
import re
import socket
import subprocess
import unittest

from launcher_case import CLIENT, LauncherCase, MPIEXEC


class Programs(LauncherCase):
    def test_number_of_ranks(self):
        for words, ranks in ((["-n", "3"], 3), (["-np", "2"], 2), (["--np=2"], 2), (["-n4"], 4), ([], 1),
                             (["-n", "1", "-n", "2"], 2),
                             (["-np", "17", "--oversubscribe", "--allow-run-as-root"], 17)):
            done = self.run_mpiexec(*words, "echo", "hello")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "hello\n" * ranks, ""), words)

    def test_arguments_arrive_unchanged(self):
        words = ["-n", "two words", "", "--help", "*", "$HOME", "-x", "\\", "'", "ä"]
        done = self.run_mpiexec("-n", 1, "printf", "<%s>", *words)
        self.assertEqual(done.stdout, "".join(f"<{word}>" for word in words))

    def test_kinds_of_memory(self):
        done = self.run_mpiexec("-n", 2, "-memory-alloc-kinds", "mpi:alloc_mem,system", "echo", "hello")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "hello\n" * 2, ""))
        done = self.run_mpiexec("--memory-alloc-kinds", "system,cuda:device,rocm", "echo", "hello")
        self.assertEqual((done.returncode, done.stdout), (0, "hello\n"))
        self.assertRegex(done.stderr, r"\Ampiexec: --memory-alloc-kinds asks for cuda, rocm, but [^\n]+\n\Z")

    def test_double_dash_ends_the_options(self):
        self.assertEqual(self.run_mpiexec("-n", 1, "--", "echo", "-n2").stdout, "-n2\n")

    def test_several_programs(self):
        done = self.run_mpiexec("-n", 2, "sh", "-c", "echo a$PMIX_RANK", ":", "-n", 1, "sh", "-c", "echo b$PMIX_RANK")
        self.assertEqual(sorted(done.stdout.split()), ["a0", "a1", "b2"])

    def test_environment(self):
        done = self.run_mpiexec("-n", 2, "-x", "ONE=1 and=more", "--env", "TWO=2", "-x", "KEPT", "sh", "-c",
                                'echo "$ONE|$TWO|$KEPT"', env=self.environment | {"ONE": "old", "KEPT": "kept"})
        self.assertEqual(done.stdout, "1 and=more|2|kept\n" * 2)

    def test_environment_of_one_program(self):
        done = self.run_mpiexec("-n", 1, "-x", "V=a", "sh", "-c", "echo 1$V", ":", "-n", 1, "sh", "-c", "echo 2$V")
        self.assertEqual(sorted(done.stdout.split()), ["1a", "2"])

    def test_working_directory(self):
        (self.directory / "sub").mkdir()
        program = self.directory / "sub" / "where"
        program.write_text("#!/bin/sh\npwd\n", encoding="utf-8")
        program.chmod(0o755)
        for option in ("--wdir", "-wdir", "--wd"):
            done = self.run_mpiexec("-n", 2, option, "sub", "./where")
            self.assertEqual(done.stdout, f"{self.directory}/sub\n" * 2, done.stderr)

    def test_script_without_interpreter_line(self):
        program = self.directory / "plain"
        program.write_text("echo from a plain script\n", encoding="utf-8")
        program.chmod(0o755)
        self.assertEqual(self.run_mpiexec("-n", 1, "./plain").stdout, "from a plain script\n")

    def test_program_that_exec_refuses(self):
        program = self.directory / "broken"
        program.write_text("#!/nonexistent/interpreter\n", encoding="utf-8")
        program.chmod(0o755)
        done = self.run_mpiexec("-n", 1, "./broken")
        self.assertEqual(done.returncode, 127)
        self.assertIn("rank 0: cannot run ./broken: No such file or directory", done.stderr)

    def test_this_host_by_all_its_names(self):
        name = socket.gethostname()
        for hosts in ("localhost", name, f"{name}:4", f"127.0.0.1,{name}"):
            self.assertEqual(self.run_mpiexec("--host", hosts, "-n", 1, "echo", "x").stdout, "x\n", hosts)

    def test_help_and_version(self):
        for option in ("--help", "-h"):
            done = self.run_mpiexec(option)
            self.assertEqual(done.returncode, 0)
            for word in ("--bind-to", "--timeout", "--output-dir", "-np"):
                self.assertIn(word, done.stdout)
        self.assertRegex(self.run_mpiexec("--version").stdout, r"^mpiexec \(Bowline\) \d+\.\d+\.\d+\n$")

    def test_an_outer_job_is_forgotten(self):
        outer = {"PMIX_RANK": "7", "PMIX_NAMESPACE": "outer", "PMIX_SERVER_URI2": "x;tcp4://127.0.0.1:1",
                 "PMI_RANK": "3", "PMI_SIZE": "9"}
        done = self.run_mpiexec("-n", 2, CLIENT, "keys", env=self.environment | outer)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("outer", done.stdout)
        self.assertEqual(self.run_mpiexec("-n", 1, "sh", "-c", "echo ${PMI_RANK-unset}",
                                          env=self.environment | outer).stdout, "unset\n")

    def test_mpiexec_inside_a_rank(self):
        done = self.run_mpiexec("-n", 2, MPIEXEC, "-n", 2, CLIENT, "keys")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(re.findall(r"^rank=(\d) size=2", done.stdout, re.M)), ["0", "0", "1", "1"])

    def test_closed_standard_streams(self):
        done = subprocess.run(["sh", "-c", f"exec {MPIEXEC} -n 2 sh -c 'echo x > $0.$PMIX_RANK' out <&- >&- 2>&-"],
                              env=self.environment, cwd=self.directory, timeout=30, check=False)
        self.assertEqual(done.returncode, 0)
        self.assertEqual((self.directory / "out.1").read_text(encoding="utf-8"), "x\n")


class Pmix(LauncherCase):
    def test_keys(self):
        done = self.run_mpiexec("--usize", 4, "-n", 2, CLIENT, "keys", ":", "-n", 1, CLIENT, "keys")
        self.assertEqual(done.returncode, 0, done.stderr)
        ranks = sorted((dict(word.split("=", 1) for word in line.split()) for line in done.stdout.splitlines()
                        if line.startswith("rank=")), key=lambda keys: keys["rank"])
        self.assertEqual(len(ranks), 3)
        for rank, keys in enumerate(ranks):
            expected = {"rank": rank, "size": 3, "universe": 4, "local_size": 3, "node_size": 3, "nodes": 1,
                        "local_rank": rank, "node_rank": rank, "node": 0, "app": rank // 2, "app_rank": rank % 2,
                        "host": socket.gethostname(), "peers": "0,1,2"}
            self.assertEqual({k: keys[k] for k in expected}, {k: str(v) for k, v in expected.items()})
            self.assertTrue(keys["tmpdir"].startswith(str(self.temporary)))

    def test_put_fence_get_with_many_ranks(self):
        done = self.run_mpiexec("-n", 24, CLIENT)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 24)

    def test_two_programs_one_after_the_other_in_a_rank(self):
        done = self.run_mpiexec("-n", 2, "sh", "-c", f"{CLIENT} && {CLIENT}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 4)

    def test_many_jobs_at_once(self):
        jobs = [self.start_mpiexec("-n", 2, CLIENT) for _ in range(6)]
        for job in jobs:
            out, err = job.communicate(timeout=30)
            self.assertEqual((job.returncode, len(out.splitlines())), (0, 2), err)


if __name__ == "__main__":
    unittest.main()
