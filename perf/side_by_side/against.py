# SPDX-License-Identifier: BSD-3-Clause
"""What is slower, and what is faster, than in an earlier measurement: beyond noise.

A point has changed if three things hold. The rounds of both runs have no value in common (of seven and more rounds one
at either end is left out). The ratio of the medians is larger than the bound that the spread of both runs sets: 1 plus
twice their combined relative spread, 1.05 at least, and 1.5 where one of the runs has a single round and so no spread.
And the peers, which are the same programs as before, have not changed as much: the machine is to blame for what all of
them share, so their change of this metric, if it goes the same way, is taken out of the ratio first.
"""

import dataclasses
import statistics

from .implementations import BOWLINE
from .measure import RAW
from .spread import Spread, combined
from .summary import describe, figure, size_text

LEAST = 1.05
ONE_ROUND = 1.5
SPREADS = 2
HEADER = ["what", "size", "unit", "before", "now", "times as bad", "noise", "peers"]


@dataclasses.dataclass(frozen=True)
class Change:
    """One point of both runs: how many times as bad it is now, and what of that may be noise."""

    metric: str
    size: int
    unit: str
    before: Spread
    now: Spread
    factor: float  # above 1 is worse
    bound: float  # up to which it may be noise
    peers: float  # the factor of the peers, 1 where nothing is known of them
    apart: bool  # whether no round of one run is like one of the other

    @property
    def slower(self):
        """Worse, beyond noise and beyond what the peers share."""
        return self.apart and self.factor / max(self.peers, 1.0) > self.bound

    @property
    def faster(self):
        """Better, by the same rule."""
        return self.apart and min(self.peers, 1.0) / self.factor > self.bound

    def row(self):
        """Its cells, in the order of HEADER."""
        return [describe(self.metric), size_text(self.size) if self.size else "", self.unit, with_range(self.before),
                with_range(self.now), f"{self.factor:.2f}", f"{self.bound:.2f}", f"{self.peers:.2f}"]


def with_range(spread):
    """The median with the lowest and the highest round."""
    if len(spread.values) == 1:
        return figure(spread.median)
    return f"{figure(spread.median)} ({figure(spread.lowest)} to {figure(spread.highest)})"


def bound_of(before, now):
    """The ratio up to which two spreads may be the same thing."""
    single = min(len(before.values), len(now.values)) < 2
    return max(LEAST, 1 + SPREADS * combined(before, now), ONE_ROUND if single else 0)


def spread_of(summary, metric, size, name):
    """The spread of a point, or None if it was not measured or is 0, of which nothing is a multiple."""
    values = summary.rounds.get((metric, size), {}).get(name)
    found = Spread.of(values.values()) if values else None
    return found if found and found.median > 0 else None


def factor_of(summary, metric, before, now):
    """How many times as bad it is now."""
    ratio = now.median / before.median
    return 1 / ratio if summary.higher_is_better(metric) else ratio


def peers_factor(summary, earlier, metric):
    """How many times as bad the peers are, in the median over all sizes of the metric; 1 if none is in both runs."""
    factors = []
    for size in summary.sizes(metric):
        for name in set(summary.names) & set(earlier.names) - {summary.subject, RAW}:
            before, now = spread_of(earlier, metric, size, name), spread_of(summary, metric, size, name)
            if before and now:
                factors.append(factor_of(summary, metric, before, now))
    return statistics.median(factors) if factors else 1.0


def changes(summary, earlier, metrics):
    """Every point of the subject that is in both runs and has the same unit."""
    found = []
    for metric in metrics:
        if summary.units.get(metric) != earlier.units.get(metric):
            continue
        peers = peers_factor(summary, earlier, metric)
        for size in summary.sizes(metric):
            before = spread_of(earlier, metric, size, summary.subject)
            now = spread_of(summary, metric, size, summary.subject)
            if before and now:
                found.append(Change(metric, size, summary.units[metric], before, now,
                                    factor_of(summary, metric, before, now), bound_of(before, now), peers,
                                    not before.overlaps(now)))
    return found


@dataclasses.dataclass(frozen=True)
class Comparison:
    """Both runs side by side, in words and rows."""

    slower: list  # of Change, worst first
    faster: list  # of Change, best first
    points: int  # that both runs have
    warnings: list  # what makes the comparison doubtful

    def headline(self):
        """One sentence."""
        return (f"of {self.points} points that both runs have, {len(self.slower)} are slower beyond noise and "
                f"{len(self.faster)} are faster")

    @staticmethod
    def rows(changed):
        """The cells of these changes."""
        return [one.row() for one in changed]


def differences(record, old):
    """What was not the same, besides the library under test."""
    words = [f"{what} differs: {old.machine.get(what)} before, {text} now"
             for what, text in record.machine.items() if old.machine.get(what) not in (text, None)]
    before, now = ({one["name"]: one.get("library") for one in each.implementations if one["name"] != BOWLINE}
                   for each in (old, record))
    words += [f"{name} differs: {before[name]} before, {now[name]} now"
              for name in now if name in before and before[name] != now[name]]
    if not set(before) & set(now):
        words.append("no peer is in both runs: a change of the machine cannot be told from one of the library")
    words += [f"the earlier run: {note}" for note in old.notes]
    return words


def compare(summary, earlier, record, old):
    """The whole comparison of `record` with the older one. Both have a summary."""
    found = changes(summary, earlier, record.metrics)
    return Comparison(sorted((one for one in found if one.slower), key=lambda one: -one.factor),
                      sorted((one for one in found if one.faster), key=lambda one: one.factor), len(found),
                      differences(record, old))
