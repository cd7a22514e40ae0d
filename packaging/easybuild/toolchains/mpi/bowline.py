# SPDX-License-Identifier: BSD-3-Clause
"""Bowline as the MPI of an EasyBuild toolchain."""
from easybuild.tools.config import build_option
from easybuild.tools.toolchain.constants import COMPILER_VARIABLES, MPI_COMPILER_VARIABLES
from easybuild.tools.toolchain.mpi import Mpi
from easybuild.tools.toolchain.variables import CommandFlagList


class Bowline(Mpi):
    """The wrappers, the library and the launcher."""

    MPI_MODULE_NAME = ["Bowline"]
    MPI_FAMILY = "Bowline"
    MPI_TYPE = "MPI_TYPE_BOWLINE"
    MPI_LIBRARY_NAME = "mpi_abi"
    MPI_LINK_INFO_OPTION = "-showme:link"

    MPI_COMPILER_MPIF77 = "mpif77"
    MPI_COMPILER_MPIF90 = "mpifort"
    MPI_COMPILER_MPIFC = "mpifort"

    # The wrappers read their compilers from BOWLINE_CC and its like, so they get no options for that.
    MPI_SHARED_OPTION_MAP = {f"_opt_{variable}": "" for variable, _ in MPI_COMPILER_VARIABLES}

    def _set_mpi_compiler_variables(self):
        """BOWLINE_CC and its like, before `usempi` makes CC a wrapper."""
        for variable, _ in COMPILER_VARIABLES:
            if variable in ("CC", "CXX", "FC"):
                self.variables.nappend(f"BOWLINE_{variable}", str(self.variables[variable].get_first()),
                                       var_class=CommandFlagList)
        super()._set_mpi_compiler_variables()

    def mpi_cmd_for(self, cmd, nr_ranks):
        """EasyBuild's own table of launchers does not know this one."""
        template = build_option("mpi_cmd_template") or "mpiexec -n %(nr_ranks)s %(cmd)s"
        return template % {"nr_ranks": nr_ranks, "cmd": cmd}
