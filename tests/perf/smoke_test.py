# SPDX-License-Identifier: BSD-3-Clause
"""Runs every benchmark of the build tree, briefly. Environment: MPIEXEC is the launcher, BENCHMARKS their folder."""

import math
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "perf"))

from side_by_side import implementations, jobs, measure  # noqa: E402

BRIEF = ["--batches", "3", "--batch-ms", "1"]


def run(ranks, program, *arguments):
    """Runs a benchmark under the launcher."""
    command = [*shlex.split(os.environ["MPIEXEC"]), "-n", str(ranks), os.path.join(os.environ["BENCHMARKS"], program)]
    return subprocess.run([*command, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                          check=False)


class Smoke(unittest.TestCase):
    def points(self, ranks, program, *arguments, names=None):
        result = run(ranks, program, *BRIEF, *arguments)
        if "not implemented in this version of Bowline" in result.stderr:
            self.skipTest(result.stderr.strip())
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertTrue(measure.parse_library(result.stdout), result.stdout)
        points = measure.parse_points(result.stdout)
        for (name, _), (value, _) in points.items():
            self.assertIn(name, names or [program])
            self.assertTrue(math.isfinite(value) and value > 0, result.stdout)
        return points

    def test_every_size_up_to_the_largest_is_printed(self):
        for program, smallest in (("latency", 1), ("bandwidth", 1), ("bibw", 1)):
            with self.subTest(program):
                sizes = [size for _, size in self.points(2, program, "--max", "1024")]
                self.assertEqual(sizes, [1 << power for power in range(11) if 1 << power >= smallest])

    def test_the_sizes_that_were_asked_for_are_printed_in_their_order(self):
        points = self.points(2, "latency", "--size", "70000", "--size", "3")
        self.assertEqual(list(points), [("latency", 70000), ("latency", 3)])

    def test_what_copying_each_block_once_takes(self):
        def copy_once(*arguments):
            program = os.path.join(os.environ["BENCHMARKS"], "copy_once")
            return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60, check=False)

        for processes in ("1", "3"):
            done = copy_once(processes, "5000")
            if "process_vm_readv failed" in done.stderr:
                self.skipTest(done.stderr.strip())
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(list(measure.parse_points(done.stdout)), [("copy_once", 5000)])
        for wrong in (("0", "1"), ("65", "1"), ("2", "0"), ("2",), ()):
            done = copy_once(*wrong)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, r"\Acopy_once: give the number of processes, 1 to 64, [^\n]+\n\Z")

    def test_units(self):
        rates = self.points(2, "message_rate")
        self.assertEqual({size: unit for (_, size), (_, unit) in rates.items()}, {1: "M/s", 8: "M/s", 64: "M/s"})

    def test_collectives(self):
        for name in implementations.COLLECTIVES:
            with self.subTest(name):
                sizes = [0] if name == "barrier" else [4, 4096]
                points = self.points(3, "coll", "--mode", name, "--size", "4", "--size", "4096", names=[name])
                self.assertEqual(points.keys(), {(name, size) for size in sizes})
                self.assertEqual({unit for _, unit in points.values()}, {"us"})

    def test_many_pairs_and_all_pairs(self):
        self.assertEqual(list(self.points(4, "latency", "--size", "8")), [("latency", 8)])
        for ranks in (1, 2, 5):
            self.assertEqual(len(self.points(ranks, "exchange")), 2)

    def test_a_crowd(self):
        result = run(4, "crowd", *BRIEF)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        points = {name: point for (name, _), point in measure.parse_points(result.stdout).items()}
        names = jobs.plan(True, ["crowd"])[0].names
        self.assertEqual({name: unit for name, (_, unit) in points.items()},
                         dict(zip(names, ("ms", "ms", "us", "us", "MiB", "MiB"))))
        del points["crowd_shared"]  # the machine's: less than before if something else has ended meanwhile
        self.assertTrue(all(value > 0 for value, _ in points.values()), result.stdout)

    def test_match_measures_every_kind_and_its_slope(self):
        kinds = ["match_posted", "match_wildcards", "match_unexpected", "match_unexpected_any"]
        slopes = [f"{kind}_slope" for kind in kinds]
        points = self.points(2, "match", "--size", "10", "--size", "10000", names=kinds + slopes)
        self.assertEqual(set(points), {(kind, size) for kind in kinds for size in (10, 10000)} |
                         {(slope, 0) for slope in slopes})
        self.assertEqual(len(self.points(2, "match", "--size", "3", names=kinds)), len(kinds))

    def test_layouts(self):
        kinds = ("pack", "loop_pack", "unpack", "loop_unpack", "pingpong")
        names = [f"{kind}_{one}" for kind in kinds for one in jobs.LAYOUTS]
        points = self.points(2, "ddt", "--size", "1024", names=names)
        self.assertEqual(len(points), len(kinds) * len(jobs.LAYOUTS))
        self.assertEqual(len(self.points(2, "ddt", "--size", "2048", "--mode", "struct",
                                         names=[f"{kind}_struct" for kind in kinds])), len(kinds))

    def test_operators(self):
        names = [loop + one for loop in ("", "loop_") for one in jobs.OPERATIONS]
        points = self.points(1, "op", "--size", "1024", names=names)
        self.assertEqual(len(points), 2 * len(jobs.OPERATIONS))
        self.assertEqual(len(self.points(1, "op", "--size", "100", "--mode", "prod_complex",
                                         names=["op_prod_complex", "loop_op_prod_complex"])), 2)

    def test_memory(self):
        result = run(3, "memory")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        kib = {name: value for (name, _), (value, unit) in measure.parse_points(result.stdout).items() if unit == "KiB"}
        parts = kib["memory_anon"] + kib["memory_file"] + kib["memory_shmem"]
        self.assertGreater(kib["memory_anon"], 0)
        self.assertLessEqual(abs(kib["memory"] - parts), 3, kib)  # each mean is rounded down

    def test_idle(self):
        self.assertEqual(list(self.points(2, "idle", names=["idle"])), [("idle", 0)])

    def test_files(self):
        accesses = ("", "strided_", "cyclic_", "cube_")
        names = [f"{one}{way}{peak}" for one in accesses for way in ("write", "read") for peak in ("", "_peak")]
        with tempfile.TemporaryDirectory() as folder:
            result = run(2, "io", *BRIEF, "--size", "65536", "--mode", folder)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            self.assertEqual(os.listdir(folder), [])
        points = measure.parse_points(result.stdout)  # some may be 0
        self.assertEqual({name for name, _ in points}, {*names, "cyclic_overlap", "run_overlap", "open_close"})
        self.assertGreater(points["write", 65536][0], 0)

    def test_thread_levels(self):
        self.points(2, "latency", "--size", "8", "--thread-level", "multiple")
        names = ["rate_one_thread", "rate_two_threads", "thread_scaling"]
        points = self.points(2, "threads", names=names)
        self.assertEqual(list(points), [(name, 8) for name in names])

    def test_flood(self):
        for mode in ("send", "isend"):
            with self.subTest(mode):
                result = run(3, "flood", "--size", "500", "--mode", mode)
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
                self.assertEqual(list(measure.parse_points(result.stdout)), [(f"flood_{mode}", 500)])

    def test_init_is_silent(self):
        result = run(2, "init")
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)

    def test_bad_arguments_end_with_status_2_and_a_sentence(self):
        for ranks, arguments, sentence in ((2, ["--max", "x"], "--max takes a whole number from 1 to "),
                                           (2, ["--max"], "not nothing"),
                                           (2, ["--nonsense"], "unknown option"),
                                           (2, ["--thread-level", "most"], "takes single or multiple, not most"),
                                           (1, [], "needs an even number of ranks")):
            with self.subTest(arguments):
                self.assert_refused(run(ranks, "latency", *arguments), sentence)
        self.assert_refused(run(2, "coll", "--mode", "sum"), "a collective such as allreduce or gatherv, not sum")
        self.assert_refused(run(1, "bandwidth"), "needs exactly 2 ranks (mpiexec -n 2), but was started with 1")
        self.assert_refused(run(3, "flood", "--mode", "all"), "--mode takes send or isend, not all")
        self.assert_refused(run(2, "match", "--size", "30001"), "at most 30000")
        self.assert_refused(run(2, "ddt", "--mode", "rows"), "not rows")
        self.assert_refused(run(1, "op", "--mode", "min_float"), "not min_float")
        self.assert_refused(run(2, "ddt", "--size", "3000"), "powers of two")

    def assert_refused(self, result, sentence):
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        self.assertIn(sentence, result.stderr)


if __name__ == "__main__":
    unittest.main()
