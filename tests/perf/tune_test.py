# SPDX-License-Identifier: BSD-3-Clause
"""perf/tune makes of made-up times the rules that beat the defaults, and nothing of noise."""

import random
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
ON_A_NODE = tuning.Situation(4, "shared-memory", False)


def steady(**variants):
    """Times that are the same in each of eight batches."""
    return {variant.replace("_at_", ":"): {size: [value] * 8 for size, value in by_size.items()}
            for variant, by_size in variants.items()}


class Variants(unittest.TestCase):
    def setUp(self):
        self.algorithms = tuning.parse_algorithms(LISTED)

    def test_what_bowline_info_lists_is_understood(self):
        self.assertEqual({one: list(known) for one, known in self.algorithms.items()},
                         {"barrier": ["dissemination"], "allgather": ["bruck", "recursive_doubling"],
                          "bcast": ["binomial", "chain"]})

    def test_constraints_are_kept(self):
        self.assertEqual(tuning.variants(self.algorithms["allgather"], 6, [8], []), ["bruck"])
        self.assertEqual(tuning.variants(self.algorithms["allgather"], 8, [8], []), ["bruck", "recursive_doubling"])

    def test_segments_are_shorter_than_the_data(self):
        self.assertEqual(tuning.variants(self.algorithms["bcast"], 4, [8, 1 << 20], [1 << 13, 1 << 19, 1 << 20]),
                         ["binomial", "chain:8K", "chain:512K"])

    def test_what_runs_is_understood(self):
        text = "what serves\nbcast\n  0 to 8:                     binomial\n  9 and more:             chain:8K\n"
        runs = tuning.parse_what_runs(text)
        self.assertEqual(tuning.without_defaults("bcast", 4, {8: "chain:8K", 16: "chain:8K"}, runs),
                         {8: "chain:8K", 16: tuning.DEFAULT})
        self.assertEqual(tuning.without_defaults("reduce_scatter", 4, {8: "chain:8K"}, runs), {8: tuning.DEFAULT})


class Choice(unittest.TestCase):
    def test_what_is_clearly_faster_is_chosen_and_nothing_else(self):
        times = steady(default={8: 1.0, 64: 1.0, 512: 1.0}, a={8: 0.5, 64: 0.96, 512: 2.0},
                       b={8: 0.6, 64: 2.0, 512: 0.9})
        self.assertEqual(tuning.choose("bcast", times), {8: "a", 64: "default", 512: "b"})

    def test_nearly_as_fast_is_no_reason_for_a_change(self):
        times = steady(default={1: 2.0, 2: 2.0, 4: 2.0}, a={1: 1.0, 2: 1.04, 4: 1.2}, b={1: 1.5, 2: 1.0, 4: 1.0})
        self.assertEqual(tuning.choose("bcast", times), {1: "a", 2: "a", 4: "b"})

    def test_a_disturbed_default_is_no_reason(self):
        times = {"default": {8: [1.0, 1.0, 1.0, 90.0, 90.0, 90.0, 90.0, 90.0]}, "a": {8: [1.1] * 8}}
        self.assertEqual(tuning.choose("bcast", times), {8: "default"})

    def rules_of_noise(self, factor, trials):
        """How often ways that really take `factor` of the default's time get a rule on a machine where others run."""
        seed = random.randrange(1 << 32)
        noise = random.Random(seed)

        def batches(value):
            return {8: [value * (noise.gauss(1, 0.05) if noise.random() < 0.7 else noise.uniform(1, 50))
                        for _ in range(12)]}
        found = 0
        for _ in range(trials):
            times = {"default": batches(1), **{name: batches(factor) for name in "abc"}}
            again = [{"default": batches(1), "tuned": batches(factor)} for _ in range(4)]
            chosen = tuning.confirm("bcast", tuning.choose("bcast", times), again)
            found += chosen[8] != tuning.DEFAULT
        return found, f"seed {seed}"

    def test_noise_does_not_make_a_rule_of_what_gains_nothing(self):
        for factor in (1.0, 1.05):
            found, seed = self.rules_of_noise(factor, 500)
            self.assertEqual(found, 0, seed)

    def test_noise_does_not_hide_what_gains_much(self):
        found, seed = self.rules_of_noise(0.5, 100)
        self.assertGreater(found, 50, seed)

    def test_what_does_not_hold_when_measured_again_goes(self):
        chosen = {8: "a", 64: "a", 512: "default"}
        again = steady(default={8: 1.0, 64: 1.0, 512: 1.0}, tuned={8: 0.9, 64: 0.91, 512: 0.5})
        self.assertEqual(tuning.confirm("bcast", chosen, [again]), {8: "a", 64: "default", 512: "default"})
        other = steady(default={8: 1.0, 64: 1.0, 512: 1.0}, tuned={8: 1.1, 64: 0.5, 512: 0.5})
        self.assertEqual(set(tuning.confirm("bcast", chosen, [again, other]).values()), {"default"})

    def test_where_no_length_is_known_the_mean_decides_and_no_size_may_lose(self):
        times = steady(default={8: 1.0, 64: 1.0}, pairwise={8: 0.1, 64: 1.2}, spread={8: 0.9, 64: 0.8})
        self.assertEqual(tuning.choose("alltoallv", times), {8: "spread", 64: "spread"})
        again = steady(default={8: 1.0, 64: 1.0}, tuned={8: 1.01, 64: 1.0})
        self.assertEqual(tuning.confirm("alltoallv", {8: "spread", 64: "spread"}, [again]),
                         {8: "default", 64: "default"})
        again = steady(default={8: 1.0, 64: 1.0}, tuned={8: 1.01, 64: 0.5})
        self.assertEqual(tuning.confirm("alltoallv", {8: "spread", 64: "spread"}, [again]),
                         {8: "default", 64: "default"})


class Between(unittest.TestCase):
    def test_what_rules_would_serve_is_measured_half_way(self):
        self.assertEqual(tuning.with_middles("bcast", {64: "a", 256: "a", 1024: "b", 4096: "default", 16384: "b"}),
                         {64: "a", 128: "a", 256: "a", 512: "a", 1024: "b", 4096: "default", 16384: "b"})

    def test_there_is_nothing_between_neighbours_or_where_no_length_is_known(self):
        for operation, chosen in (("bcast", {8: "a", 12: "a"}), ("alltoallv", {8: "a", 512: "a"}),
                                  ("barrier", {0: "a"})):
            self.assertEqual(tuning.with_middles(operation, chosen), chosen)

    def test_a_loss_half_way_ends_the_rules_there(self):
        chosen = tuning.with_middles("bcast", {64: "a", 256: "a"})
        again = steady(default={64: 1.0, 128: 1.0, 256: 1.0}, tuned={64: 0.5, 128: 4.6, 256: 0.5})
        held = tuning.confirm("bcast", chosen, [again])
        self.assertEqual(tuning.rules("bcast", ON_A_NODE, held, held, 3),
                         ["bcast bytes<=64 ranks>=3 ranks<=4 shared-memory not-oversubscribed = a",
                          "bcast bytes>=256 bytes<=256 ranks>=3 ranks<=4 shared-memory not-oversubscribed = a"])


class Slower(unittest.TestCase):
    def test_only_what_is_clear_counts(self):
        times = steady(default={8: 1.0, 64: 1.0, 512: 1.0}, tuned={8: 1.04, 64: 1.1, 512: 0.5})
        self.assertEqual([tuning.is_slower(times, "tuned", size) for size in (8, 64, 512)], [False, True, False])

    def test_disturbances_do_not(self):
        times = {"default": {8: [1.0] * 8}, "tuned": {8: [1.0, 1.0, 1.0, 90.0, 90.0, 90.0, 90.0, 90.0]}}
        self.assertFalse(tuning.is_slower(times, "tuned", 8))


class Rules(unittest.TestCase):
    def lines(self, operation, chosen, situation=ON_A_NODE, fewest=3, below=None):
        return tuning.rules(operation, situation, chosen, chosen if below is None else below, fewest)

    def test_choices_change_half_way_and_to_the_default_at_once(self):
        self.assertEqual(self.lines("bcast", {8: "a", 32: "a", 128: "default", 512: "b", 2048: "b", 8192: "c"}),
                         ["bcast bytes<=32 ranks>=3 ranks<=4 shared-memory not-oversubscribed = a",
                          "bcast bytes>=512 bytes<=4K ranks>=3 ranks<=4 shared-memory not-oversubscribed = b",
                          "bcast bytes>=4097 bytes<=8K ranks>=3 ranks<=4 shared-memory not-oversubscribed = c"])

    def test_sizes_far_below_the_smallest_keep_the_default(self):
        self.assertEqual(self.lines("bcast", {1024: "a"}),
                         ["bcast bytes>=1K bytes<=1K ranks>=3 ranks<=4 shared-memory not-oversubscribed = a"])

    def test_defaults_need_no_rule(self):
        self.assertEqual(self.lines("bcast", {8: "default"}), [])
        self.assertEqual(self.lines("barrier", {0: "default"}), [])

    def test_without_lengths_there_is_one_rule(self):
        self.assertEqual(self.lines("alltoallv", {8: "spread", 64: "spread"}),
                         ["alltoallv ranks>=3 ranks<=4 shared-memory not-oversubscribed = spread"])

    def test_scattered_reductions_count_the_whole_vector(self):
        self.assertEqual(self.lines("reduce_scatter", {8: "ring", 512: "default"}),
                         ["reduce_scatter bytes<=32 ranks>=3 ranks<=4 shared-memory not-oversubscribed = ring"])

    def test_rules_are_for_where_they_were_measured(self):
        crowd = tuning.Situation(8, "no-shared-memory", True)
        self.assertEqual(self.lines("barrier", {0: "tree"}, crowd, 5),
                         ["barrier ranks>=5 ranks<=8 no-shared-memory oversubscribed = tree"])
        nodes = tuning.Situation(8, "several-nodes", True)
        self.assertEqual(self.lines("barrier", {0: "tree"}, nodes, 5),
                         ["barrier ranks>=5 ranks<=8 several-nodes = tree"])

    def test_what_fewer_ranks_did_not_gain_is_for_as_many_as_did(self):
        self.assertEqual(self.lines("bcast", {8: "a", 32: "b"}, below={8: "a"}),
                         ["bcast bytes<=16 ranks>=4 ranks<=4 shared-memory not-oversubscribed = a",
                          "bcast bytes>=17 bytes<=32 ranks>=4 ranks<=4 shared-memory not-oversubscribed = b",
                          "bcast bytes<=8 ranks>=3 ranks<=3 shared-memory not-oversubscribed = a"])
        self.assertEqual(self.lines("barrier", {0: "tree"}, below={}),
                         ["barrier ranks>=4 ranks<=4 shared-memory not-oversubscribed = tree"])
        self.assertEqual(self.lines("bcast", {8: "a"}, fewest=4, below={}),
                         ["bcast bytes<=8 ranks>=4 ranks<=4 shared-memory not-oversubscribed = a"])

    def test_numbers_of_ranks_reach_down_to_the_next_or_to_the_half(self):
        fewest = {ranks: tuning.fewest_ranks("bcast", ranks, [64, 2, 4, 6], 1) for ranks in (2, 4, 6, 64)}
        self.assertEqual(fewest, {2: 2, 4: 3, 6: 5, 64: 33})

    def test_ranks_that_share_cores_say_nothing_of_others(self):
        self.assertEqual([tuning.fewest_ranks("bcast", 8, [8], cores) for cores in (2, 6, 8)], [5, 7, 5])

    def test_scattered_reductions_are_for_the_number_measured(self):
        self.assertEqual(tuning.fewest_ranks("reduce_scatter", 8, [2, 8], 2), 8)

    def test_hints_say_the_same(self):
        self.assertEqual(tuning.hint("bcast", 4, {8: "a", 32: "default"}), "bcast bytes<=8 = a")
        self.assertEqual(tuning.hint("barrier", 4, {0: "tree"}), "barrier = tree")


if __name__ == "__main__":
    unittest.main()
