# SPDX-License-Identifier: BSD-3-Clause
"""The parts of slurm/testbed: a Slurm cluster on one machine, made of namespaces."""
