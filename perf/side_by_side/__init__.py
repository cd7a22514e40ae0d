# SPDX-License-Identifier: BSD-3-Clause
"""The parts of perf/compare: implementations, measurement, tables, bounds, plots."""
