# SPDX-License-Identifier: BSD-3-Clause
"""A plot against size as inline SVG: a line per MPI, and behind it a band from the lowest to the highest round.

Colours come from the classes of the page's style, so that a page on a dark screen or on paper has its own.
"""

import html
import math

from .summary import figure, size_text

WIDTH, HEIGHT = 640, 380
LEFT, RIGHT, TOP, BOTTOM = 64, 14, 12, 44
DASHES = ("", "7 4", "2 4", "9 3 2 3")  # of the metrics of one plot, in their order
MOST_MARKS = 8


def powers_between(low, high, base):
    """The powers of `base` from low to high, as few as can be read beside each other."""
    first, last = math.ceil(math.log(low, base) - 1e-9), math.floor(math.log(high, base) + 1e-9)
    step = max(1, math.ceil((last - first + 1) / MOST_MARKS))
    return [base ** power for power in range(first, last + 1, step)]


def tick_text(value):
    """A mark of the vertical axis: 0.1, 10, 1000."""
    return f"{value:g}" if 1e-4 < value < 1e5 else f"{value:.0e}".replace("e+0", "e").replace("e-0", "e-")


class Scale:
    """From values to coordinates, logarithmic."""

    def __init__(self, low, high, begin, end):
        if low == high:
            low, high = low / 2, high * 2
        self.low, self.high, self.begin, self.end = low, high, begin, end

    def __call__(self, value):
        part = math.log(value / self.low) / math.log(self.high / self.low)
        return round(self.begin + part * (self.end - self.begin), 1)


def line_elements(points, horizontal, vertical, colour, dash):
    """The band and the line of one MPI: points are (size, lowest, median, highest)."""
    there = [f"{horizontal(size)},{vertical(high)}" for size, _, _, high in points]
    back = [f"{horizontal(size)},{vertical(low)}" for size, low, _, _ in reversed(points)]
    middle = [(horizontal(size), vertical(median)) for size, _, median, _ in points]
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return [f'<polygon class="band {colour}" points="{" ".join(there + back)}"/>',
            f'<polyline class="line {colour}"{dashes} points="{" ".join(f"{x},{y}" for x, y in middle)}"/>',
            *(f'<circle class="dot {colour}" cx="{x}" cy="{y}" r="3"/>' for x, y in middle)]


def axes(horizontal, vertical, sizes, title, across):
    """Grid, marks and what they mean."""
    parts = []
    for size in powers_between(sizes[0], sizes[-1], 10 if across != "bytes" else 2):
        x = horizontal(size)
        text = size_text(int(size)) if across == "bytes" else f"{size:g}"
        parts.append(f'<line class="grid" x1="{x}" y1="{TOP}" x2="{x}" y2="{HEIGHT - BOTTOM}"/>'
                     f'<text x="{x}" y="{HEIGHT - BOTTOM + 17}" text-anchor="middle">{text}</text>')
    for value in powers_between(vertical.low, vertical.high, 10):
        y = vertical(value)
        parts.append(f'<line class="grid" x1="{LEFT}" y1="{y}" x2="{WIDTH - RIGHT}" y2="{y}"/>'
                     f'<text x="{LEFT - 6}" y="{y + 4}" text-anchor="end">{tick_text(value)}</text>')
    middle = (TOP + HEIGHT - BOTTOM) / 2
    return [*parts, f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}" text-anchor="middle">{across}</text>',
            f'<text transform="translate(14 {middle}) rotate(-90)" text-anchor="middle">{html.escape(title)}</text>']


def series(summary, spreads, metrics):
    """[(name, number of its colour, number of its metric, points)] of all that was measured at two sizes or more."""
    found = []
    for dash, metric in enumerate(metrics):
        for colour, name in enumerate(summary.names):
            each = [(size, spreads(metric, size, name)) for size in summary.sizes(metric) if size > 0]
            points = [(size, one.lowest, one.median, one.highest) for size, one in each if one and one.lowest > 0]
            if len(points) > 1:
                found.append((name, colour, dash, points))
    return found


def draw(summary, spreads, metrics, title, across):
    """The SVG element, or nothing if there is nothing to draw. `spreads(metric, size, name)` is a Spread or None."""
    lines = series(summary, spreads, metrics)
    if not lines:
        return ""
    values = [point for _, _, _, points in lines for point in points]
    sizes = sorted({point[0] for point in values})
    low, high = min(point[1] for point in values), max(point[3] for point in values)
    if high < 10 * low:  # so that at least one power of ten is on the axis
        low, high = 10 ** math.floor(math.log10(low)), 10 ** math.ceil(math.log10(high))
    horizontal = Scale(sizes[0], sizes[-1], LEFT, WIDTH - RIGHT)
    vertical = Scale(low, high, HEIGHT - BOTTOM, TOP)
    parts = axes(horizontal, vertical, sizes, title, across)
    for _, colour, dash, points in reversed(lines):
        parts += line_elements(points, horizontal, vertical, f"m{colour % 6}", DASHES[dash % len(DASHES)])
    last = "; ".join(f"{name} {figure(points[-1][2])} at {points[-1][0]}" for name, _, _, points in lines)
    return (f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{html.escape(title)}: {html.escape(last)}">'
            f'{"".join(parts)}</svg>')
