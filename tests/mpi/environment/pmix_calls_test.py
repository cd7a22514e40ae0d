# SPDX-License-Identifier: BSD-3-Clause
"""MPI_Init asks its PMIx server for as much in a large world as in a small one; a peer costs one question, when it is
first talked to, and all peers together cost one where many ranks share a node."""
import os
import re
import subprocess
import unittest


def calls(ranks, program, *arguments):
    """The sets of (gets, puts, fences) that the ranks have made."""
    command = [os.environ["MPIEXEC"], "-n", str(ranks), "-x", "BOWLINE_PMIX=" + os.environ["COUNTER"],
               os.environ[program], *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    found = [tuple(map(int, counts)) for counts in
             re.findall(r"pmix: (\d+) gets, (\d+) puts, (\d+) fences", done.stdout)]
    assert len(found) == ranks, done.stdout
    return found


class PmixCalls(unittest.TestCase):
    def test_init_costs_the_same_in_every_world(self):
        small, large = calls(2, "QUIET"), calls(16, "QUIET")
        self.assertEqual(len(set(small)), 1)
        self.assertEqual(set(small), set(large))
        self.assertLess(small[0][0], 8)
        self.assertEqual(small[0][1:], (1, 1))

    def test_a_peer_costs_one_question(self):
        quiet = calls(4, "QUIET")[0][0]
        for gets, _, _ in calls(4, "TALKING"):
            self.assertLessEqual(gets, quiet + 3 + 2)  # its peers, and what attributes ask for

    def test_a_crowd_costs_each_rank_one_question(self):
        for ranks in (8, 13):
            quiet = calls(ranks, "ALL_TALK", "quiet")[0][0]
            asked = sorted(gets - quiet for gets, _, _ in calls(ranks, "ALL_TALK"))
            self.assertEqual(asked, [0] + [1] * (ranks - 1))  # rank 0 has the others' addresses


if __name__ == "__main__":
    unittest.main()
