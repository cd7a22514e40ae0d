# SPDX-License-Identifier: BSD-3-Clause
"""Ranks die under srun --kill-on-bad-exit=0, and the others go on, on one node and on two. SURVIVORS is a folder with
programs of tests/mpi/fault_tolerance. SEED: of the random deaths."""
import os
import random
import re
import subprocess
import time
import unittest

from rig_case import PATIENCE, command, main, words

RIG = os.environ["RIG"]
PROGRAMS = os.environ["SURVIVORS"]
SEED = int(os.environ.get("SEED") or random.randrange(1_000_000))
# What Slurm says of a rank that is killed, and UCX of its connections.
# UCX 1.13 may abort a process whose peer ends while both connect to each other over TCP.
CRASH_OF_UCX = re.compile(r"tcp_(ep|iface)\.c:\d+\s+Assertion")
EXPECTED = re.compile(r"srun: error: n\d: tasks? [-,\d]+: Killed|srun: Force Terminated .*|\[.*\] .* UCX  \S+ .*|")


class Survival(unittest.TestCase):
    def survive(self, *srun, program, arguments=(), says=r"(?m)^rank 0 of \d: \d+ checks passed$"):
        for left in reversed(range(5)):
            done = command("run", RIG, "--", "timeout", PATIENCE, "srun", "--mpi=pmix", "--kill-on-bad-exit=0", *srun,
                           f"{PROGRAMS}/survive_{program}", *arguments, timeout=2 * PATIENCE)
            if left == 0 or not CRASH_OF_UCX.search(done.stderr):
                break
            print(f"UCX has aborted a rank; {program} is run again", flush=True)
        self.assertRegex(done.stdout, says, done.stderr)
        said = [line for line in done.stderr.splitlines() if not EXPECTED.fullmatch(line)]
        self.assertEqual(said, [])

    def test_random_deaths(self):
        print(f"SEED={SEED}", flush=True)
        for number, srun in enumerate((("-N1", "-n4"), ("-N2", "-n4"), ("-N2", "-n8"))):
            with self.subTest(SEED=SEED, srun=srun):
                self.survive(*srun, program="random_deaths", arguments=(1, 3, SEED + number))

    def test_ranks_that_may_be_lost_are_not_connected_to_the_launcher(self):
        """Slurm ends the step of a rank that dies while it is connected. Each rank disconnects once, and stays away."""
        done = command("run", RIG, "--", "timeout", PATIENCE, "env", f"BOWLINE_PMIX={os.environ['PMIX_COUNTER']}",
                       "srun", "--mpi=pmix", "--kill-on-bad-exit=0", "-N2", "-n8", f"{PROGRAMS}/survive_random_deaths",
                       0.1, 0, 1, timeout=2 * PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("pmix: "), 8, done.stdout)

    def test_the_example(self):
        for srun in (("-N1", "-n8"), ("-N2", "-n8")):
            with self.subTest(srun=srun):
                self.survive(*srun, program="stencil", says=r"(?m)on 8 ranks; they differ .* by 0$")

    def test_a_node_is_cut_off(self):
        """All ranks that wait for it know that within three seconds, and go on."""
        srun = ("srun", "--mpi=pmix", "--kill-on-bad-exit=0", "--no-kill", "-w", "n1,n8", "--ntasks-per-node=2")
        job = subprocess.Popen(words("run", RIG, "--", "timeout", PATIENCE, *srun, f"{PROGRAMS}/survive_cut_off", "2"),
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(job.communicate)
        self.addCleanup(job.kill)
        self.addCleanup(command, "link", RIG, "restore", "n8")
        self.assertEqual(job.stdout.readline(), "ready\n")
        # The kernel answers although the ranks are stopped for longer than the limit. The sleep is the fault itself.
        for signal, seconds in (("STOP", 4), ("CONT", 0)):
            done = command("run", RIG, "--on", "n8", "--", "pkill", f"-{signal}", "survive_cut_off")
            self.assertEqual(done.returncode, 0, done.stderr)
            time.sleep(seconds)
        cut = time.time()
        self.assertEqual(command("link", RIG, "cut", "n8").returncode, 0)
        noticed = re.match(r"at ([\d.]+), after .*: (.*)\n", job.stdout.readline())
        self.assertRegex(noticed[2], "rank 3 on n8 cannot be reached any more .its node has not answered for 3 s.")
        self.assertLess(float(noticed[1]) - cut, 3.5)
        self.assertRegex(job.stdout.readline(), r"rank 0 of 4: \d+ checks passed")

    def test_agreements(self):
        self.survive("-N2", "-n5", program="agreements")

    def test_shrunk_communicators(self):
        self.survive("-N2", "-n6", program="shrunk")

    def test_receives_from_any_source(self):
        self.survive("-N2", "-n3", program="wildcards")


if __name__ == "__main__":
    main()
