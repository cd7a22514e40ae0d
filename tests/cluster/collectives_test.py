# SPDX-License-Identifier: BSD-3-Clause
"""Collectives of ranks on several nodes: how often their data cross which link, and that the bits of a reduction do not
depend on where the ranks run if they must not; and that the ranks compare the times of algorithms."""
import os
import re
import unittest

from rig_case import command, main

RIG, TRAFFIC, ALGORITHMS = os.environ["RIG"], os.environ["TRAFFIC"], os.environ["ALGORITHMS"]
NODES = ("n1", "n2", "n5", "n6")  # n1 to n4 are on one switch, n5 to n8 on another
UPPER = ("s0-s1", "s0-s2")        # what joins the switches: port of the upper one to each


def job_of(nodes, ranks, *words, arguments=(), **variables):
    settings = [f"{name}={value}" for name, value in variables.items()]
    done = command("run", RIG, "--", "env", "BOWLINE_WAIT_SPINS=24", *settings, "timeout", 50,
                   "srun", "--mpi=pmix", "--kill-on-bad-exit=1", "--overcommit", f"-N{nodes}", f"-n{nodes * ranks}",
                   f"--ntasks-per-node={ranks}", *arguments, *words)
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return done


def srun(*what, **variables):
    return job_of(*what, **variables).stdout


def counted(way):
    """Bytes that each port has moved so far: tx down to a node or switch, rx up from it."""
    ports = NODES + UPPER
    files = [f"/sys/class/net/{port}/statistics/{way}_bytes" for port in ports]
    return dict(zip(ports, map(int, command("run", RIG, "--", "cat", *files).stdout.split())))


class Measured(unittest.TestCase):
    """Ranks are dealt out, so that neighbours in rank are not neighbours on the network."""
    LENGTH, TIMES = 8192, 128

    def moved(self, operation, way, **variables):
        """By port, how many times the data of one call went that way, by the rules alone."""
        variables |= {"BOWLINE_COLL_COMPARE": "0"}
        def job(times):
            before = counted(way)
            srun(len(NODES), 2, TRAFFIC, operation, self.LENGTH, times, arguments=(
                f"--nodelist={','.join(NODES)}", "--distribution=cyclic"), **variables)
            after = counted(way)
            return {port: after[port] - before[port] for port in before}
        few, many = job(16), job(16 + self.TIMES)  # what starting and ending take is in both
        return {port: (many[port] - few[port]) / (self.LENGTH * self.TIMES) for port in many}

    def assert_times(self, measured, expected):
        """Headers, acknowledgements and barriers take some bytes, by far not as many as another copy."""
        for port, times in expected.items():
            self.assertGreater(measured[port], times - 0.1, (port, measured))
            self.assertLess(measured[port], times + 0.5, (port, measured))


class Traffic(Measured):
    def test_a_broadcast_crosses_each_link_once(self):
        once = {"n1": 0, "n2": 1, "n5": 1, "n6": 1, "s0-s1": 0, "s0-s2": 1}
        self.assert_times(self.moved("bcast", "tx"), once)

    def test_a_reduction_crosses_each_link_once(self):
        once = {"n1": 0, "n2": 1, "n5": 1, "n6": 1, "s0-s1": 0, "s0-s2": 1}
        self.assert_times(self.moved("reduce", "rx"), once)


def bits(nodes, ranks, **variables):
    said = srun(nodes, ranks, ALGORITHMS, "bits", **variables)
    return next(line.split()[2] for line in said.splitlines() if line.startswith("bits default"))


class Bits(unittest.TestCase):
    def test_reproducible_ones_do_not_depend_on_the_nodes(self):
        found = {shape: bits(*shape, BOWLINE_COLL_REPRODUCIBLE="1") for shape in ((8, 1), (4, 2), (2, 4))}
        self.assertEqual(len(set(found.values())), 1, found)


class Compared(unittest.TestCase):
    def test_ranks_on_several_nodes_compare_algorithms_of_long_calls(self):
        said = job_of(2, 2, TRAFFIC, "bcast", 10_000, 80, BOWLINE_LOG_LEVEL="2").stderr
        found = re.search(r"bcast of up to 16384 bytes among 4 ranks on several nodes: (\S+) \((.*)\)$", said, re.M)
        self.assertTrue(found, said)
        measured = dict(part.rsplit(" ", 2)[:2] for part in found[2].split(", "))
        self.assertEqual(set(measured), {"hierarchical", "knomial", "chain:8192", "binary_tree:8192"})
        self.assertTrue(all(float(time) > 0 for time in measured.values()), said)
        self.assertIn(found[1], measured)

    def test_the_results_of_reductions_do_not_depend_on_times(self):
        said = job_of(2, 2, TRAFFIC, "reduce", 10_000, 80, BOWLINE_LOG_LEVEL="2").stderr
        self.assertNotIn("on several nodes:", said)


class Contrast(Measured):
    """What the other tests find would not be so by itself."""

    def test_an_algorithm_that_knows_no_nodes_crosses_links_more_often(self):
        self.assert_times(self.moved("bcast", "tx", BOWLINE_COLLECTIVES="bcast=binomial"), {"s0-s2": 2})

    def test_other_reductions_depend_on_the_nodes(self):
        self.assertNotEqual(bits(2, 4), bits(8, 1))


if __name__ == "__main__":
    main()
