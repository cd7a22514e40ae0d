# SPDX-License-Identifier: BSD-3-Clause
"""EasyBuild's way to build and check Bowline: eb --include-easyblocks=packaging/easybuild/easyblocks/bowline.py"""
import os

from easybuild.easyblocks.generic.cmakeninja import CMakeNinja
from easybuild.tools.systemtools import get_shared_lib_ext


class EB_Bowline(CMakeNinja):
    """Builds Bowline without its tests and benchmarks."""

    OPTIONS = {"BOWLINE_TESTS": "OFF", "BOWLINE_PERF": "OFF", "BOWLINE_WERROR": "OFF", "CMAKE_UNITY_BUILD": "ON",
               "CMAKE_UNITY_BUILD_BATCH_SIZE": "12"}
    PROGRAMS = ("mpicc", "mpicxx", "mpifort", "mpif77", "mpif90", "mpiexec", "mpirun", "bowline-info", "bowline-ps",
                "bowline-report", "bowline-sim")
    HEADERS = ("mpi.h", "mpi-ext.h", "mpif.h")
    LIBRARIES = ("libmpi_abi", "libmpifort_abi")
    # The libraries for programs of other MPIs, below lib/bowline.
    FRONTS = ("mpich/libmpi.so.12", "openmpi/libmpi.so.40")

    def configure_step(self, *args, **kwargs):
        """Adds the options that the easyconfig does not set."""
        self.prepend_config_opts(self.OPTIONS)
        return super().configure_step(*args, **kwargs)

    def make_module_extra(self, *args, **kwargs):
        """srun starts no PMIx server, and lets a step go on without its dead ranks, unless it is told otherwise."""
        text = super().make_module_extra(*args, **kwargs)
        for name, value in (("MPI_HOME", self.installdir), ("SLURM_MPI_TYPE", "pmix"), ("SLURM_KILL_BAD_EXIT", "1")):
            text += self.module_generator.set_environment(name, value)
        return text

    def sanity_check_step(self, *args, **kwargs):
        """What must be there, and that ranks start."""
        extension = get_shared_lib_ext()
        paths = {
            "files": [os.path.join("bin", name) for name in self.PROGRAMS]
            + [os.path.join("include", name) for name in self.HEADERS]
            + [os.path.join("lib", f"{name}.{extension}") for name in self.LIBRARIES]
            + [os.path.join("lib", "bowline", name) for name in self.FRONTS],
            "dirs": ["lib/cmake/Bowline", "lib/pkgconfig", "share/bowline/examples"],
        }
        hello = os.path.join(self.installdir, "share", "bowline", "examples", "hello.c")
        commands = ["bowline-info --version", f"mpicc {hello} -o hello && mpiexec -n 2 ./hello"]
        kwargs.setdefault("custom_paths", paths)
        kwargs.setdefault("custom_commands", commands)
        return super().sanity_check_step(*args, **kwargs)
