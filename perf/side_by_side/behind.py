# SPDX-License-Identifier: BSD-3-Clause
"""Where a peer is ahead: every measured point, also those that the large table leaves out, worst first."""

import dataclasses
import statistics

from .summary import NO_RATIO, describe, figure, size_text

HEADER = ["behind at", "size", "unit", "Bowline", "best peer", "peer", "times as bad", "rounds behind"]


@dataclasses.dataclass(frozen=True)
class Behind:
    """One point: how many times as bad the subject is as `peer`, and in how many of `rounds` rounds it was worse."""

    metric: str
    size: int
    peer: str
    factor: float
    worse: int
    rounds: int

    def row(self, summary):
        """Its cells, as strings, in the order of HEADER."""
        return [describe(self.metric), size_text(self.size) if self.size else "", summary.units[self.metric],
                figure(summary.value(self.metric, self.size, summary.subject)),
                figure(summary.value(self.metric, self.size, self.peer)), self.peer, f"{self.factor:.2f}",
                f"{self.worse} of {self.rounds}"]


def factors(summary, metric, size, peer):
    """How many times as bad as the peer the subject was, in each round that has both."""
    ratios = summary.ratios(metric, size, peer)
    return [1 / ratio for ratio in ratios if ratio > 0] if summary.higher_is_better(metric) else ratios


def points(summary, metrics):
    """Every point of these metrics at which the best peer is ahead in the median of the rounds, worst first."""
    found = []
    for metric in metrics:
        if summary.units.get(metric) in NO_RATIO:
            continue
        for size in summary.sizes(metric):
            peer = summary.best_peer(metric, size)
            each = factors(summary, metric, size, peer) if peer else []
            if each and (factor := statistics.median(each)) > 1.0:
                found.append(Behind(metric, size, peer, factor, sum(one > 1.0 for one in each), len(each)))
    return sorted(found, key=lambda one: -one.factor)


def rows(summary, metrics):
    """The header and one row for each point that is behind, as lists of strings."""
    return HEADER, [one.row(summary) for one in points(summary, metrics)]
