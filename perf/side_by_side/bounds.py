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
    reference: str  # BEST_PEER, an implementation's name, or RAW

    def text(self):
        """The bound as one phrase."""
        if self.sizes == (0,):
            where = ""
        else:
            where = ", " + " to ".join(size_text(size) for size in sorted({self.sizes[0], self.sizes[-1]})) + " bytes"
            where = where.replace("iB bytes", "iB")
        against = "the raw cache-line bounce" if self.reference == RAW else self.reference
        return f"{describe(self.metric)}{where}: at {'most' if self.at_most else 'least'} {self.factor:g} x {against}"


BOUNDS = (
    Bound("latency", SMALL, True, 0.95, BEST_PEER),
    Bound("latency", SMALL, True, 1.3, RAW),
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


def judge(bound, summary):
    """Judges by the worst of the bound's sizes, so that no size hides behind another."""
    worst = None
    for size in bound.sizes:
        name = summary.best_peer(bound.metric, size) if bound.reference == BEST_PEER else bound.reference
        ratio = summary.ratio(bound.metric, size, name)
        if not ratio:
            missing = summary.value(bound.metric, size, summary.subject) is None
            return Verdict(bound, None, f"not measured: no figure of {summary.subject if missing else bound.reference}")
        shortfall = ratio / bound.factor if bound.at_most else bound.factor / ratio
        if worst is None or shortfall > worst[0]:
            worst = (shortfall, size, name, ratio)
    shortfall, size, name, ratio = worst
    unit = summary.units[bound.metric]
    mine, other = (figure(summary.value(bound.metric, size, which)) for which in (summary.subject, name))
    where = f" at {size_text(size)} bytes".replace("iB bytes", "iB") if len(bound.sizes) > 1 else ""
    verdict = "holds" if shortfall <= 1.0 else f"falls short by {100 * (shortfall - 1):.0f}%"
    text = f"{mine} {unit} against {other} {unit} of {name}{where} ({ratio:.2f} x): {verdict}"
    return Verdict(bound, shortfall <= 1.0, text)


def judge_all(summary, metrics):
    """The verdicts on the bounds of these metrics, in the order in which they are stated."""
    return [judge(bound, summary) for bound in BOUNDS if bound.metric in metrics]


def lines(verdicts):
    """One line per bound."""
    return [f"{verdict.bound.text()}: {verdict.text}" for verdict in verdicts]
