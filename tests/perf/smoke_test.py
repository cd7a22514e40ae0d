# SPDX-License-Identifier: BSD-3-Clause
"""Runs every benchmark of the build tree, briefly. Environment: MPIEXEC is the launcher, BENCHMARKS their folder."""

import math
import os
import pathlib
import shlex
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "perf"))

from side_by_side import measure  # noqa: E402

BRIEF = ["--batches", "3", "--batch-ms", "1"]


def run(ranks, program, *arguments):
    """Runs a benchmark under the launcher."""
    command = [*shlex.split(os.environ["MPIEXEC"]), "-n", str(ranks), os.path.join(os.environ["BENCHMARKS"], program)]
    return subprocess.run([*command, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                          check=False)


class Smoke(unittest.TestCase):
    def points(self, ranks, program, *arguments):
        result = run(ranks, program, *BRIEF, *arguments)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertTrue(measure.parse_library(result.stdout), result.stdout)
        points = measure.parse_points(result.stdout)
        for (name, _), (value, _) in points.items():
            self.assertEqual(name, program)
            self.assertTrue(math.isfinite(value) and value > 0, result.stdout)
        return points

    def test_every_size_up_to_the_largest_is_printed(self):
        for program, smallest in (("latency", 1), ("bandwidth", 1), ("bcast", 1), ("allreduce", 4)):
            with self.subTest(program):
                sizes = [size for _, size in self.points(2, program, "--max", "1024")]
                self.assertEqual(sizes, [1 << power for power in range(11) if 1 << power >= smallest])

    def test_the_sizes_that_were_asked_for_are_printed_in_their_order(self):
        points = self.points(2, "latency", "--size", "70000", "--size", "3")
        self.assertEqual(list(points), [("latency", 70000), ("latency", 3)])

    def test_units(self):
        self.assertEqual(self.points(2, "message_rate")["message_rate", 8][1], "M/s")
        self.assertEqual(self.points(2, "barrier")["barrier", 0][1], "us")

    def test_collectives_with_more_ranks_than_two(self):
        for program in ("barrier", "bcast", "allreduce"):
            with self.subTest(program):
                self.assertEqual(len(self.points(3, program, "--size", "64")), 1)

    def test_init_is_silent(self):
        result = run(2, "init")
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)

    def test_bad_arguments_end_with_status_2_and_a_sentence(self):
        for ranks, arguments, sentence in ((2, ["--max", "x"], "--max takes a whole number from 1 to "),
                                           (2, ["--max"], "not nothing"),
                                           (2, ["--nonsense"], "unknown option"),
                                           (1, [], "needs exactly two ranks")):
            with self.subTest(arguments):
                result = run(ranks, "latency", *arguments)
                self.assertEqual(result.returncode, 2)
                self.assertIn(sentence, result.stderr)


if __name__ == "__main__":
    unittest.main()
