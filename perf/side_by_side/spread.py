# SPDX-License-Identifier: BSD-3-Clause
"""How far the rounds of a measurement lie apart."""

import dataclasses
import math
import statistics

TRIMMED_FROM = 7  # rounds: of so many, one at either end is taken for an accident


@dataclasses.dataclass(frozen=True)
class Spread:
    """The rounds of one point: all in order."""

    values: tuple

    @classmethod
    def of(cls, rounds):
        """Of at least one value; the order does not matter."""
        return cls(tuple(sorted(rounds)))

    @property
    def median(self):
        """The figure itself."""
        return statistics.median(self.values)

    @property
    def lowest(self):
        """Of all rounds."""
        return self.values[0]

    @property
    def highest(self):
        """Of all rounds."""
        return self.values[-1]

    @property
    def interval(self):
        """From where to where it counts as the same: all rounds, but of 7 and more one in 7 at either end is left out,
        so that one accident does not hide a change."""
        cut = len(self.values) // TRIMMED_FROM
        return self.values[cut], self.values[-1 - cut]

    @property
    def relative(self):
        """Half the width of that interval, by the median."""
        low, high = self.interval
        return (high - low) / 2 / abs(self.median) if self.median else 0.0

    def quartiles(self):
        """The middle half of the rounds."""
        if len(self.values) == 1:
            return self.values[0], self.values[0]
        low, _, high = statistics.quantiles(self.values, n=4, method="inclusive")
        return low, high

    def overlaps(self, other):
        """Whether the two intervals have a value in common."""
        (low, high), (other_low, other_high) = self.interval, other.interval
        return low <= other_high and other_low <= high


def combined(first, second):
    """The relative spread of a ratio of two."""
    return math.hypot(first.relative, second.relative)
