# SPDX-License-Identifier: BSD-3-Clause
"""A Slurm cluster of two guests, configured as slurm/testbed configures one of namespaces."""
import os
import pathlib
import sys
import types

HERE = pathlib.Path(__file__).resolve().parent
SLOWNESS = "6"  # what Slurm takes for a failure takes so many times as long as in the testbed


def configure(directory):
    """Writes the configuration, and returns the words that make a guest a node and run what follows on the first."""
    os.environ.setdefault("TESTBED_PATIENCE", SLOWNESS)
    sys.path.insert(0, str(HERE.parents[1] / "slurm" / "testbed"))
    from cluster import configuration  # reads the patience
    directory.mkdir()
    shape = configuration.Shape(nodes=2, cpus=2, switches=1, rate="", shared=(), slurm_conf=(), mpi_conf=())
    configuration.write(types.SimpleNamespace(directory=directory), shape)
    return [str(HERE / "nodes"), str(directory)]
