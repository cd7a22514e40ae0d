# SPDX-License-Identifier: BSD-3-Clause
"""mpiexec --chaos does the same deeds for the same seed, says each of them, and leaves a rank."""
import os
import re
import unittest

from launcher_case import LauncherCase

PROGRAM = os.environ["LOSING_RANKS"]
ALLOCATION = {"SLURM_JOB_ID": "77", "SLURM_JOB_NUM_NODES": "2", "SLURM_JOB_CPUS_PER_NODE": "4(x2)"}
DEED = re.compile(r"mpiexec --chaos (\d+): after (\d+\.\d{3}) s: "
                  r"(?:(killed) rank (\d+)|(stopped|delayed) rank (\d+) for (\d+\.\d{3}) s)")


class Chaos(LauncherCase):
    def deeds(self, settings, ranks=4, command=("sleep", 2), status=0):
        """Of each line: the moment, what is done, and to whom."""
        done = self.run_mpiexec("--chaos", settings, "-n", ranks, *command)
        self.assertEqual(done.returncode, status, done.stderr)
        found = []
        for line in done.stderr.splitlines():
            if not line.startswith("mpiexec --chaos"):
                continue
            match = DEED.fullmatch(line)
            self.assertTrue(match, line)
            seed, moment, killed, dead, stopped, rank, duration = match.groups()
            self.assertEqual(seed, settings.split(",")[0])
            found.append((float(moment), killed or stopped, int(dead or rank), float(duration or 0)))
        self.assertEqual(found, sorted(found, key=lambda deed: deed[0]))
        return found, done.stderr

    def test_same_seed_same_deeds(self):
        first, _ = self.deeds("42,rate=10,from=start")
        again, _ = self.deeds("42,rate=10,from=start")
        common = min(len(first), len(again))  # the moment of the end may differ
        self.assertGreater(common, 5)
        self.assertLess(abs(len(first) - len(again)), 4)
        self.assertEqual(first[:common], again[:common])
        other, _ = self.deeds("43,rate=10,from=start")
        self.assertNotEqual(other[:5], first[:5])

    def test_bounds(self):
        deeds, err = self.deeds("7,rate=20,kinds=kill,most=2,after=0.3,from=start", ranks=5)
        self.assertEqual({what for _, what, _, _ in deeds}, {"killed"})
        self.assertEqual(len({rank for _, _, rank, _ in deeds}), 2)
        self.assertGreaterEqual(deeds[0][0], 0.3)
        self.assertEqual(err.count("the job goes on without it"), 2)

    def test_the_last_rank_stays(self):
        deeds, err = self.deeds("5,rate=50,kinds=kill,from=start", ranks=3)
        self.assertEqual(len(deeds), 2)
        self.assertEqual(err.count("signal 9"), 2)
        self.assertEqual(self.deeds("5,rate=50,kinds=kill,from=start", ranks=1, command=("sleep", 0.5))[0], [])

    def test_stopped_ranks_go_on(self):
        deeds, _ = self.deeds("3,rate=10,kinds=stop,delay,from=start", ranks=2)
        self.assertEqual({what for _, what, _, _ in deeds}, {"stopped", "delayed"})
        for _, what, _, duration in deeds:
            self.assertTrue(0.1 <= duration <= 2 if what == "stopped" else 0.001 <= duration <= 0.05)

    def test_ranks_of_mpi_are_left_alone_while_they_start(self):
        for seed in range(4):
            done = self.run_mpiexec("--chaos", f"{seed},rate=1000,kinds=kill", "-n", 3, PROGRAM, "none")
            self.assertNotIn("before MPI had started in it", done.stderr)
            self.assertNotIn("MPI_Init:", done.stderr)
        done = self.run_mpiexec("--timeout", 2, "--chaos", "1,rate=10", "-n", 3, PROGRAM, "none", 0, "stay")
        self.assertIn("mpiexec --chaos 1: after ", done.stderr)

    def test_ranks_that_do_not_call_mpi(self):
        done = self.run_mpiexec("--chaos", "1,rate=100", "-n", 2, "sleep", 0.5)
        self.assertEqual((done.returncode, done.stderr), (0, "mpiexec --chaos 1: nothing was done: some ranks have not "
                                                             "called MPI_Init, which from=start does not wait for\n"))

    def test_bad_input(self):
        for settings, words in (("x", ["--chaos x", "seed", "--chaos 42"]), ("1,rate=-1", ["rate=-1", "0.001 to 1000"]),
                                ("1,kinds=cut", ["kinds cut", "kill, stop, delay, link"]), ("1,most=x", ["most x"]),
                                ("1,after=soon", ["after=soon"]), ("1,x=1", ["x=1", "rate, kinds, most, after"])):
            done = self.run_mpiexec("--chaos", settings, "-n", 2, "true")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, r"\Ampiexec: [^\n]+\n\Z")
            for word in words:
                self.assertIn(word, done.stderr)

    def test_other_launchers(self):
        for words, variables, named in (((), ALLOCATION, "srun"), (("--host", "elsewhere"), {}, "prterun")):
            done = self.run_mpiexec("--chaos", 7, *words, "-n", 2, "true", env=self.environment | variables)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, rf"\Ampiexec: [^\n]*{named}[^\n]*\n\Z")


if __name__ == "__main__":
    unittest.main()
