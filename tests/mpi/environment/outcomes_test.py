# SPDX-License-Identifier: BSD-3-Clause
"""How programs end and what they say then: MPI_Abort, fatal errors, and a program without any launcher."""
import os
import re
import subprocess
import unittest

import at_once

MPIEXEC = os.environ["MPIEXEC"]
PROGRAMS = os.environ["PROGRAMS"]
SIZES = ("4",), ("100000",)  # of messages: one that is sent at once, and one that waits for its receiver


def run(command, **environment):
    """Runs a command to its end; the environment is ours without any launcher's variables, plus the given ones."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PMIX_", "SLURM_", "PMI_"))}
    return subprocess.run(command, env=inherited | environment, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=100, check=False)


def program(name):
    return os.path.join(PROGRAMS, name)


class Abort(unittest.TestCase):
    def test_exit_status_is_the_code(self):
        for code in (1, 7, 42, 255):
            done = run([MPIEXEC, "-n", "3", program("abort"), str(code)])
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn("rank 2", done.stderr)
            self.assertIn(f"MPI_Abort was called on MPI_COMM_WORLD with code {code}", done.stderr)

    def test_of_a_communicator_without_a_name(self):
        done = run([MPIEXEC, "-n", "2", program("abort"), "7", "copy"])
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertIn("MPI_Abort was called on a communicator of 2 ranks without a name with code 7", done.stderr)

    def test_without_launcher(self):
        # One rank: it is the last one too.
        self.assertEqual(run([program("abort"), "9"]).returncode, 9)


class Fatal(unittest.TestCase):
    def check(self, done):
        self.assertNotEqual(done.returncode, 0)
        for word in ("MPI_Send", "dest", "4711", "MPI_COMM_WORLD"):
            self.assertIn(word, done.stderr)

    def test_the_mistake_is_named(self):
        self.check(run([MPIEXEC, "-n", "2", program("fatal")]))

    def test_without_launcher(self):
        self.check(run([program("fatal")]))


class ErrorsAbort(unittest.TestCase):
    """MPI_ERRORS_ABORT ends the processes of the communicator, and no others."""

    def check(self, which, ended, survivors, *words):
        done = run([MPIEXEC, "--timeout", "60", "-n", "3", program("errors_abort"), which])
        self.assertEqual(done.returncode, ended, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertEqual(sorted(done.stdout.splitlines()),
                         [f"rank {rank} goes on: rank 1 has ended" for rank in survivors], done.stderr)

    def test_of_some_ranks(self):
        self.check("part", 4, [0], "rank 1 on ", "MPI_Send: tag is -5",
                   "it and 1 other rank of its communicator are ended")

    def test_of_one_rank(self):
        self.check("self", 4, [0, 2], "rank 1 on ", "MPI_Send: tag is -5", "it alone is ended")

    def test_of_a_session(self):
        self.check("session", 13, [0, 2], "MPI_Session_get_pset_info: ", "it alone is ended")


class Unreceived(unittest.TestCase):
    """MPI_Finalize with messages that nobody has received: it says which, and ends the job if nobody can any more."""

    WAITED = r"MPI_Finalize has waited 5 s for messages that nobody has received: {} bytes to rank {} of MPI_COMM_WORLD"

    def check(self, command, pattern, times):
        done = run(command)
        self.assertNotEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(re.findall(pattern, done.stderr)), times, done.stderr)
        self.assertIn("tag 42, on MPI_COMM_WORLD", done.stderr)
        return done.stderr

    def test_to_oneself(self):
        def check(size):
            told = self.check([MPIEXEC, "-n", "2", program("unreceived"), "self", size],
                              self.WAITED.format(size, "[01]") + r" \(this rank itself\)", 2)
            self.assertEqual(told.count("mpiexec: rank"), 1, told)
            self.assertIn("no rank can receive any more", told)
        at_once.for_each(check, *SIZES)

    def test_to_each_other(self):
        def check(size):
            self.check([MPIEXEC, "-n", "3", program("unreceived"), "ring", size],
                       self.WAITED.format(size, "[012]"), 3)
        at_once.for_each(check, *SIZES)

    def test_without_launcher(self):
        self.check([program("unreceived"), "self", "4"], self.WAITED.format("4", "0"), 1)

    def test_who_waits_for_such_a_rank_is_told(self):
        done = run([MPIEXEC, "-n", "3", program("unreceived"), "alone", "4"])
        self.assertNotEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"MPI_Recv.*rank 0 has called MPI_Finalize")

    def test_a_late_receive_is_waited_for(self):
        def check(size):
            done = run([MPIEXEC, "-n", "2", program("unreceived"), "late", size])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(re.findall(self.WAITED.format(size, "1"), done.stderr)), 1, done.stderr)
        at_once.for_each(check, *SIZES)


class Singleton(unittest.TestCase):
    """A program that is started by hand is one rank, also in the shell of a Slurm allocation."""

    ALLOCATION = {"SLURM_JOB_ID": "77", "SLURM_JOBID": "77", "SLURM_NTASKS": "8", "SLURM_NPROCS": "8",
                  "SLURM_NNODES": "2", "SLURM_JOB_NUM_NODES": "2", "SLURM_JOB_NODELIST": "nowhere[1-2]",
                  "SLURM_TASKS_PER_NODE": "4(x2)", "SLURM_MPI_TYPE": "pmix"}
    STEP = ALLOCATION | {"SLURM_STEP_ID": "0", "SLURM_STEPID": "0", "SLURM_PROCID": "5", "SLURM_LOCALID": "1",
                         "SLURM_NODEID": "1", "SLURM_STEP_NODELIST": "nowhere[1-2]", "SLURM_STEP_NUM_TASKS": "8"}

    def check(self, command, **environment):
        done = run(command, **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^rank 0 of 1: [0-9]+ checks passed\n$")
        return done.stderr

    def test_plain(self):
        for name in ("p2p_matching", "completion", "collectives"):
            self.assertEqual(self.check([program(name)]), "")
        self.assertEqual(self.check([program("environment"), "3"]), "")

    def test_in_a_slurm_shell(self):
        for words in ([program("p2p_matching")], [program("environment"), "0"]):
            told = self.check(words, **self.ALLOCATION)
            self.assertEqual(len(told.splitlines()), 1, told)
            self.assertIn("SLURM_NTASKS is 8", told)
            self.assertIn("start it with mpiexec", told)

    def test_under_srun_without_pmix(self):
        # Eight programs of one rank each are hardly what was meant: they run, and the first says what to do.
        command = [program("environment"), "0"]
        self.assertIn("srun --mpi=pmix", self.check(command, **self.STEP | {"SLURM_PROCID": "0"}))
        self.assertEqual(self.check(command, **self.STEP), "")

    def test_empty_environment(self):
        sanitizers = {k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}
        done = subprocess.run([program("environment"), "0"], env=sanitizers, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    at_once.main()
