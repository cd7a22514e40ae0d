# SPDX-License-Identifier: BSD-3-Clause
"""Plots against size as SVG files, one colour per MPI, one line style per metric. Needs matplotlib."""

import sys

from .implementations import COLLECTIVES, CompareError
from .measure import RAW
from .summary import describe

# file: (axis of sizes, axis of values, metrics)
PLOTS = {
    "latency": ("bytes", "one-way latency", ("latency",)),
    "bandwidth": ("bytes", "bandwidth (window of 64)", ("bandwidth",)),
    "bibw": ("bytes", "bidirectional bandwidth (window of 64)", ("bibw",)),
    "match": ("N receives or messages in front", "time per message",
              ("match_posted", "match_wildcards", "match_unexpected", "match_unexpected_any")),
    **{f"{what}_{kind}": ("bytes", f"{what.replace('pingpong', 'ping-pong')}, data with holes",
                          tuple(f"{what}_{layout}" for layout in layouts))
       for what in ("pack", "unpack", "pingpong")
       for kind, layouts in (("strided", ("vector", "column", "face_x", "face_y")),
                             ("blocks", ("face_z", "indexed_small", "indexed_mixed", "struct")))},
    **{name: ("bytes", f"{name}, 2 ranks, and 8 on fewer cores", (name, f"{name}_8"))
       for name in COLLECTIVES if name != "barrier"},
}
STYLES = ("-", "--", ":", "-.")


def load_matplotlib():
    """matplotlib's pyplot with the SVG backend, or a CompareError that says how to get it."""
    try:
        import matplotlib
    except ImportError:
        raise CompareError(f"plots need matplotlib, which {sys.executable} does not find: apt-get install "
                           "python3-matplotlib and run this with /usr/bin/python3") from None
    matplotlib.use("svg")
    from matplotlib import pyplot
    return pyplot


def _lines(axes, summary, metrics):
    """One line per implementation and metric, as far as they were measured."""
    for metric, style in zip(metrics, STYLES):
        for index, name in enumerate(summary.names):
            points = [(size, summary.value(metric, size, name)) for size in summary.sizes(metric)]
            points = [point for point in points if point[1] is not None]
            if points:
                axes.plot(*zip(*points), marker="o", markersize=3, color=f"C{index}", linestyle=style,
                          label=name if len(metrics) == 1 else f"{name}: {describe(metric)}",
                          linewidth=2 if name == summary.subject else 1)


def _plot(pyplot, summary, sizes, title, metrics, path):
    figure, axes = pyplot.subplots(figsize=(8, 5))
    _lines(axes, summary, metrics)
    bounce = summary.value("bounce", 64, RAW)
    if metrics[0] == "latency" and bounce is not None:
        axes.axhline(bounce, linestyle=":", color="grey", label="raw cache-line bounce")
    unit = next(summary.units[metric] for metric in metrics if metric in summary.units)
    axes.set(xscale="log", yscale="log", xlabel=sizes, ylabel=f"{title} [{unit}]")
    if sizes == "bytes":
        axes.set_xscale("log", base=2)
    axes.grid(True, which="both", alpha=0.3)
    axes.legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def write(pyplot, summary, directory):
    """Writes one SVG per plot of which something was measured; returns the paths."""
    directory.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, (sizes, title, metrics) in PLOTS.items():
        if any(metric in summary.units for metric in metrics):
            paths.append(directory / f"{name}.svg")
            _plot(pyplot, summary, sizes, title, metrics, paths[-1])
    return paths
