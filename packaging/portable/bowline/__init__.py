# SPDX-License-Identifier: BSD-3-Clause
"""Where pip has put Bowline, an MPI library."""
import pathlib


def prefix():
    """The folder with bin, include and lib: that of the environment into which pip has installed Bowline."""
    for folder in pathlib.Path(__file__).resolve().parents:
        if (folder / "lib/libmpi_abi.so.1").exists():
            return folder
    raise RuntimeError(f"bowline: no folder above {__file__} has lib/libmpi_abi.so.1: install the wheel again")


def places():
    """What is where, by name."""
    top = prefix()
    return {"prefix": top, "bin": top / "bin", "include": top / "include", "lib": top / "lib",
            "mpich": top / "lib/bowline/mpich", "openmpi": top / "lib/bowline/openmpi",
            "mpiexec": top / "bin/mpiexec", "mpicc": top / "bin/mpicc", "docs": top / "share/bowline/docs"}
