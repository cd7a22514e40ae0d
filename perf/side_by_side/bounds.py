# SPDX-License-Identifier: BSD-3-Clause
"""The bounds that Bowline sets itself, and the check whether a measurement meets them."""

import dataclasses
import statistics

from .implementations import COLLECTIVES
from .jobs import CROWD, FEW, LAYOUTS, OPERATIONS
from .measure import RAW
from .summary import describe, figure, size_text

BEST_PEER = "best peer"
KIB, MIB = 1 << 10, 1 << 20
ALL = (1, 4 * MIB)
SLOPES = ("match_posted", "match_wildcards", "match_unexpected", "match_unexpected_any")


@dataclasses.dataclass(frozen=True)
class Verdict:
    """One bound's outcome. `holds` is None where something was not measured, and `text` then says what.

    `judged` is False where this machine cannot tell.
    """

    bound: object
    holds: object
    text: str
    judged: bool = True


def bytes_text(size):
    """Bytes as people say them, with the word where it is needed: 64 bytes, 1 KiB."""
    return f"{size_text(size)} byte{'s' * (size > 1)}".replace("iB bytes", "iB")


def range_text(lowest, highest):
    """1 to 64 bytes; 512 bytes to 64 KiB; 1 to 4 MiB; one size alone."""
    texts = [bytes_text(lowest), bytes_text(highest)]
    if texts[0] == texts[1]:
        return texts[0]
    if texts[0].rpartition(" ")[2].rstrip("s") == texts[1].rpartition(" ")[2].rstrip("s"):
        texts[0] = texts[0].rpartition(" ")[0]
    return " to ".join(texts)


def outcome(shortfall):
    """A shortfall of 1 or less is none."""
    if shortfall <= 1.0:
        return "holds"
    if shortfall > 10:
        return f"falls short {shortfall:.0f} times"
    return f"falls short by {max(1, round(100 * (shortfall - 1)))}%"


def unmeasured(bound, name):
    """Without the figures a bound does not hold."""
    return Verdict(bound, None, f"not measured: no figure of {name}")


@dataclasses.dataclass(frozen=True)
class Bound:
    """The subject's value must be at most (or at least) `factor` times the reference.

    It must be so at every measured size between the two given; with `mean`, in the geometric mean over these sizes.
    """

    metric: str
    sizes: tuple  # the smallest and the largest that it is about
    at_most: bool
    factor: float
    reference: str  # BEST_PEER, an implementation's name, or RAW
    mean: bool = False

    def text(self):
        """The bound as one phrase."""
        lowest, highest = self.sizes
        where = "" if highest == 0 else f", {range_text(lowest, highest)}"
        against = "the raw cache-line bounce" if self.reference == RAW else self.reference
        how = ("in the geometric mean " if self.mean else "") + ("at most" if self.at_most else "at least")
        return f"{describe(self.metric)}{where}: {how} {self.factor:g} x {against}"

    def judge(self, summary, cores):
        """Judges by the worst of the bound's sizes, so that no size hides behind another, or by their mean."""
        del cores
        lowest, highest = self.sizes
        ratios = {}
        for size in summary.sizes(self.metric):
            if lowest <= size <= highest:
                name = summary.best_peer(self.metric, size) if self.reference == BEST_PEER else self.reference
                ratios[size] = summary.ratio(self.metric, size, name), name
                if not ratios[size][0]:
                    missing = summary.value(self.metric, size, summary.subject) is None
                    return unmeasured(self, summary.subject if missing else self.reference)
        if not ratios:
            return unmeasured(self, summary.subject)
        return self._mean(ratios) if self.mean else self._worst(ratios, summary)

    def _shortfall(self, ratio):
        return ratio / self.factor if self.at_most else self.factor / ratio

    def _mean(self, ratios):
        ratio = statistics.geometric_mean(ratio for ratio, _ in ratios.values())
        shortfall = self._shortfall(ratio)
        return Verdict(self, shortfall <= 1.0, f"{ratio:.2f} x over {len(ratios)} sizes: {outcome(shortfall)}")

    def _worst(self, ratios, summary):
        size = max(ratios, key=lambda size: self._shortfall(ratios[size][0]))
        ratio, name = ratios[size]
        shortfall = self._shortfall(ratio)
        unit = summary.units[self.metric]
        mine, other = (figure(summary.value(self.metric, size, which)) for which in (summary.subject, name))
        where = f" at {bytes_text(size)}" if self.sizes[0] != self.sizes[1] else ""
        text = f"{mine} {unit} against {other} {unit} of {name}{where} ({ratio:.2f} x): {outcome(shortfall)}"
        return Verdict(self, shortfall <= 1.0, text)


@dataclasses.dataclass(frozen=True)
class Family:
    """Of several metrics each must be at least (or at most) `factor` times the reference at every size.

    With `mean` it is enough that the geometric mean over all of them and all sizes is. RAW stands for the loop that one
    would write by hand.
    """

    title: str
    metrics: tuple
    factor: float
    reference: str  # BEST_PEER or RAW
    mean: bool = False
    smallest: int = 0  # bytes from which it is about a loop alone, and no longer about the call around it
    at_most: bool = False

    @property
    def metric(self):
        """One for all: they are measured together."""
        return self.metrics[0]

    def text(self):
        """The bound as one phrase."""
        against = "a hand-written loop" if self.reference == RAW else self.reference
        sizes = f" from {bytes_text(self.smallest)}" if self.smallest else ""
        how = "in the geometric mean " * self.mean + ("at most" if self.at_most else "at least")
        return f"{self.title}{sizes}: {how} {self.factor:.2g} x {against}"

    def judge(self, summary, cores):
        """Judges by the mean of all ratios, or by the worst of them."""
        del cores
        ratios = {}
        for metric in self.metrics:
            for size in (size for size in summary.sizes(metric) if size >= self.smallest):
                name = summary.best_peer(metric, size) if self.reference == BEST_PEER else self.reference
                ratios[metric, size] = summary.ratio(metric, size, name)
                if not ratios[metric, size]:
                    missing = summary.value(metric, size, summary.subject) is None
                    return unmeasured(self, summary.subject if missing else self.reference)
        if not ratios:
            return unmeasured(self, summary.subject)
        if self.mean:
            ratio = statistics.geometric_mean(ratios.values())
            text = f"{ratio:.2f} x over {len(ratios)} points"
        else:
            (metric, size), ratio = max(ratios.items(), key=lambda item: self._shortfall(item[1]))
            short = sum(self._shortfall(one) > 1 for one in ratios.values())
            side = "above" if self.at_most else "below"
            at = f" at {bytes_text(size)}" if size else ""
            text = f"{ratio:.2f} x of {describe(metric)}{at}, {short} of {len(ratios)} points {side}"
        shortfall = self._shortfall(ratio)
        return Verdict(self, shortfall <= 1, f"{text}: {outcome(shortfall)}")

    def _shortfall(self, ratio):
        return ratio / self.factor if self.at_most else self.factor / ratio


@dataclasses.dataclass(frozen=True)
class Limit:
    """The subject's value itself must be at most (or at least) `limit`, at every size that was measured."""

    metric: str
    at_most: bool
    limit: float
    unit: str
    cores: int = 1  # with fewer it is not judged

    def text(self):
        """The bound as one phrase."""
        return f"{describe(self.metric)}: at {'most' if self.at_most else 'least'} {self.limit:g} {self.unit}"

    def judge(self, summary, cores):
        """Judges by the worst size."""
        values = [summary.value(self.metric, size, summary.subject) for size in summary.sizes(self.metric)]
        values = [value for value in values if value is not None]
        worst = (max if self.at_most else min)(values, default=None)
        if cores < self.cores:
            seen = "" if worst is None else f", which showed {figure(worst)} {self.unit}"
            return Verdict(self, None, f"not judged: needs {self.cores} cores, there are {cores}{seen}", judged=False)
        if worst is None:
            return unmeasured(self, summary.subject)
        holds = worst <= self.limit if self.at_most else worst >= self.limit
        shortfall = worst / self.limit if self.at_most else self.limit / max(worst, 1e-9)
        return Verdict(self, holds, f"{figure(worst)} {self.unit}: {'holds' if holds else outcome(shortfall)}")


COPIES = tuple(f"{what}_{layout}" for what in ("pack", "unpack") for layout in LAYOUTS)
OVERSUBSCRIBED = tuple(f"{name}_{ranks}" for ranks in (FEW, CROWD) for name in COLLECTIVES)
MESSAGES = tuple(f"pingpong_{layout}" for layout in LAYOUTS)

BOUNDS = (
    Bound("latency", (1, 256), True, 0.85, BEST_PEER),
    Bound("latency", (1, 40), True, 1.2, RAW),
    Bound("latency", (512, 64 * KIB), True, 0.8, BEST_PEER),
    Bound("latency", (128 * KIB, 4 * MIB), True, 0.95, BEST_PEER),
    Bound("message_rate", (1, 64), False, 1.6, BEST_PEER),
    Bound("bandwidth", ALL, False, 1.0, BEST_PEER),
    Bound("bandwidth", ALL, False, 1.2, BEST_PEER, mean=True),
    Bound("bibw", ALL, False, 1.0, BEST_PEER),
    Bound("bibw", ALL, False, 1.2, BEST_PEER, mean=True),
    Bound(f"latency_{CROWD}", ALL, True, 0.7, BEST_PEER),
    Bound(f"exchange_{CROWD}", ALL, True, 0.7, BEST_PEER),
    Family("collectives of 2 ranks", COLLECTIVES, 1.0, BEST_PEER, at_most=True),
    Family("collectives of 2 ranks", COLLECTIVES, 0.65, BEST_PEER, mean=True, at_most=True),
    Bound("allreduce", (4, 4), True, 1.6, RAW),
    Family("collectives where ranks share cores", OVERSUBSCRIBED, 0.7, BEST_PEER, at_most=True),
    *(Limit(f"{name}_slope", True, 2, "x") for name in SLOPES),
    Family("pack and unpack", COPIES, 1.2, BEST_PEER, mean=True),
    Family("pack and unpack", COPIES, 0.9, BEST_PEER),
    Family("pack and unpack", COPIES, 1 / 1.15, RAW),
    Family("ping-pong of data with holes", MESSAGES, 1.2, BEST_PEER, mean=True),
    Family("operators", OPERATIONS, 1.0, BEST_PEER),
    Family("operators", OPERATIONS, 0.95, RAW, smallest=64 * KIB),
    Limit("thread_scaling", False, 1.5, "x", cores=4),
    Limit("lock_cost", True, 1.03, "x"),
    Limit("memory_excess", True, 10, "MiB"),
    Limit("memory_per_peer", True, 3, "KiB"),  # nothing, seen through the noise: one page for each would be 4 KiB
    Limit("idle", True, 1, "%"),
    Limit("flood_send", True, 64 + 8, "MiB"),  # the budget, and slack for what is not messages
    Limit("flood_isend", True, 64 + 8, "MiB"),
    Bound("init", (0, 0), True, 1.0, "MPICH"),
)


def judge(bound, summary, cores):
    """The verdict on one bound."""
    return bound.judge(summary, cores)


def judge_all(summary, metrics, cores):
    """The verdicts on the bounds of these metrics, in the order in which they are stated."""
    return [judge(bound, summary, cores) for bound in BOUNDS if bound.metric in metrics]


def lines(verdicts):
    """One line per bound."""
    return [f"{verdict.bound.text()}: {verdict.text}" for verdict in verdicts]
