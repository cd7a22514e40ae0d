# SPDX-License-Identifier: BSD-3-Clause
"""Ranks of one node that cannot share memory talk through the network: they see different processes, and a security
profile keeps them from handing memory over by a Unix socket."""
import os
import re
import unittest

from rig_case import command, main

RIG = os.environ["RIG"]
NO_LOCAL_SOCKETS = os.environ["NO_LOCAL_SOCKETS"]
APART = f"exec env LD_PRELOAD={NO_LOCAL_SOCKETS} unshare --pid --fork --mount-proc \"$@\""
ONE_APART = f"if [ $SLURM_LOCALID = 1 ]; then {APART}; fi; exec \"$@\""


class Fallback(unittest.TestCase):
    def talk(self, wrapper, program):
        """Runs the program on two nodes with two ranks each; returns who found that it shares no memory with whom."""
        done = command("run", RIG, "--", "srun", "--mpi=pmix", "--kill-on-bad-exit=1", "--overcommit", "-N2",
                       "--ntasks-per-node=2", "env", "BOWLINE_LOG_LEVEL=2", "sh", "-c", wrapper, "sh", program)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        pairs = re.findall(r"rank (\d+) on n\d+: rank (\d+) is said to run on this node, .* go through the network",
                           done.stderr)
        return {tuple(map(int, pair)) for pair in pairs}

    def test_all_apart(self):
        for program in (os.environ["P2P"], os.environ["COLLECTIVES"]):
            self.assertEqual(self.talk(APART, program), {(0, 1), (1, 0), (2, 3), (3, 2)})

    def test_one_of_each_pair_apart(self):
        self.assertLessEqual({(1, 0), (3, 2)}, self.talk(ONE_APART, os.environ["P2P"]))


if __name__ == "__main__":
    main()
