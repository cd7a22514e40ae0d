# SPDX-License-Identifier: BSD-3-Clause
"""The bounds that Bowline sets itself, and whether a measurement holds them."""

import dataclasses

from .measure import CROWD, RAW
from .summary import describe, figure, size_text

BEST_PEER = "best peer"
SMALL = (1, 2, 4, 8, 16, 32, 64)


@dataclasses.dataclass(frozen=True)
class Bound:
    """The subject's value must be at most (or at least) `factor` times the reference, at every one of the sizes."""

    metric: str
    sizes: tuple
    at_most: bool
    factor: float
    reference: str  # BEST_PEER, an implementation's name, or "raw:METRIC" for the 64-byte raw cost of that name

    def text(self):
        """The bound as one phrase."""
        if self.sizes == (0,):
            where = ""
        else:
            where = ", " + " to ".join(size_text(size) for size in sorted({self.sizes[0], self.sizes[-1]})) + " bytes"
            where = where.replace("iB bytes", "iB")
        against = self.reference.replace("raw:bounce", "the raw cache-line bounce")
        return f"{describe(self.metric)}{where}: at {'most' if self.at_most else 'least'} {self.factor:g} x {against}"


BOUNDS = (
    Bound("latency", SMALL, True, 0.95, BEST_PEER),
    Bound("latency", SMALL, True, 1.3, "raw:bounce"),
    Bound("message_rate", (8,), False, 1.2, BEST_PEER),
    Bound("bandwidth", (65536,), False, 1.0, BEST_PEER),
    Bound("bandwidth", (1 << 20,), False, 1.0, BEST_PEER),
    Bound("init", (0,), True, 1.0, "MPICH"),
    Bound(f"barrier_{CROWD}", (0,), True, 1.0, "Open MPI"),
)


@dataclasses.dataclass(frozen=True)
class Verdict:
    """One bound's outcome. `holds` is None where something was not measured, and `text` then says what."""

    bound: Bound
    holds: object
    text: str


def reference_value(bound, summary, size):
    """(name, value) that the subject is held against, or None."""
    if bound.reference == BEST_PEER:
        return summary.best_peer(bound.metric, size)
    if bound.reference.startswith("raw:"):
        value = summary.value(bound.reference.removeprefix("raw:"), 64, RAW)
        return None if value is None else ("raw", value)
    value = summary.value(bound.metric, size, bound.reference)
    return None if value is None else (bound.reference, value)


def judge(bound, summary):
    """Judges by the worst of the bound's sizes, so that no size hides behind another."""
    worst = None
    for size in bound.sizes:
        mine, reference = summary.value(bound.metric, size, summary.subject), reference_value(bound, summary, size)
        if mine is None or reference is None:
            missing = summary.subject if mine is None else bound.reference.replace("raw:", "raw ")
            return Verdict(bound, None, f"not measured: there is no figure of {missing}")
        ratio = mine / reference[1]
        shortfall = ratio / bound.factor if bound.at_most else bound.factor / ratio
        if worst is None or shortfall > worst[0]:
            worst = (shortfall, size, mine, reference, ratio)
    shortfall, size, mine, (name, value), ratio = worst
    holds = shortfall <= 1.0
    unit = summary.units[bound.metric]
    where = f" at {size_text(size)} bytes".replace("iB bytes", "iB") if len(bound.sizes) > 1 else ""
    verdict = "holds" if holds else f"falls short by {100 * (shortfall - 1):.0f}%"
    comparison = f"{figure(mine)} {unit} against {figure(value)} {unit} of {name}{where} ({ratio:.2f} x)"
    return Verdict(bound, holds, f"{comparison}: {verdict}")


def judge_all(summary):
    """Every bound's verdict, in the order in which they are stated."""
    return [judge(bound, summary) for bound in BOUNDS]


def lines(verdicts):
    """One line per bound."""
    return [f"{verdict.bound.text()}: {verdict.text}" for verdict in verdicts]
