# SPDX-License-Identifier: BSD-3-Clause
"""Tests of what perf/compare measures: the plan, and how runs become points."""

import unittest

import made_up  # noqa: F401, finds side_by_side
from side_by_side import implementations, jobs, measure


class Plan(unittest.TestCase):
    def sizes_of(self, quick, benchmark, ranks=2):
        job = next(job for job in jobs.plan(quick, [benchmark]) if job.ranks == ranks)
        words = job.arguments
        return [int(value) for option, value in zip(words, words[1:]) if option == "--size"]

    def test_only_keeps_the_named_benchmarks_and_their_crowded_form(self):
        self.assertEqual([job.title for job in jobs.plan(True, ["barrier"])], ["barrier", "barrier_4", "barrier_8"])

    def test_every_power_of_two_is_measured(self):
        for quick in (False, True):
            for benchmark in ("bandwidth", "bibw"):
                self.assertEqual(self.sizes_of(quick, benchmark), [1 << power for power in range(23)])
            self.assertEqual(self.sizes_of(quick, "latency"), sorted([40, *(1 << power for power in range(23))]))
            for ranks in (2,) if quick else (2, 4, 8):
                self.assertEqual(self.sizes_of(quick, "reduce", ranks), [1 << power for power in range(2, 23)])

    def test_a_quick_one_leaves_out_what_takes_long_where_ranks_share_cores(self):
        kib = 1 << 10
        self.assertEqual(self.sizes_of(True, "reduce", 8), [4, kib, 8 * kib, 16 * kib, 32 * kib, 64 * kib, 1024 * kib])

    def test_a_quick_one_has_both_ends_of_the_slope(self):
        self.assertEqual(self.sizes_of(False, "match"), [1, 10, 100, 1000, 10000])
        self.assertEqual(self.sizes_of(True, "match"), [10, 10000])

    def test_floods_are_for_a_full_one_and_the_whole_flood_for_bowline(self):
        self.assertEqual(jobs.plan(True, ["flood"]), [])
        self.assertEqual([(job.names, job.once, job.only_bowline) for job in jobs.plan(False, ["flood"])],
                         [((f"flood_{mode}",), True, whole) for whole in (False, True) for mode in ("send", "isend")])

    def test_a_collective_is_measured_with_every_number_of_ranks(self):
        planned = jobs.plan(False, ["reduce"])
        self.assertEqual([(job.benchmark, job.ranks, job.arguments[:2]) for job in planned],
                         [("coll", ranks, ("--mode", "reduce")) for ranks in (2, 4, 8)])

    def test_every_benchmark_that_can_be_named_is_planned(self):
        for name in implementations.NAMES:
            if name != "init":
                self.assertTrue(jobs.plan(False, [name]), name)


    def test_what_takes_long_is_measured_on_request(self):
        benchmarks = {job.benchmark for job in jobs.plan(False, implementations.BENCHMARKS)}
        self.assertFalse(benchmarks & set(implementations.ON_REQUEST))
        self.assertEqual([job.title for job in jobs.plan(False, ["crowd"])], ["crowd_64", "crowd_128", "crowd_256"])


class Points(unittest.TestCase):
    def test_a_crowd_has_metrics_of_its_own(self):
        job = jobs.Job("latency", jobs.CROWD)
        points = job.points(lambda benchmark, ranks, arguments, bound: {("latency", 8): (ranks, "us")})
        self.assertEqual(points, {("latency_8", 8): (8, "us")})
        self.assertEqual(job.metrics, ("latency_8",))

    def test_the_cost_of_locks_is_the_median_of_the_ratios_of_pairs(self):
        times = {"single": iter([1.0, 2.0, 10.0]), "multiple": iter([1.5, 2.0, 11.0])}
        levels = []

        def run(benchmark, ranks, arguments, bound):
            levels.append(arguments[-1])
            return {("latency", 8): (next(times[arguments[-1]]), "us")}
        points = jobs.LockCost("latency", 2, pairs=3).points(run)
        self.assertEqual(points, {("latency_single", 8): (2.0, "us"), ("latency_multiple", 8): (2.0, "us"),
                                  ("lock_cost", 8): (1.1, "x")})
        self.assertEqual(levels, ["single", "multiple", "multiple", "single", "single", "multiple"])

    def test_memory(self):
        def run(benchmark, ranks, arguments=(), bound=True):
            self.assertFalse(bound)
            total, anonymous, shared = {("memory", 2): (6144, 1000, 24), ("memory", 16): (7168, 1010, 42),
                                        ("memory_plain", 2): (2048, 96, 0)}[benchmark, ranks]
            return {("memory", 0): (total, "KiB"), ("memory_anon", 0): (anonymous, "KiB"),
                    ("memory_shmem", 0): (shared, "KiB")}
        job = jobs.Memory("memory", 2)
        points = job.points(run)
        self.assertEqual(points, {("memory", 0): (6.0, "MiB"), ("memory_16", 0): (7.0, "MiB"),
                                  ("memory_excess", 0): (4.0, "MiB"), ("memory_per_peer", 0): (2.0, "KiB")})
        self.assertEqual({name for name, _ in points}, set(job.metrics))


class Loops(unittest.TestCase):
    def test_the_loop_of_the_subjects_run_is_the_raw_figure_of_packing(self):
        found = [implementations.Implementation(name, ("mpicc",), ("mpiexec",), "bowline")
                 for name in ("Bowline", "MPICH")]
        session = measure.Session(found, {one.name: {"ddt": "program"} for one in found}, None, 2)
        values = {"Bowline": (5.0, 6.0), "MPICH": (3.0, 7.0)}
        session._job = lambda one, job: {("pack_vector", 1024): (values[one.name][0], "MB/s"),
                                         ("loop_pack_vector", 1024): (values[one.name][1], "MB/s")}
        session._bounce = lambda job: None
        session._turn(jobs.layouts_job(True), 0)
        self.assertEqual(session.samples.values,
                         {("pack_vector", 1024): {"Bowline": {0: 5.0}, "MPICH": {0: 3.0}, "raw": {0: 6.0}}})


class Rounds(unittest.TestCase):
    """Session with made-up programs."""

    def session(self, names, points):
        found = [implementations.Implementation(name, ("mpicc",), ("mpiexec",), "bowline") for name in names]
        session = measure.Session(found, {name: {"flood": "program"} for name in names}, None, 2)
        session.taken = []

        def take(one, job):
            session.taken.append(one.name)
            return points(one.name)
        session._job = take
        return session

    def test_what_is_measured_once_is_not_repeated_in_later_rounds(self):
        session = self.session(["Bowline"], lambda name: {("flood_send", 10): (1.0, "MiB")})
        session.run([jobs.Job("flood", 3, once=True, timed=False), jobs.Job("flood", 3, timed=False)], 3, 0)
        self.assertEqual(len(session.taken), 4)

    def test_what_is_for_bowline_alone_is_not_run_with_others(self):
        session = self.session(["MPICH", "Bowline"], lambda name: {("flood_send", 10): (1.0, "MiB")})
        session.run([jobs.Job("flood", 3, timed=False, only_bowline=True)], 2, 0)
        self.assertEqual(session.taken, ["Bowline", "Bowline"])

    def test_one_that_fails_is_named_once_and_the_others_go_on(self):
        def points(name):
            if name == "MPICH":
                raise implementations.CompareError("it has no such function")
            return {("flood_send", 10): (1.0, "MiB")}
        session = self.session(["MPICH", "Bowline"], points)
        session.run([jobs.Job("flood", 3, timed=False)], 3, 0)
        self.assertEqual(session.problems, ["MPICH: flood: it has no such function"])
        self.assertEqual(session.samples.values["flood_send", 10], {"Bowline": {0: 1.0, 1: 1.0, 2: 1.0}})


if __name__ == "__main__":
    unittest.main()
