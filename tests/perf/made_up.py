# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of perf/compare share: where it is, and summaries of made-up samples."""

import pathlib
import sys

PERF = pathlib.Path(__file__).resolve().parents[2] / "perf"
sys.path.insert(0, str(PERF))

from side_by_side import measure, summary  # noqa: E402


def summary_of(points, names=("Bowline", "Open MPI", "MPICH")):
    """A Summary from {(metric, size): {name: [values]}} where the unit follows from the metric."""
    samples = measure.Samples()
    units = {"bandwidth": "MB/s", "message_rate": "M/s", "init": "ms", "thread_scaling": "x", "lock_cost": "x"}
    for (metric, size), by_name in points.items():
        for name, values in by_name.items():
            for turn, value in enumerate(values):
                samples.add(metric, size, name, turn, value, units.get(metric, "us"))
    return summary.Summary(samples, list(names), "Bowline")
