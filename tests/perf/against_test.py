# SPDX-License-Identifier: BSD-3-Clause
"""Tests of what counts as slower than an earlier run, and of the spread it is judged by."""

import unittest

from made_up import record_of, summary_of
from side_by_side import against
from side_by_side.spread import Spread, combined

STEADY = [1.0, 1.01, 0.99]


def changed(now, before, metrics=("latency",), names=("Bowline", "Open MPI", "MPICH")):
    """The comparison of two made-up runs."""
    summaries = [summary_of(points, names) for points in (now, before)]
    records = [record_of(points, list(metrics), names) for points in (now, before)]
    return against.compare(*summaries, *records)


class Spreads(unittest.TestCase):
    def test_an_accident_among_many_rounds_is_left_out_but_not_among_few(self):
        self.assertEqual(Spread.of([1, 2, 3, 4, 5, 99]).interval, (1, 99))
        self.assertEqual(Spread.of([99, 1, 2, 3, 4, 5, 6]).interval, (2, 6))
        self.assertEqual(Spread.of([99, 1, 2, 3, 4, 5, 6]).highest, 99)

    def test_relative_is_half_the_interval_by_the_median(self):
        self.assertEqual(Spread.of([8, 10, 12]).relative, 0.2)
        self.assertEqual(Spread.of([8]).relative, 0.0)
        self.assertAlmostEqual(combined(Spread.of([7, 10, 13]), Spread.of([6, 10, 14])), 0.5)

    def test_quartiles(self):
        self.assertEqual(Spread.of([1, 2, 3, 4, 5]).quartiles(), (2, 4))
        self.assertEqual(Spread.of([3]).quartiles(), (3, 3))


class Noise(unittest.TestCase):
    def test_what_is_clearly_slower_is_found_and_the_worst_comes_first(self):
        found = changed({("latency", 8): {"Bowline": [1.2, 1.21, 1.19]}, ("latency", 64): {"Bowline": [2.0] * 3},
                         ("latency", 1): {"Bowline": STEADY}},
                        {("latency", 8): {"Bowline": STEADY}, ("latency", 64): {"Bowline": STEADY},
                         ("latency", 1): {"Bowline": STEADY}})
        self.assertEqual([(one.size, round(one.factor, 2)) for one in found.slower], [(64, 2.0), (8, 1.2)])
        self.assertEqual((found.faster, found.points), ([], 3))

    def test_rounds_that_overlap_are_noise_however_far_apart_the_medians_are(self):
        found = changed({("latency", 8): {"Bowline": [1.0, 3.0, 3.1]}}, {("latency", 8): {"Bowline": [0.9, 1.0, 1.1]}})
        self.assertEqual(found.slower, [])

    def test_a_small_change_is_noise_however_steady_the_rounds_are(self):
        found = changed({("latency", 8): {"Bowline": [1.04] * 3}}, {("latency", 8): {"Bowline": [1.0] * 3}})
        self.assertEqual(found.slower, [])

    def test_the_bound_grows_with_the_spread_of_both(self):
        self.assertEqual(against.bound_of(Spread.of([1.0] * 3), Spread.of([1.0] * 3)), 1.05)
        self.assertAlmostEqual(against.bound_of(Spread.of([8, 10, 12]), Spread.of([10, 10, 10])), 1.4)

    def test_a_single_round_must_be_much_slower(self):
        for now, slower in ((1.4, 0), (1.6, 1)):
            found = changed({("latency", 8): {"Bowline": [now]}}, {("latency", 8): {"Bowline": STEADY}})
            self.assertEqual(len(found.slower), slower, now)

    def test_less_bandwidth_is_slower_and_more_is_faster(self):
        found = changed({("bandwidth", 8): {"Bowline": [50.0] * 3}, ("bandwidth", 64): {"Bowline": [200.0] * 3}},
                        {("bandwidth", 8): {"Bowline": [100.0] * 3}, ("bandwidth", 64): {"Bowline": [100.0] * 3}},
                        ("bandwidth",))
        self.assertEqual([one.size for one in found.slower], [8])
        self.assertEqual([one.size for one in found.faster], [64])

    def test_the_machine_is_to_blame_for_what_the_peers_share(self):
        before = {("latency", 8): {"Bowline": [1.0] * 3, "MPICH": [2.0] * 3}}
        for mine, slower in ((1.5, 0), (2.0, 1)):
            found = changed({("latency", 8): {"Bowline": [mine] * 3, "MPICH": [3.0] * 3}}, before)
            self.assertEqual(len(found.slower), slower, mine)
        # Peers that got faster accuse nobody.
        found = changed({("latency", 8): {"Bowline": [1.0] * 3, "MPICH": [1.0] * 3}}, before)
        self.assertEqual((found.slower, found.faster), ([], []))

    def test_only_points_of_both_runs_are_compared(self):
        found = changed({("latency", 8): {"Bowline": [1.0]}, ("latency", 16): {"Bowline": [0.0]}},
                        {("latency", 64): {"Bowline": [1.0]}, ("latency", 16): {"Bowline": [1.0]}})
        self.assertEqual(found.points, 0)

    def test_other_machines_and_versions_are_told(self):
        now, old = (record_of({("latency", 8): {"Bowline": [1.0], "MPICH": [1.0]}}, ["latency"], ("Bowline", "MPICH"))
                    for _ in range(2))
        self.assertEqual(against.differences(now, old), [])
        old.machine = {"processor": "another", "cores": "2"}
        old.implementations[0]["library"] = "an older one"  # that it is another is the point of the comparison
        old.implementations[1]["library"] = "MPICH 3"
        self.assertEqual(against.differences(now, old), ["processor differs: another before, made up now",
                                                         "MPICH differs: MPICH 3 before, MPICH 1 now"])
        old.implementations.pop()
        self.assertIn("no peer is in both runs: a change of the machine cannot be told from one of the library",
                      against.differences(now, old))


if __name__ == "__main__":
    unittest.main()
