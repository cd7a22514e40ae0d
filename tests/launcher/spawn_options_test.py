# SPDX-License-Identifier: BSD-3-Clause
"""The options of mpiexec for programs that start jobs: --usize and --end-with-descriptor."""
import os
import re
import signal
import sys
import unittest

from launcher_case import CLIENT
from spawn_case import SPAWNER, STAYS, THEN, SpawnCase

USABLE = sorted(os.sched_getaffinity(0))


class Universe(SpawnCase):
    def universe(self, *options, ranks=1, environment=None):
        done = self.run_mpiexec(*options, "-n", ranks, CLIENT, "keys", env=self.environment | (environment or {}))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return {int(size) for size in re.findall(r"universe=(\d+)", done.stdout)}

    def test_default(self):
        cores = min(self.universe())
        self.assertEqual(self.universe(ranks=cores + 1), {cores + 1})
        self.assertEqual(self.universe("--host", "localhost:9"), {9})
        self.assertEqual(self.universe("--host", f"localhost:{cores}", ranks=cores + 2), {cores + 2})
        self.assertEqual(self.universe("--cpu-set", USABLE[0]), {1})

    def test_choices(self):
        for words in (("--usize", 5), ("-usize", 5), ("--usize=5",)):
            self.assertEqual(self.universe(*words), {5})
        self.assertEqual(self.universe("--usize", 1, ranks=2), {2})
        self.assertEqual(self.universe("--usize", "system"), self.universe())
        self.assertEqual(self.universe("--usize", "INFINITE"), {1 << 30})
        both = {"MPIEXEC_UNIVERSE_SIZE": "6", "OMPI_UNIVERSE_SIZE": "7"}
        self.assertEqual(self.universe(environment=both), {6})
        self.assertEqual(self.universe(environment={"OMPI_UNIVERSE_SIZE": "7"}), {7})
        self.assertEqual(self.universe("--usize", 5, environment=both), {5})

    def test_bad_values(self):
        for option, value in (("--usize", "0"), ("--usize", "many"), ("--usize", "1073741825"),
                              ("MPIEXEC_UNIVERSE_SIZE", "-1"), ("OMPI_UNIVERSE_SIZE", "2.5")):
            words, more = ([option, value], {}) if option.startswith("-") else ([], {option: value})
            done = self.run_mpiexec(*words, "true", env=self.environment | more)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr, f"mpiexec: {option} {value}: the size of the universe, if not system or "
                                          "infinite, must be a whole number of at least 1 and at most 1073741824\n")


class EndWithDescriptor(SpawnCase):
    def start_with_pipe(self, *command):
        reader, writer = os.pipe()
        process = self.start_mpiexec("--end-with-descriptor", reader, *command, pass_fds=[reader])
        os.close(reader)
        return process, writer, reader

    def test_the_end_of_the_file_ends_all_silently(self):
        process, writer, _ = self.start_with_pipe("-n", 1, SPAWNER, "spawn", "--", 1, *STAYS, "there", THEN, "end")
        self.wait_for_files("there")
        os.write(writer, b"this has no meaning")
        self.wait_until_quiet()
        self.assertIsNone(process.poll())
        os.close(writer)
        self.finish(process, 128 + signal.SIGTERM)

    def test_a_file_that_has_ended_before(self):
        reader, writer = os.pipe()
        os.close(writer)
        done = self.run_mpiexec("--end-with-descriptor", reader, "-n", 2, "sleep", 60, pass_fds=[reader])
        os.close(reader)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (128 + signal.SIGTERM, "", ""))

    def test_ranks_do_not_inherit_it(self):
        look = "import os, sys; sys.exit(os.path.exists('/proc/self/fd/' + sys.argv[1]))"
        reader, writer = os.pipe()
        high = os.dup2(reader, 200)
        done = self.run_mpiexec("--end-with-descriptor", high, "-n", 2, sys.executable, "-c", look, high,
                                pass_fds=[high])
        for each in (reader, writer, high):
            os.close(each)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_ranks_that_do_not_end_are_killed(self):
        process, writer, _ = self.start_with_pipe("--grace", 0.2, "-n", 1, "sh", "-c",
                                                  "trap '' TERM; touch there; while :; do sleep 0.01; done")
        self.wait_for_files("there")
        os.close(writer)
        self.finish(process, 128 + signal.SIGTERM)

    def test_bad_values(self):
        for value, words in (("2", "the descriptor must be a whole number of at least 3 and at most 1048576"),
                             ("x", "the descriptor must be a whole number of at least 3 and at most 1048576"),
                             ("999", "is not open; name a descriptor that mpiexec inherits")):
            done = self.run_mpiexec("--end-with-descriptor", value, "true")
            self.assertEqual((done.returncode, done.stderr), (2, f"mpiexec: --end-with-descriptor {value}: {words}\n"))

    def test_not_where_another_launcher_starts_the_ranks(self):
        self.script("bin/prterun", "exit 17")
        path = {"PATH": f"{self.directory}/bin:{self.environment['PATH']}"}
        reader, writer = os.pipe()
        done = self.run_mpiexec("--end-with-descriptor", reader, "--host", "a,b", "true", pass_fds=[reader],
                                env=self.environment | path)
        for each in (reader, writer):
            os.close(each)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr,
                         r"\Ampiexec: --end-with-descriptor \d+: prterun, [^\n]+ no such option; [^\n]+\n\Z")


if __name__ == "__main__":
    unittest.main()
