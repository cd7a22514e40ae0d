# SPDX-License-Identifier: BSD-3-Clause
"""Command lines of job scripts that were written for Open MPI's or MPICH's mpiexec."""
import os
import re
import socket
import subprocess
import unittest

from launcher_case import LauncherCase, MPIEXEC

USABLE = sorted(os.sched_getaffinity(0))
HOST = socket.gethostname()


class Scripts(LauncherCase):
    def lines(self, *arguments, err="", **options):
        """What a job prints, sorted: lines of different ranks come in any order."""
        done = self.run_mpiexec(*arguments, **options)
        self.assertEqual((done.returncode, done.stderr), (0, err), arguments)
        return sorted(done.stdout.splitlines())

    def write(self, name, text):
        (self.directory / name).write_text(text, encoding="utf-8")
        return name

    def read(self, name):
        return (self.directory / name).read_text(encoding="utf-8")


class OpenMpi(Scripts):
    def test_hosts_that_are_this_one(self):
        self.write("hosts", f"# ours\nlocalhost slots=2 max_slots=4\n{HOST} slots=1\n")
        for words in (["--hostfile", "hosts"], ["-hostfile", "hosts"], ["-machinefile", "hosts"],
                      ["--hostfile=hosts"], ["-H", "localhost:2,127.0.0.1"], ["--host", f"{HOST},{HOST}:2"]):
            self.assertEqual(self.lines(*words, "echo", "x"), ["x"] * 3, words)  # as many ranks as slots
            self.assertEqual(self.lines(*words, "-np", 4, "echo", "x"), ["x"] * 4, words)

    def test_words_without_effect_are_named_and_the_job_runs(self):
        for words, named in ((["--mca", "btl", "self,vader"], "UCX_TLS"), (["-gmca", "coll", "^han"], "BOWLINE_COLL"),
                             (["--prtemca", "plm_base_verbose", "5"], "PRRTE"), (["-s"], "same path"),
                             (["--tune", "file"], "-x"), (["--preload-files", "a,b"], "same path")):
            done = self.run_mpiexec(*words, "-n", 2, "echo", "x")
            self.assertEqual((done.returncode, done.stdout), (0, "x\nx\n"))
            self.assertRegex(done.stderr, rf"\Ampiexec: {re.escape(' '.join(words))} has no effect here: [^\n]+\n\Z")
            self.assertIn(named, done.stderr)
            for quiet in ("-q", "-quiet", "--quiet"):
                self.assertEqual(self.lines(quiet, *words, "echo", "x"), ["x"])

    def test_variable_that_is_not_set(self):
        warning = "mpiexec: -x SURELY_NOT_SET: is not set in the environment; -x SURELY_NOT_SET=VALUE sets it\n"
        self.assertEqual(self.lines("-x", "SURELY_NOT_SET", "-n", 1, "echo", "x", err=warning), ["x"])

    def test_words_that_ask_for_what_is_always_so(self):
        self.assertEqual(self.lines("--oversubscribe", "--allow-run-as-root", "--noprefix", "--map-by",
                                    ":OVERSUBSCRIBE", "--bind-to", "none:overload-allowed", "-c", 3, "echo", "x"),
                         ["x"] * 3)

    def test_placement(self):
        show = ["grep", "Cpus_allowed_list", "/proc/self/status"]
        self.assertEqual(len(self.lines("--map-by", "ppr:1:core", *show)), len(self.cores()))
        self.assertEqual(len(self.lines("--use-hwthread-cpus", "-n", len(USABLE), "--bind-to", "hwthread", *show)),
                         len(USABLE))
        for words in (["--map-by", "socket:PE=1"], ["--map-by", "slot:PE=1", "--rank-by", "slot"],
                      ["--bind-to", "core", "--map-by", "node"], ["-bind-to-core", "-bycore"],
                      ["--map-by", "package", "--bind-to", "l2cache"], ["--cpus-per-proc", 1]):
            for line in self.lines(*words, "-n", 2, *show):
                self.assertNotEqual(line, "")

    def cores(self):
        """The cores that this process may use, each by its first hardware thread."""
        found = set()
        for cpu in USABLE:
            path = f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"
            with open(path, encoding="ascii") as file:
                found.add(file.read())
        return found

    def test_each_hardware_thread_once(self):
        found = self.lines("-n", len(USABLE), "--bind-to", "hwthread", "grep", "Cpus_allowed_list",
                           "/proc/self/status")
        self.assertEqual(sorted(int(line.split()[1]) for line in found), USABLE)

    def test_listed_cpus(self):
        last = USABLE[-1]
        for words in (["--cpu-set", last, "--bind-to", "core"], ["--map-by", f"pe-list={last}", "--bind-to", "core"],
                      ["-cpu-list", last, "--bind-to", "cpu-list:ordered"]):
            self.assertEqual(self.lines(*words, "-n", 1, "grep", "Cpus_allowed_list", "/proc/self/status"),
                             [f"Cpus_allowed_list:\t{last}"])

    def test_what_is_displayed(self):
        done = self.run_mpiexec("--display-map", "--display-allocation", "--bind-to", "core", "-n", 1, "echo", "x")
        self.assertEqual(done.stdout, "x\n")
        self.assertRegex(done.stderr, rf"\Ampiexec: allocation: {HOST} with \d+ cores, CPUs [\d,-]+\n"
                                      rf"mpiexec: map: one program on {HOST}: ranks 0 to 0\n"
                                      r"mpiexec: map: rank 0 runs echo on CPUs [\d,-]+\n\Z")

    def test_output_files(self):
        print_both = ["sh", "-c", "echo o$PMIX_RANK; echo e$PMIX_RANK >&2"]
        done = self.run_mpiexec("-n", 11, "--output-filename", "out", *print_both)
        self.assertEqual(len(done.stdout.splitlines()), 11)  # forwarded, too
        self.assertEqual((self.read("out/1/rank.03/stdout"), self.read("out/1/rank.10/stderr")), ("o3\n", "e10\n"))
        self.assertEqual(self.lines("-n", 2, "--output-filename", "only:nojobid,nocopy", *print_both), [])
        self.assertEqual((self.read("only/rank.1/stdout"), self.read("only/rank.0/stderr")), ("o1\n", "e0\n"))

    def test_streams(self):
        self.assertEqual(self.lines("-n", 1, "--merge-stderr-to-stdout", "sh", "-c", "echo e >&2; echo o"), ["e", "o"])
        line, = self.lines("-n", 1, "--timestamp-output", "--tag-output", "echo", "x")
        self.assertRegex(line, r"^\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4} \[0\]<stdout> x$")

    def test_standard_input(self):
        def read(who):
            done = subprocess.run([MPIEXEC, "-n", "3", "--stdin", who, "-l", "cat"], input="a\nb\n", text=True,
                                  capture_output=True, timeout=30, env=self.environment, check=True)
            return sorted(done.stdout.splitlines())
        self.assertEqual(read("2"), ["[2] a", "[2] b"])
        self.assertEqual(read("none"), [])
        self.assertEqual(read("all"), [f"[{rank}] {line}" for rank in range(3) for line in "ab"])

    def test_program_path(self):
        (self.directory / "own").mkdir()
        self.write("own/surely-only-here", "#!/bin/sh\necho found\n")
        (self.directory / "own" / "surely-only-here").chmod(0o755)
        self.assertEqual(self.lines("-path", self.directory / "own", "-n", 1, "surely-only-here"), ["found"])

    def test_app_file(self):
        self.write("app", "-np 1 echo a\n-np 2 echo b\n")
        self.assertEqual(self.lines("--app", "app"), ["a", "b", "b"])


class Mpich(Scripts):
    def test_hosts_that_are_this_one(self):
        self.write("hosts", f"localhost:2\n{HOST}\n")
        for words in (["-f", "hosts"], ["-hosts", "localhost:2,localhost"], ["-machinefile", "hosts"]):
            self.assertEqual(self.lines(*words, "echo", "x"), ["x"] * 3, words)
        self.assertEqual(self.lines("-hosts", "localhost", "-ppn", 2, "-n", 3, "echo", "x"), ["x"] * 3)

    def test_variables(self):
        self.assertEqual(self.lines("-genv", "FOO", "1 2", "-n", 2, "printenv", "FOO"), ["1 2"] * 2)
        self.assertEqual(self.lines("-env", "FOO", "1", "-n", 1, "printenv", "FOO", ":", "-env", "FOO", "2",
                                    "printenv", "FOO"), ["1", "2"])
        self.assertEqual(self.lines("-genv", "FOO", "1", "-n", 1, "printenv", "FOO", ":", "-env", "FOO", "2",
                                    "printenv", "FOO"), ["1", "2"])

    def test_what_is_inherited(self):
        mine = self.environment | {"ONE": "1", "TWO": "2"}
        def names(*words):
            done = self.run_mpiexec(*words, "-n", 1, "/usr/bin/env", env=mine)
            return {line.split("=")[0] for line in done.stdout.splitlines()}
        # The launcher's own test looks for its mark.
        mark = ["-genv", "LAUNCHER_TEST_MARK", self.mark]
        self.assertLessEqual({"ONE", "TWO", "PATH"}, names("-genvall"))
        self.assertIn("PATH", names("-genvnone", *mark))
        self.assertFalse({"ONE", "TWO"} & names("-genvnone", *mark))
        self.assertEqual({"ONE", "TWO"} & names("-genvlist", "ONE,ABSENT", *mark), {"ONE"})
        self.assertEqual({"ONE", "TWO"} & names("-envlist", "TWO", *mark), {"TWO"})
        self.assertFalse({"ONE", "TWO"} & names("-envnone", *mark))

    def test_configuration_file(self):
        self.write("job", "# two programs\n\n-n 1 -env A 'x y' printenv A\n  # more\n"
                          "-n 2 \\\n  echo \"b \\\"c\\\"\" d\\ e \"\"\n")
        self.assertEqual(self.lines("-configfile", "job"), ['b "c" d e ', 'b "c" d e ', "x y"])
        self.write("job", "-n 1 printenv G\n-n 1 -env G 2 printenv G\n")
        self.assertEqual(self.lines("-genv", "G", "1", "-configfile", "job"), ["1", "2"])

    def test_mistakes_in_a_configuration_file(self):
        for text, named in (("-n 1 echo 'open\n", "line 1: the quote ' is not closed"), ("# nothing\n", "no command"),
                            ("-n 1 echo \\\n", "nothing follows"), ("-n 1\n", "no program"),
                            ("-configfile job\n", "not allowed"), ("-n x echo\n", "-n x")):
            self.write("job", text)
            done = self.run_mpiexec("-configfile", "job")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, r"\Ampiexec: [^\n]+\n\Z")
            self.assertIn(named, done.stderr)

    def test_output(self):
        for word in ("-l", "-prepend-rank"):
            self.assertEqual(self.lines(word, "-n", 2, "echo", "x"), ["[0] x", "[1] x"])
        self.assertEqual(self.lines("-prepend-pattern", "<%r %h %p> ", "-n", 1, "echo", "x"), [f"<0 {HOST} 0> x"])
        self.assertEqual(self.lines("-outfile-pattern", "o%r.%h", "-n", 2, "echo", "x"), [])
        self.assertEqual(self.read(f"o1.{HOST}"), "x\n")
        self.assertEqual(self.lines("-outfile-pattern", "all", "-errfile-pattern", "err", "-n", 3, "echo", "x"), [])
        self.assertEqual((self.read("all"), self.read("err")), ("x\n" * 3, ""))

    def test_placement(self):
        order = list(reversed(USABLE))
        found = self.lines("-l", "-bind-to", "user:" + ",".join(map(str, order)), "-n", len(order), "grep",
                           "Cpus_allowed_list", "/proc/self/status")
        self.assertEqual(dict(line.split("] Cpus_allowed_list:\t") for line in found),
                         {f"[{rank}": str(cpu) for rank, cpu in enumerate(order)})
        for words in (["-bind-to", "core:2", "-map-by", "socket:1"], ["-bind-to", "rr"], ["-bind-to", "machine"],
                      ["-bind-to", "l1dcache"], ["-binding", "numa"]):
            self.assertEqual(self.lines(*words, "-n", 2, "echo", "x"), ["x"] * 2)
        done = self.run_mpiexec("-bind-to", "gpu0", "-n", 1, "echo", "x")
        self.assertEqual(done.stdout, "x\n")
        self.assertIn("--bind-to gpu0: ranks are not bound by devices", done.stderr)

    def test_words_without_effect(self):
        for words, named in ((["-iface", "eth0"], "UCX_NET_DEVICES"), (["-launcher", "ssh"], "srun"),
                             (["-rmk", "slurm"], "srun"), (["--max-restarts", "2"], "--keep-going"),
                             (["-mca", "mpi_ft_enable", "1"], "--keep-going"), (["-am", "file"], "-x"),
                             (["-print-all-exitcodes"], "first rank that fails")):
            done = self.run_mpiexec(*words, "-n", 1, "echo", "x")
            self.assertEqual((done.returncode, done.stdout), (0, "x\n"))
            self.assertIn(named, done.stderr)
        self.assertIn("map: rank 0", self.run_mpiexec("-print-rank-map", "-n", 1, "true").stderr)
        for word in ("-info", "-version", "--version", "-V"):
            self.assertIn("mpiexec (Bowline)", self.run_mpiexec(word).stdout)

    def test_timeout_of_the_environment(self):
        limited = self.environment | {"MPIEXEC_TIMEOUT": "0.3"}
        done = self.run_mpiexec("-n", 2, "sleep", 60, env=limited)
        self.assertEqual(done.returncode, 124)
        self.assertIn("MPIEXEC_TIMEOUT 0.3 s", done.stderr)
        self.assertEqual(self.run_mpiexec("--timeout", 60, "-n", 1, "sleep", 0.6, env=limited).returncode, 0)
        for text, status in (("0", 0), ("soon", 2), ("-1", 2)):
            done = self.run_mpiexec("-n", 1, "true", env=limited | {"MPIEXEC_TIMEOUT": text})
            self.assertEqual(done.returncode, status, text)


class Prterun(Scripts):
    """Several hosts outside of Slurm; a script that prints its arguments plays prterun."""

    def setUp(self):
        super().setUp()
        (self.directory / "bin").mkdir()
        self.write("bin/prterun", "#!/bin/sh\nprintf '%s\\n' \"$@\"\nexit 17\n")
        (self.directory / "bin" / "prterun").chmod(0o755)
        self.environment["PATH"] = f"{self.directory / 'bin'}:{os.environ['PATH']}"
        self.environment = {name: value for name, value in self.environment.items() if not name.startswith("UCX_")}

    def prterun(self, *words):
        done = self.run_mpiexec(*words)
        self.assertEqual((done.returncode, done.stderr), (17, ""))
        root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
        command = done.stdout.splitlines()
        self.assertEqual(command[2:2 + len(root)], root)
        return command[:2] + command[2 + len(root):]

    def test_commands(self):
        self.write("hosts", "a slots=2\nb\n")
        self.assertEqual(self.prterun("--hostfile", "hosts", "-n", 3, "prog", "-n", "x"),
                         ["--host", "a:2,b:1", "--map-by", ":OVERSUBSCRIBE", "-n", "3", "prog", "-n", "x"])
        self.assertEqual(self.prterun("-H", "a,localhost", "-N", 2, "--wdir", "/d", "-x", "A=b c", "p"),
                         ["--host", "a:1,localhost:1", "--map-by", "ppr:2:node:OVERSUBSCRIBE", "--wdir", "/d", "-x",
                          "A=b c", "p"])
        for words, expected in ((["--bind-to", "socket", "--map-by", "socket:PE=2"],
                                 ["package:OVERSUBSCRIBE:PE=2", "--bind-to", "package"]),
                                (["--tag-output", "--timestamp-output"], ["--output", "timestamp,tag"]),
                                (["--output-dir", "/o"], ["--output", "dir=/o"]),
                                (["--stdin", "all"], ["--stdin", "all"]),
                                (["--display-map", "--report-bindings"], ["--display", "map,bindings"]),
                                (["--timeout", "2.5"], ["--timeout", "3"]),
                                (["--initial-errhandler", "mpi_errors_return"],
                                 ["-x", "BOWLINE_INITIAL_ERRHANDLER=mpi_errors_return"])):
            text = "\n".join(self.prterun("-H", "a,b", *words, "p"))
            self.assertIn("\n".join(expected), text)
        self.assertIn(":", self.prterun("-H", "a,b", "-n", 1, "p", ":", "-n", 2, "q"))

    def test_without_it_one_sentence_says_what_to_do(self):
        (self.directory / "bin" / "prterun").unlink()
        done = self.run_mpiexec("-H", "localhost,elsewhere", "-n", 2, "true")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"\Ampiexec: --host elsewhere: [^\n]*install PRRTE \(prterun\)[^\n]*srun\n\Z")


class OtherSettings(Scripts):
    def test_they_are_named_once(self):
        mine = self.environment | {"OMPI_MCA_btl": "tcp", "I_MPI_PIN": "1", "UCX_LOG_LEVEL": "error"}
        hello = os.environ["HELLO"]
        done = self.run_mpiexec("-n", 3, hello, env=mine | {"BOWLINE_LOG_LEVEL": "2"})
        self.assertEqual(done.returncode, 0, done.stderr)
        named = [line for line in done.stderr.splitlines() if "I_MPI_PIN" in line]
        self.assertEqual(len(named), 1, done.stderr)
        self.assertIn("no effect here: I_MPI_PIN, OMPI_MCA_btl;", named[0])
        self.assertNotIn("UCX_LOG_LEVEL", done.stderr)
        self.assertNotIn("I_MPI_PIN", self.run_mpiexec("-n", 3, hello, env=mine).stderr)


if __name__ == "__main__":
    unittest.main()
