# SPDX-License-Identifier: BSD-3-Clause
"""perf/tune makes of made-up times the rules that choose the fastest."""

import unittest

import made_up  # noqa: F401  (finds perf/)
from side_by_side import tuning

LISTED = """algorithms of the collectives, and the rules that choose them: the first that fits counts
barrier
  dissemination                signals at distance 1, 2, 4...: log2 n rounds
  rule: barrier = dissemination
allgather
  bruck                        doubles what it has in each of log2 n rounds, for short data
  recursive_doubling           exchanges at distance 1, 2, 4... (2, 4, 8... ranks only)
bcast
  binomial                     a binomial tree: log2 n rounds, for short data
  chain                        a pipeline: for long data and few ranks (segmented)
  user's rule: bcast = chain:64K
"""


class Variants(unittest.TestCase):
    def setUp(self):
        self.algorithms = tuning.parse_algorithms(LISTED)

    def test_what_bowline_info_lists_is_understood(self):
        self.assertEqual({one: [name for name, _ in known] for one, known in self.algorithms.items()},
                         {"barrier": ["dissemination"], "allgather": ["bruck", "recursive_doubling"],
                          "bcast": ["binomial", "chain"]})

    def test_constraints_are_kept(self):
        self.assertEqual(tuning.variants(self.algorithms["allgather"], 6, [8], []), ["bruck"])
        self.assertEqual(tuning.variants(self.algorithms["allgather"], 8, [8], []), ["bruck", "recursive_doubling"])

    def test_segments_are_shorter_than_the_data(self):
        self.assertEqual(tuning.variants(self.algorithms["bcast"], 4, [8, 1 << 20], [1 << 13, 1 << 19, 1 << 20]),
                         ["binomial", "chain:8K", "chain:512K"])


class Rules(unittest.TestCase):
    def test_each_size_gets_its_fastest(self):
        times = {("bcast", 2): {"binomial": {8: 1.0, 1024: 2.0, 65536: 90.0},
                                "chain:8K": {8: 2.0, 1024: 4.0, 65536: 30.0}}}
        self.assertEqual(tuning.rules(times), ["bcast bytes<=1K = binomial", "bcast = chain:8K"])

    def test_nearly_as_fast_is_no_reason_for_a_change(self):
        times = {("bcast", 2): {"a": {1: 1.0, 2: 1.04, 4: 1.2}, "b": {1: 2.0, 2: 1.0, 4: 1.0}}}
        self.assertEqual(tuning.rules(times), ["bcast bytes<=2 = a", "bcast = b"])

    def test_the_most_ranks_stand_for_more(self):
        times = {("bcast", 8): {"b": {8: 1.0}, "a": {8: 3.0}}, ("bcast", 2): {"b": {8: 3.0}, "a": {8: 1.0}}}
        self.assertEqual(tuning.rules(times), ["bcast ranks<=2 = a", "bcast = b"])

    def test_where_no_length_is_known_the_mean_decides(self):
        times = {("alltoallv", 4): {"pairwise": {8: 1.0, 64: 9.0}, "spread": {8: 2.0, 64: 2.0}}}
        self.assertEqual(tuning.rules(times), ["alltoallv = spread"])

    def test_scattered_reductions_count_the_whole_vector(self):
        times = {("reduce_scatter", 4): {"ring": {8: 2.0, 1024: 1.0}, "pairwise": {8: 1.0, 1024: 2.0}}}
        self.assertEqual(tuning.rules(times), ["reduce_scatter bytes<=32 = pairwise", "reduce_scatter = ring"])


if __name__ == "__main__":
    unittest.main()
