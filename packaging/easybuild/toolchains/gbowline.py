# SPDX-License-Identifier: BSD-3-Clause
"""The toolchain of GCC and Bowline."""
from easybuild.toolchains.gcc import GccToolchain
from easybuild.toolchains.mpi.bowline import Bowline


class Gbowline(GccToolchain, Bowline):
    """GCC and Bowline."""

    NAME = "gbowline"
    SUBTOOLCHAIN = GccToolchain.NAME
