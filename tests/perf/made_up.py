# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of perf/compare share: where it is, and summaries of made-up samples."""

import pathlib
import sys

PERF = pathlib.Path(__file__).resolve().parents[2] / "perf"
sys.path.insert(0, str(PERF))

from side_by_side import measure, records, summary  # noqa: E402


def samples_of(points):
    """Samples from {(metric, size): {name: [values]}} where the unit follows from the metric."""
    samples = measure.Samples()
    units = {"bandwidth": "MB/s", "message_rate": "M/s", "init": "ms", "thread_scaling": "x", "lock_cost": "x"}
    for (metric, size), by_name in points.items():
        for name, values in by_name.items():
            for turn, value in enumerate(values):
                samples.add(metric, size, name, turn, value, units.get(metric, "us"))
    return samples


def summary_of(points, names=("Bowline", "Open MPI", "MPICH")):
    """The same as a Summary."""
    return summary.Summary(samples_of(points), list(names), "Bowline")


def record_of(points, metrics, names=("Bowline", "Open MPI", "MPICH")):
    """The same as a Record."""
    told = [{"name": name, "mpicc": ["mpicc"], "mpiexec": ["mpiexec"], "library": f"{name} 1", "compiler": "cc 1"}
            for name in names]
    return records.Record(samples_of(points), list(metrics), "2026-01-01 00:00 UTC", "perf/compare", 3, 2,
                          "made up, 2 cores", {"processor": "made up", "cores": "2"}, told)
