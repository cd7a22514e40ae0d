# SPDX-License-Identifier: BSD-3-Clause
"""Bowline for Spack 1; docs/packages.md says how to use it."""

import os
import re

from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *


class Bowline(CMakePackage):
    """MPI-5.0 library with the standard ABI. Programs that were built for MPICH or Open MPI run on it as they are."""

    homepage = "https://bowline.invalid"
    git = "https://bowline.invalid/bowline.git"
    executables = ["^bowline-info$"]

    license("BSD-3-Clause")

    # A release adds a line with the checksum of its archive.
    version("main", branch="main")

    # One package cannot both provide and need a virtual, so what asks for the ABI alone finds it here too.
    provides("mpi@:5.0")
    provides("mpi-abi")

    variant("fortran", default=True, description="Compile the Fortran modules for the compiler of the build")

    generator("ninja")
    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3:", type="build")
    depends_on("cli11", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("pmix@4.2:")
    depends_on("hwloc@2:")
    depends_on("fmt@9:")
    depends_on("elfutils@0.180:")
    depends_on("liburing")
    # The library loads these two when it starts, and goes without them where they find no adapter.
    depends_on("ucx@1.13:")
    depends_on("rdma-core")

    conflicts("%gcc@:11", msg="Bowline is C++20 and needs GCC 12 or newer")
    conflicts("%clang@:13", msg="Bowline is C++20 and needs clang 14 or newer")
    conflicts("platform=darwin", msg="Bowline runs on Linux only")

    # Binaries that were built with this MPICH look for libmpi.so.12 in `lib`: see link_names_of_mpich().
    can_splice("mpich@4.1:4.3", when="@main")

    filter_compiler_wrappers("mpicc", "mpicxx", "mpifort", relative_root="bin")

    names_of_mpich = ("libmpich.so.12", "libmpi.so.12", "libmpichfort.so.12", "libmpifort.so.12")

    @classmethod
    def determine_version(cls, exe):
        said = Executable(exe)("--version", output=str, error=str)
        match = re.search(r"Bowline (\d+(?:\.\d+)+)", said)
        return match.group(1) if match else None

    def cmake_args(self):
        return [
            self.define("BOWLINE_TESTS", False),
            self.define("BOWLINE_PERF", False),
            self.define("BOWLINE_WERROR", False),
            self.define("CMAKE_INSTALL_LIBDIR", "lib"),
            self.define("CMAKE_UNITY_BUILD", True),
            self.define("CMAKE_UNITY_BUILD_BATCH_SIZE", "12"),
            self.define_from_variant("BOWLINE_FORTRAN", "fortran"),
        ]

    @run_after("install")
    def link_names_of_mpich(self):
        for name in self.names_of_mpich:
            symlink(join_path("bowline", "mpich", name), join_path(self.prefix.lib, name))

    @property
    def headers(self):
        return HeaderList(find(self.prefix.include, "mpi.h", recursive=False))

    @property
    def libs(self):
        names = ["libmpi_abi"]
        if "fortran" in self.spec.last_query.extra_parameters:
            names.insert(0, "libmpifort_abi")
        return find_libraries(names, root=self.prefix.lib, shared=True)

    def wrappers(self):
        """The wrappers that users and other packages ask for by a variable."""
        names = {"MPICC": "mpicc", "MPICXX": "mpicxx"}
        if self.spec.satisfies("+fortran"):
            names.update({"MPIF77": "mpif77", "MPIF90": "mpif90", "MPIFC": "mpifort"})
        return {variable: join_path(self.prefix.bin, name) for variable, name in names.items()}

    def setup_run_environment(self, env: EnvironmentModifications) -> None:
        for variable, path in self.wrappers().items():
            env.set(variable, path)

    def setup_dependent_build_environment(self, env: EnvironmentModifications, dependent_spec: Spec) -> None:
        self.setup_run_environment(env)
        # The wrappers call those of Spack, which know the dependent's compilers and flags.
        dependent = dependent_spec.package.module
        for variable, attribute in (
            ("BOWLINE_CC", "spack_cc"),
            ("BOWLINE_CXX", "spack_cxx"),
            ("BOWLINE_FC", "spack_fc"),
        ):
            if hasattr(dependent, attribute):
                env.set(variable, getattr(dependent, attribute))

    def setup_dependent_package(self, module, dependent_spec):
        wrappers = self.wrappers()
        self.spec.mpicc = wrappers["MPICC"]
        self.spec.mpicxx = wrappers["MPICXX"]
        if "MPIFC" in wrappers:
            self.spec.mpifc = wrappers["MPIFC"]
            self.spec.mpif77 = wrappers["MPIF77"]

    def test_ranks(self):
        """compile an installed example, and run two ranks of it"""
        source = join_path(self.prefix.share, "bowline", "examples", "hello.c")
        which(join_path(self.prefix.bin, "mpicc"), required=True)(source, "-o", "hello")
        said = which(join_path(self.prefix.bin, "mpiexec"), required=True)(
            "-n", "2", os.path.abspath("hello"), output=str, error=str
        )
        check_outputs([r"rank 0 of 2", r"rank 1 of 2"], said)
