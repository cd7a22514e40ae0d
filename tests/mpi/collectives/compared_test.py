# SPDX-License-Identifier: BSD-3-Clause
"""Which operations the ranks of a node compare, as the log says, and what a user can do about it."""
import os
import re
import subprocess
import unittest

MPIEXEC, PROGRAM = (os.environ[name] for name in ("MPIEXEC", "PROGRAM"))
COMPARED = {"bcast": {"slots", "single_copy"}, "gather": {"slots", "single_copy"},
            "scatter": {"slots", "single_copy"}, "allgather": {"slots", "single_copy"},
            "allgatherv": {"slots", "single_copy"},
            "alltoall": {"slots", "single_copy", "agreed"}, "reduce": {"slots", "shares", "single_copy"},
            "allreduce": {"slots", "shares", "single_copy"}, "scan": {"slots_pipeline", "single_copy"},
            "exscan": {"slots_pipeline", "single_copy"}, "reduce_scatter_block": {"slots", "single_copy"},
            "reduce_scatter": {"slots", "single_copy"}}


class Compared(unittest.TestCase):
    def comparisons(self, **variables):
        """What rank 0 says: by operation, the sets of algorithms that were measured, and those that were chosen."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith("BOWLINE_")}
        environment |= {"BOWLINE_LOG_LEVEL": "2"} | variables
        done = subprocess.run([MPIEXEC, "--timeout", "90", "-n", "2", PROGRAM, "mixed"], env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        said = {}
        for line in done.stderr.splitlines():
            if found := re.search(r"(\w+) of \d+ bytes among 2 ranks: (\w+) \((.*)\)$", line):
                measured = {part.split()[0] for part in found[3].split(", ")}
                self.assertIn(found[2], measured)
                self.assertTrue(all(float(part.split()[1]) > 0 for part in found[3].split(", ")), line)
                said.setdefault(found[1], []).append(measured)
        return said

    def test_every_operation_on_long_data_is_compared(self):
        said = self.comparisons()
        self.assertEqual({operation: sets[0] for operation, sets in said.items()}, COMPARED)

    def test_the_tunable_ends_comparisons(self):
        self.assertEqual(self.comparisons(BOWLINE_COLL_COMPARE="0"), {})

    def test_a_rule_ends_those_of_its_operation(self):
        self.assertEqual(set(self.comparisons(BOWLINE_COLLECTIVES="bcast=slots")), set(COMPARED) - {"bcast"})

    def test_without_shared_memory_there_is_nothing_to_compare(self):
        self.assertEqual(self.comparisons(BOWLINE_COLL_SLOTS_LIMIT="0"), {})


if __name__ == "__main__":
    unittest.main()
