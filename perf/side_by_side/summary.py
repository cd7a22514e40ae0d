# SPDX-License-Identifier: BSD-3-Clause
"""From samples to medians, ratios and tables."""

import statistics

from .measure import RAW

HIGHER_IS_BETTER = {"MB/s", "M/s"}
TABLE_SIZES = {0, 1, 4, 8, 64, 1024, 4096, 65536, 1 << 20, 4 << 20}
# The raw cost that stands beside a metric, and up to which size it says something.
RAW_BESIDE = {"latency": ("bounce", 64), "bandwidth": ("memcpy", None)}
BEGIN_MARK, END_MARK = "<!-- compare:begin -->", "<!-- compare:end -->"


class Summary:
    """Medians over rounds. The subject is the implementation under test; all others are its peers."""

    def __init__(self, samples, names, subject):
        self.medians = {point: {name: statistics.median(values) for name, values in by_name.items()}
                        for point, by_name in samples.values.items()}
        self.units = samples.units
        self.names = names
        self.subject = subject

    def value(self, metric, size, name):
        """The median, or None if it was not measured."""
        return self.medians.get((metric, size), {}).get(name)

    def better(self, metric):
        """max or min: what picks the better of several values."""
        return max if self.units.get(metric) in HIGHER_IS_BETTER else min

    def best_peer(self, metric, size):
        """(name, value) of the best implementation other than the subject, or None."""
        peers = [(name, self.value(metric, size, name)) for name in self.names if name != self.subject]
        known = [peer for peer in peers if peer[1] is not None]
        return self.better(metric)(known, key=lambda peer: peer[1]) if known else None

    def ratio(self, metric, size):
        """The subject's value divided by the best peer's, or None."""
        mine, peer = self.value(metric, size, self.subject), self.best_peer(metric, size)
        return mine / peer[1] if mine is not None and peer is not None and peer[1] > 0 else None

    def raw_beside(self, metric, size):
        """The machine's own cost that this point is read beside, or None."""
        raw_metric, largest = RAW_BESIDE.get(metric, (None, None))
        if raw_metric is None:
            return None
        return self.value(raw_metric, 64 if largest else size, RAW) if largest is None or size <= largest else None


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


def describe(metric):
    """The metric in words: barrier_8 is 'barrier, 8 ranks'."""
    name, _, ranks = metric.rpartition("_")
    text = f"{name}, {ranks} ranks" if ranks.isdigit() else metric
    return text.replace("message_rate", "message rate").replace("init", "start-up (whole job)")


def rows(summary, metric_order):
    """The header and the rows of the table, as lists of strings."""
    header = ["what", "bytes", "unit", "raw", *summary.names]
    with_ratio = summary.subject in summary.names and len(summary.names) > 1
    if with_ratio:
        header.append("to best peer")
    body = []
    for metric in metric_order:
        for size in sorted(size for (name, size) in summary.medians if name == metric and size in TABLE_SIZES):
            row = [describe(metric), size_text(size) if size else "", summary.units[metric],
                   figure(summary.raw_beside(metric, size)),
                   *(figure(summary.value(metric, size, name)) for name in summary.names)]
            if with_ratio:
                ratio = summary.ratio(metric, size)
                row.append("-" if ratio is None else f"{ratio:.2f}")
            body.append(row)
    return header, body


def text_table(header, body):
    """Columns for a terminal: the first three left-aligned, numbers right-aligned; a blank line between groups."""
    widths = [max(map(len, column)) for column in zip(header, *body)]
    lines, group = [], None
    for row in [header, *body]:
        if row is not header and row[0] != group:
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


def raw_lines(summary):
    """The machine's own cost as short sentences."""
    sentences = {
        "bounce": "one cache line bounced between two cores, one way",
        "bounce_pair": "the same with one line per direction, one way",
        "memcpy": "memcpy within one process",
    }
    lines = []
    for (metric, size), values in sorted(summary.medians.items()):
        if metric in sentences and RAW in values:
            where = f", {size_text(size)}" if metric == "memcpy" else ""
            lines.append(f"{sentences[metric]}{where}: {figure(values[RAW])} {summary.units[metric]}")
    return lines


def replace_between_marks(document, text):
    """The document with everything between the two marks replaced, or None if it does not hold both in order."""
    before, begin, rest = document.partition(BEGIN_MARK)
    _, end, after = rest.partition(END_MARK)
    return f"{before}{begin}\n{text}\n{end}{after}" if begin and end else None
