# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the bounds that perf/compare judges."""

import unittest

from made_up import summary_of
from side_by_side import bounds, implementations, jobs

CORES = 2


class Relative(unittest.TestCase):
    latency = bounds.Bound("latency", (1, 64), True, 0.95, bounds.BEST_PEER)
    rate = bounds.Bound("message_rate", (8, 8), False, 1.2, bounds.BEST_PEER)

    def judge(self, bound, points):
        return bound.judge(summary_of(points), CORES)

    def test_the_worst_size_decides(self):
        verdict = self.judge(self.latency, {("latency", 1): {"Bowline": [0.5], "MPICH": [1.0]},
                                            ("latency", 64): {"Bowline": [1.9], "MPICH": [1.0]}})
        self.assertIs(verdict.holds, False)
        self.assertIn("at 64 bytes (1.90 x): falls short by 100%", verdict.text)

    def test_sizes_outside_do_not_count_and_those_inside_need_not_be_powers_of_two(self):
        points = {("latency", size): {"Bowline": [mine], "MPICH": [1.0]} for size, mine in ((40, 0.9), (65, 5.0))}
        self.assertIs(self.judge(self.latency, points).holds, True)
        points["latency", 41] = {"Bowline": [0.96], "MPICH": [1.0]}
        self.assertIn("at 41 bytes (0.96 x): falls short by 1%", self.judge(self.latency, points).text)

    def test_at_least(self):
        for mine, holds in ((12.1, True), (11.9, False)):
            with self.subTest(mine):
                points = {("message_rate", 8): {"Bowline": [mine], "MPICH": [10.0], "Open MPI": [9.0]}}
                self.assertIs(self.judge(self.rate, points).holds, holds)

    def test_geometric_mean(self):
        mean = bounds.Bound("bandwidth", (1, 1 << 20), False, 1.2, bounds.BEST_PEER, mean=True)
        for mine, holds in (([1.0, 1.5], True), ([1.0, 1.4], False)):  # 1.22 and 1.18; both arithmetic means reach 1.2
            points = {("bandwidth", size): {"Bowline": [value], "MPICH": [1.0]} for size, value in zip((1, 64), mine)}
            self.assertIs(self.judge(mean, points).holds, holds)
        self.assertEqual(self.judge(mean, points).text, "1.18 x over 2 sizes: falls short by 1%")

    def test_against_the_raw_cost_and_against_a_named_peer(self):
        table = {("latency", 1): {"Bowline": [0.12], "raw": [0.1]},
                 ("init", 0): {"Bowline": [50.0], "MPICH": [49.0], "Open MPI": [300.0]}}
        self.assertTrue(self.judge(bounds.Bound("latency", (1, 1), True, 1.3, "raw"), table).holds)
        self.assertIs(self.judge(bounds.Bound("init", (0, 0), True, 1.0, "MPICH"), table).holds, False)

    def test_what_was_not_measured_does_not_hold(self):
        for points, missing in (({("message_rate", 8): {"MPICH": [1.0]}}, "Bowline"), ({}, "Bowline"),
                                ({("message_rate", 8): {"Bowline": [1.0]}}, "best peer")):
            with self.subTest(missing):
                verdict = self.judge(self.rate, points)
                self.assertIsNone(verdict.holds)
                self.assertTrue(verdict.judged)
                self.assertEqual(verdict.text, f"not measured: no figure of {missing}")

    def test_a_size_that_bowline_lacks_is_not_passed_over(self):
        points = {("latency", 1): {"Bowline": [0.5], "MPICH": [1.0]}, ("latency", 8): {"MPICH": [1.0]}}
        self.assertIsNone(self.judge(self.latency, points).holds)

    def test_in_words(self):
        self.assertEqual(self.latency.text(), "latency, 1 to 64 bytes: at most 0.95 x best peer")
        self.assertEqual(self.rate.text(), "message rate, 8 bytes: at least 1.2 x best peer")
        self.assertEqual(bounds.Bound("barrier_8", (0, 0), True, 1.0, "Open MPI").text(),
                         "barrier, 8 ranks: at most 1 x Open MPI")
        self.assertEqual([bounds.range_text(*sizes) for sizes in ((1, 1), (1, 64), (512, 65536), (1, 4 << 20))],
                         ["1 byte", "1 to 64 bytes", "512 bytes to 64 KiB", "1 byte to 4 MiB"])
        self.assertEqual(bounds.range_text(128 << 10, 512 << 10), "128 to 512 KiB")
        self.assertEqual([bounds.outcome(shortfall) for shortfall in (1.0, 1.001, 1.5, 40.2)],
                         ["holds", "falls short by 1%", "falls short by 50%", "falls short 40 times"])


class Families(unittest.TestCase):
    metrics = ("pack_vector", "unpack_struct")

    def judge(self, mine, peer=(1.0, 1.0), mean=False, factor=1.2, reference=bounds.BEST_PEER, name="MPICH"):
        points = {(metric, 1024): {"Bowline": [value], name: [other]}
                  for metric, value, other in zip(self.metrics, mine, peer)}
        return bounds.Family("copies", self.metrics, factor, reference, mean).judge(summary_of(points), CORES)

    def test_mean(self):
        self.assertIs(self.judge((1.0, 1.5), mean=True).holds, True)  # 1.22
        verdict = self.judge((1.0, 1.4), mean=True)
        self.assertEqual((verdict.holds, verdict.text), (False, "1.18 x over 2 points: falls short by 1%"))

    def test_the_worst_point_decides(self):
        self.assertIs(self.judge((1.2, 9.0)).holds, True)
        verdict = self.judge((9.0, 0.6))
        self.assertEqual((verdict.holds, verdict.text),
                         (False, "0.60 x of unpack, struct at 1 KiB, 1 of 2 points below: falls short by 100%"))

    def test_against_the_loop(self):
        for mine, holds in ((0.9, True), (0.8, False)):
            self.assertIs(self.judge((mine, 2.0), factor=1 / 1.15, reference=bounds.RAW, name="raw").holds, holds)

    def test_at_most(self):
        points = {(metric, 8): {"Bowline": [mine], "MPICH": [1.0]} for metric, mine in zip(self.metrics, (0.5, 0.8))}
        for factor, mean, holds in ((0.8, False, True), (0.7, False, False), (0.64, True, True), (0.6, True, False)):
            bound = bounds.Family("calls", self.metrics, factor, bounds.BEST_PEER, mean=mean, at_most=True)
            self.assertIs(bound.judge(summary_of(points), CORES).holds, holds)
        bound = bounds.Family("calls", self.metrics, 0.7, bounds.BEST_PEER, at_most=True)
        self.assertEqual(bound.judge(summary_of(points), CORES).text,
                         "0.80 x of unpack, struct at 8 bytes, 1 of 2 points above: falls short by 14%")
        self.assertEqual(bound.text(), "calls: at most 0.7 x best peer")

    def test_from_a_size_on(self):
        points = {("pack_vector", size): {"Bowline": [mine], "raw": [1.0]} for size, mine in ((64, 0.1), (1024, 1.0))}
        for smallest, holds in ((0, False), (1024, True)):
            bound = bounds.Family("copies", ("pack_vector",), 0.95, bounds.RAW, smallest=smallest)
            self.assertIs(bound.judge(summary_of(points), CORES).holds, holds)
        self.assertEqual(bound.text(), "copies from 1 KiB: at least 0.95 x a hand-written loop")

    def test_what_was_not_measured_does_not_hold(self):
        self.assertIsNone(self.judge((1.0, 1.0), reference=bounds.RAW).holds)
        self.assertIsNone(bounds.Family("copies", self.metrics, 1, bounds.RAW).judge(summary_of({}), CORES).holds)

    def test_in_words(self):
        self.assertEqual(bounds.Family("copies", self.metrics, 1 / 1.15, bounds.RAW).text(),
                         "copies: at least 0.87 x a hand-written loop")


class Absolute(unittest.TestCase):
    scaling = bounds.Limit("thread_scaling", False, 1.5, "x", cores=4)
    flood = bounds.Limit("flood_send", True, 72, "MiB")

    def test_the_worst_size_decides(self):
        points = {("flood_send", 10): {"Bowline": [70.0], "MPICH": [900.0]}, ("flood_send", 20): {"Bowline": [90.0]}}
        verdict = self.flood.judge(summary_of(points), CORES)
        self.assertEqual((verdict.holds, verdict.text), (False, "90.00 MiB: falls short by 25%"))
        points["flood_send", 20] = {"Bowline": [0.0]}
        self.assertIs(self.flood.judge(summary_of(points), CORES).holds, True)

    def test_what_only_peers_were_measured_at_does_not_hold(self):
        verdict = self.flood.judge(summary_of({("flood_send", 10): {"MPICH": [1.0]}}), CORES)
        self.assertEqual((verdict.holds, verdict.text), (None, "not measured: no figure of Bowline"))

    def test_with_too_few_cores_it_is_reported_but_not_judged(self):
        table = summary_of({("thread_scaling", 8): {"Bowline": [0.9]}})
        verdict = self.scaling.judge(table, 2)
        self.assertEqual((verdict.holds, verdict.judged), (None, False))
        self.assertEqual(verdict.text, "not judged: needs 4 cores, there are 2, which showed 0.900 x")
        self.assertEqual(self.scaling.judge(summary_of({}), 2).text, "not judged: needs 4 cores, there are 2")
        self.assertIs(self.scaling.judge(table, 4).holds, False)

    def test_in_words(self):
        self.assertEqual(self.flood.text(), "growth under a flood, MPI_Send: at most 72 MiB")


class Stated(unittest.TestCase):
    def test_only_what_was_to_be_measured_is_judged(self):
        verdicts = bounds.judge_all(summary_of({}), ["init", "exchange"], CORES)
        self.assertEqual([one.bound.metric for one in verdicts], ["init"])

    def test_a_full_measurement_has_a_figure_for_every_bound(self):
        measured = {metric for job in jobs.plan(False, implementations.BENCHMARKS) for metric in job.metrics} | {"init"}
        self.assertEqual({bound.metric for bound in bounds.BOUNDS} - measured, set())


if __name__ == "__main__":
    unittest.main()
