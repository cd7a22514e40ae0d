# SPDX-License-Identifier: BSD-3-Clause
"""Converts samples to medians, ratios and tables."""

import re
import statistics

from .implementations import COLLECTIVES
from .jobs import LAYOUTS, OPERATIONS
from .measure import RAW

HIGHER_IS_BETTER = {"MB/s", "M/s", "thread_scaling"}  # units, and the metrics whose unit does not tell
NO_RATIO = {"x"}  # units of figures that are ratios themselves
TABLE_SIZES = {0, 1, 4, 8, 40, 64, 256, 512, 1024, 4096, 16384, 65536, 131072, 1 << 20, 4 << 20,
               10, 100, 1000, 10_000, 100_000, 1_000_000}
OPERATION_TABLE_SIZES = {64, 4096, 1 << 20}  # and many operations
LAYOUT_TABLE_SIZES = {1024, 4096, 65536, 1 << 18, 1 << 20, 1 << 24}  # there are many layouts
COLLECTIVE_TABLE_SIZES = {0, 4, 1024, 1 << 16, 1 << 20}
WORDS = {
    "message_rate": "message rate",
    "bibw": "bidirectional bandwidth",
    "match_posted": "match behind N receives",
    "match_wildcards": "match behind N receives, half wildcards",
    "match_unexpected": "match behind N messages",
    "match_unexpected_any": "match behind N messages, any source",
    "rate_one_thread": "message rate, 1 thread",
    "rate_two_threads": "message rate, 2 threads",
    "thread_scaling": "message rate, 2 threads by 1",
    "latency_single": "latency, thread level single",
    "latency_multiple": "latency, thread level multiple",
    "lock_cost": "latency, level multiple by single",
    "exchange": "all-pairs exchange",
    "crowd_first": "first exchange of all pairs",
    "crowd_second": "second exchange of all pairs",
    "crowd_barrier": "barrier after them",
    "crowd_allreduce": "allreduce after them",
    "crowd_shared": "shared memory per rank",
    "crowd_pss": "mapped memory per rank",
    "memory": "memory of an idle rank",
    "memory_excess": "memory beyond a program without MPI",
    "memory_per_peer": "memory per idle local peer",
    "idle": "processor share of a rank that waits",
    "flood_send": "growth under a flood, MPI_Send",
    "flood_isend": "growth under a flood, MPI_Isend",
    "init": "start-up (whole job)",
}
SHAPE = re.compile(r"(?P<name>.+?)(?P<far>_far)?_(?P<nodes>\d+)x(?P<ranks>\d+)")  # of a job on several nodes
BEGIN_MARK, END_MARK = "<!-- compare:begin -->", "<!-- compare:end -->"


class Summary:
    """Medians over rounds. The subject is the implementation under test; all others are its peers."""

    def __init__(self, samples, names, subject):
        self.rounds = samples.values
        self.units = samples.units
        self.names = names
        self.subject = subject

    def value(self, metric, size, name):
        """The median over the rounds, or None if it was not measured."""
        values = self.rounds.get((metric, size), {}).get(name)
        return statistics.median(values.values()) if values else None

    def sizes(self, metric):
        """The sizes at which it was measured with any implementation, ascending."""
        points = [point for point, by_name in self.rounds.items() if by_name.keys() - {RAW}]
        return sorted(size for name, size in points if name == metric)

    def ratios(self, metric, size, name):
        """The subject's value divided by another one's, in each round that has both.

        Within a round both met the same machine; between rounds it may have changed.
        """
        by_name = self.rounds.get((metric, size), {})
        mine, other = by_name.get(self.subject, {}), by_name.get(name, {})
        return [mine[turn] / other[turn] for turn in mine if other.get(turn, 0) > 0]

    def ratio(self, metric, size, name):
        """The median of the rounds' ratios, or None."""
        ratios = self.ratios(metric, size, name)
        return statistics.median(ratios) if ratios else None

    def higher_is_better(self, metric):
        """Whether a higher value is the better one."""
        return bool({metric, self.units.get(metric)} & HIGHER_IS_BETTER)

    def best_peer(self, metric, size):
        """The name of the best implementation other than the subject, or None."""
        peers = [(self.value(metric, size, name), name) for name in self.names if name != self.subject]
        known = [peer for peer in peers if peer[0] is not None]
        better = max if self.higher_is_better(metric) else min
        return better(known)[1] if known else None


def figure(value):
    """A number with about four significant digits, '-' for None."""
    if value is None:
        return "-"
    decimals = next((digits for digits, least in enumerate((1000, 100, 10)) if value >= least), 3)
    return f"{value:.{decimals}f}"


def size_text(size):
    """Bytes as people say them: 64, 64 KiB, 1 MiB."""
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {name}"
    return str(size)


def shape_text(shape):
    """Where the ranks of a match of SHAPE are, in words."""
    if shape["far"]:
        return "first and last node"
    ranks = int(shape["ranks"])
    return f"{shape['nodes']} nodes with {ranks} rank{'s' * (ranks > 1)} each"


def describe(metric):
    """The metric in words: barrier_8 is 'barrier, 8 ranks'."""
    if shape := SHAPE.fullmatch(metric):
        return f"{describe(shape['name'])}, {shape_text(shape)}"
    if metric.endswith("_slope"):
        return f"{describe(metric.removesuffix('_slope'))}: N = 10000 by N = 10"
    what, _, layout = metric.partition("_")
    if layout in LAYOUTS:
        return f"{what.replace('pingpong', 'ping-pong')}, {layout.replace('_', ' ')}"
    if metric in OPERATIONS:
        return f"MPI_Reduce_local, {layout.replace('_', ' of ')}"
    name, _, ranks = metric.rpartition("_")
    return f"{describe(name)}, {ranks} ranks" if ranks.isdigit() else WORDS.get(metric, metric)


def collective_of(metric):
    """The collective that the metric measures, or None: that of allreduce_8 is allreduce."""
    shape = SHAPE.fullmatch(metric)
    name, _, ranks = metric.rpartition("_")
    name = shape["name"] if shape else name if ranks.isdigit() else metric
    return name if name in COLLECTIVES else None


def layout_lines(summary, metric_order):
    """Geometric means over the sizes, where a metric has many: against the best peer, and the loop by hand."""
    lines = []
    for metric in metric_order:
        if not (metric.partition("_")[2] in LAYOUTS or metric in OPERATIONS or collective_of(metric)):
            continue
        peer = [summary.ratio(metric, size, summary.best_peer(metric, size)) for size in summary.sizes(metric)]
        loop = [summary.ratio(metric, size, RAW) for size in summary.sizes(metric)]
        worst = f", at worst {max(peer):.2f} x" if collective_of(metric) and len(peer) > 1 and all(peer) else ""
        texts = [f"{statistics.geometric_mean(ratios):.2f} x {reference}{worst}"
                 for ratios, reference in ((peer, "best peer"), (loop, "a hand-written loop"))
                 if ratios and all(ratios)]
        if texts:
            lines.append(f"{describe(metric)}: {', '.join(texts)}")
    return lines


def rows(summary, metric_order):
    """The header and the rows of the table, as lists of strings."""
    header = ["what", "size", "unit", "raw", *summary.names]
    with_ratio = summary.subject in summary.names and len(summary.names) > 1
    if with_ratio:
        header.append("to best peer")
    body = []
    for metric in metric_order:
        for size in summary.sizes(metric):
            shown = (LAYOUT_TABLE_SIZES if metric.partition("_")[2] in LAYOUTS
                     else OPERATION_TABLE_SIZES if metric in OPERATIONS
                     else COLLECTIVE_TABLE_SIZES if collective_of(metric) else TABLE_SIZES)
            if size not in shown:
                continue
            row = [describe(metric), size_text(size) if size else "", summary.units[metric],
                   *(figure(summary.value(metric, size, name)) for name in (RAW, *summary.names))]
            if with_ratio:
                ratio = summary.ratio(metric, size, summary.best_peer(metric, size))
                ratio = None if summary.units[metric] in NO_RATIO else ratio
                row.append("-" if ratio is None else f"{ratio:.2f}")
            body.append(row)
    return header, body


def text_table(header, body, grouped=True):
    """Columns for a terminal: the first three left-aligned, numbers right-aligned; a blank line between groups."""
    widths = [max(map(len, column)) for column in zip(header, *body)]
    lines, group = [], None
    for row in [header, *body]:
        if grouped and row is not header and row[0] != group:
            lines.append("")
            group = row[0]
        aligned = [cell.ljust(width) if column in (0, 2) else cell.rjust(width)
                   for column, (cell, width) in enumerate(zip(row, widths))]
        lines.append("  ".join(aligned).rstrip())
    return "\n".join(lines)


def markdown_table(header, body):
    """The same as a Markdown table."""
    rule = ["---" if i in (0, 2) else "---:" for i in range(len(header))]
    return "\n".join("| " + " | ".join(row) + " |" for row in [header, rule, *body])


def spread(summary, metric, size):
    """The machine's own figure, with the lowest and highest round."""
    values = summary.rounds[metric, size][RAW].values()
    return f"{figure(summary.value(metric, size, RAW))} ({figure(min(values))} to {figure(max(values))})"


def raw_lines(summary):
    """The machine's own cost as short sentences."""
    sentences = {
        "bounce": "one cache line bounced between two cores, one way",
        "bounce_pair": "the same with one line per direction, one way",
        "memcpy": "memcpy within one process",
    }
    lines = []
    for metric, size in sorted(summary.rounds):
        if metric in sentences:
            where = f", {size_text(size)}" if metric == "memcpy" else ""
            lines.append(f"{sentences[metric]}{where}: {spread(summary, metric, size)} {summary.units[metric]}")
    return lines


def replace_between_marks(document, text):
    """The document with everything between the two marks replaced, or None if it does not hold both in order."""
    before, begin, rest = document.partition(BEGIN_MARK)
    _, end, after = rest.partition(END_MARK)
    return f"{before}{begin}\n{text}\n{end}{after}" if begin and end else None
