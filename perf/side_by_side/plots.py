# SPDX-License-Identifier: BSD-3-Clause
"""Plots of latency and bandwidth against size as SVG files, one line per MPI. Needs matplotlib."""

import sys

from .implementations import CompareError
from .measure import RAW

PLOTS = {"latency": "one-way latency", "bandwidth": "bandwidth (window of 64)"}


def load_matplotlib():
    """matplotlib's pyplot with the SVG backend, or a CompareError that says how to get it."""
    try:
        import matplotlib
    except ImportError:
        raise CompareError(f"--svg needs matplotlib, which {sys.executable} does not find: apt-get install "
                           "python3-matplotlib and run perf/compare with /usr/bin/python3") from None
    matplotlib.use("svg")
    from matplotlib import pyplot
    return pyplot


def _plot(pyplot, summary, metric, title, path):
    figure, axes = pyplot.subplots(figsize=(8, 5))
    for name in summary.names:
        points = [(size, summary.value(metric, size, name)) for size in summary.sizes(metric)]
        points = [point for point in points if point[1] is not None]
        if points:
            width = 2 if name == summary.subject else 1
            axes.plot(*zip(*points), marker="o", markersize=3, label=name, linewidth=width)
    bounce = summary.value("bounce", 64, RAW)
    if metric == "latency" and bounce is not None:
        axes.axhline(bounce, linestyle=":", color="grey", label="raw cache-line bounce")
    axes.set(xscale="log", yscale="log", xlabel="bytes", ylabel=f"{title} [{summary.units[metric]}]")
    axes.set_xscale("log", base=2)
    axes.grid(True, which="both", alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def write(pyplot, summary, directory):
    """Writes one SVG per plot whose metric was measured; returns the paths."""
    directory.mkdir(parents=True, exist_ok=True)
    paths = []
    for metric, title in PLOTS.items():
        if metric in summary.units:
            paths.append(directory / f"{metric}.svg")
            _plot(pyplot, summary, metric, title, paths[-1])
    return paths
