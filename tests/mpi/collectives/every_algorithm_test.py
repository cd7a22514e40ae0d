# SPDX-License-Identifier: BSD-3-Clause
"""Every algorithm that bowline-info lists serves its operation rightly, in the same order of operands each time."""
import os
import re
import subprocess
import unittest

MPIEXEC, INFO, PROGRAM = (os.environ[name] for name in ("MPIEXEC", "INFO", "PROGRAM"))
REDUCTIONS = ("reduce", "allreduce", "reduce_scatter_block", "scan", "exscan")


def run(command, cores=None, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("BOWLINE_")} | variables
    return subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=100, check=False,
                          preexec_fn=None if cores is None else lambda: os.sched_setaffinity(0, cores))


def rules():
    """A rule for each algorithm, and one more in segments for those that know them."""
    found, operation = [], None
    for line in run([INFO, "--collectives"]).stdout.splitlines()[1:]:
        if not line.startswith(" "):
            operation = line
        elif named := re.match(r"  (\w+) +\S", line):
            rule = f"{operation}={named[1]}"
            found += [rule, rule + ":1K"] if "(segmented" in line else [rule]
    return found


class EveryAlgorithm(unittest.TestCase):
    def ranks(self, ranks, *arguments, cores=None, **variables):
        done = run([MPIEXEC, "--timeout", "90", "-n", str(ranks), PROGRAM, *arguments], cores, **variables)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def test_there_are_several_of_most_operations(self):
        names = [rule.split("=")[0] for rule in rules()]
        self.assertEqual(len(set(names)), 18)
        self.assertGreater(len(names), 30)

    def check_results(self, ranks):
        said = self.ranks(ranks, *rules())
        for line in said.stderr.splitlines():  # what cannot serve a number of ranks or an operator says so, no more
            self.assertIn("cannot serve a call", line)

    def test_2(self):
        self.check_results(2)

    def test_3(self):
        self.check_results(3)

    def test_4(self):
        self.check_results(4)

    def test_5(self):
        self.check_results(5)

    def test_8(self):
        self.check_results(8)

    def bits(self, ranks, *arguments, cores=None, **variables):
        output = self.ranks(ranks, "bits", *arguments, cores=cores, **variables).stdout
        return dict(line.split()[1:] for line in output.splitlines() if line.startswith("bits "))

    def test_each_gives_the_same_bits_from_run_to_run(self):
        reductions = [rule for rule in rules() if rule.split("=")[0] in REDUCTIONS]
        first = self.bits(5, *reductions)
        self.assertEqual(list(first), reductions)
        self.assertGreater(len(set(first.values())), 1)  # the order does show in the bits
        self.assertEqual(self.bits(5, *reductions), first)

    def test_those_that_ranks_compare_give_the_same_bits(self):
        families = {operation: ("slots", "shares", "single_copy") for operation in ("reduce", "allreduce")}
        families |= {operation: ("slots", "single_copy") for operation in ("reduce_scatter_block", "reduce_scatter")}
        families |= {operation: ("slots_pipeline", "single_copy") for operation in ("scan", "exscan")}
        for ranks in (2, 3, 5):
            bits = self.bits(ranks, *(f"{operation}={name}" for operation, names in families.items() for name in names))
            for operation, names in families.items():
                found = {name: bits[f"{operation}={name}"] for name in names}
                self.assertEqual(len(set(found.values())), 1, (ranks, operation, found))

    def test_reproducible_ones_do_not_depend_on_crowding(self):
        one_core = {min(os.sched_getaffinity(0))}
        rule = "allreduce oversubscribed = ring, allreduce = reduce_bcast"
        expected = self.bits(5, "allreduce=reduce_bcast", BOWLINE_COLL_REPRODUCIBLE="1")["allreduce=reduce_bcast"]
        ring = self.bits(5, "allreduce=ring", BOWLINE_COLL_REPRODUCIBLE="1")["allreduce=ring"]
        self.assertNotEqual(expected, ring)
        oversubscribed = self.bits(5, cores=one_core, BOWLINE_COLLECTIVES=rule)
        self.assertNotEqual(oversubscribed["default"], expected)
        for cores in (one_core, None):
            bits = self.bits(5, cores=cores, BOWLINE_COLLECTIVES=rule, BOWLINE_COLL_REPRODUCIBLE="1")
            self.assertEqual(bits["default"], expected)


if __name__ == "__main__":
    unittest.main()
