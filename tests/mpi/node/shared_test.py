# SPDX-License-Identifier: BSD-3-Clause
"""Where one member of a communicator does not get to its shared memory, all its collectives go by messages."""
import os
import re
import subprocess
import unittest

MPIEXEC = os.environ["MPIEXEC"]
PROGRAMS = os.environ["PROGRAMS"]
TOLD = re.compile(r"^bowline: rank (\d+) on \S+: collectives of (\d+) ranks go by messages, not through shared memory: "
                  r"(.*)$", re.MULTILINE)
# Runs the program with the second argument in its environment if it is the rank that the first one says.
AT_ONE_RANK = 'test "$PMIX_RANK" = "$0" && export "$1"; shift; exec "$@"'


def run(ranks, *command, **settings):
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PMIX_", "SLURM_", "PMI_"))}
    return subprocess.run([MPIEXEC, "--timeout", "80", "-n", str(ranks), *command],
                          env=inherited | {"BOWLINE_LOG_LEVEL": "2"} | settings, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=100, check=False)


def at_rank(rank, setting, program):
    return "sh", "-c", AT_ONE_RANK, str(rank), setting, os.path.join(PROGRAMS, program)


class Refused(unittest.TestCase):
    def check(self, done, who, why):
        """The program finds everything right, and those ranks have said why their world goes by messages."""
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("checks passed", done.stdout)
        told = [(int(rank), reason) for rank, _, reason in TOLD.findall(done.stderr)]
        self.assertEqual({rank for rank, _ in told}, set(who), done.stderr)
        for _, reason in told:
            self.assertIn(why, reason)

    def test_one_member_will_not(self):
        for ranks in (2, 3):
            for rank in (0, ranks - 1):
                with self.subTest(ranks=ranks, rank=rank):
                    done = run(ranks, *at_rank(rank, "BOWLINE_COLL_SLOTS_LIMIT=0", "shared_collectives"))
                    self.check(done, [rank], "coll_slots_limit is 0")

    def test_all_will_not(self):
        done = run(3, os.path.join(PROGRAMS, "shared_collectives"), BOWLINE_COLL_SLOTS_LIMIT="0")
        self.check(done, range(3), "coll_slots_limit is 0")

    def test_there_is_no_memory(self):
        done = run(3, os.path.join(PROGRAMS, "shared_collectives"), BOWLINE_COLL_SLOTS_LIMIT="4096")
        self.check(done, [0, 2], "coll_slots_limit allows no more")  # 2 is first where the order is turned

    def test_smallest_slots(self):
        done = run(3, os.path.join(PROGRAMS, "shared_collectives"), BOWLINE_COLL_SLOTS_LIMIT=str(64 * 262144))
        self.check(done, [], "")


if __name__ == "__main__":
    unittest.main()
