# SPDX-License-Identifier: BSD-3-Clause
"""mpifort, and the modules that it compiles for the user's compiler."""
import pathlib
import shlex
import shutil
import tempfile
import unittest

from installed import CONSUMER, PREFIX, InstallTest

FORTRAN = CONSUMER / "fortran"
FORTRAN_TESTS = CONSUMER.parent.parent / "fortran"


def compiler(*names):
    """The path of the first of these programs; the test is skipped if there is none."""
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise unittest.SkipTest(f"there is no {' or '.join(names)}")
    return found


class Fortran(InstallTest):
    MPIFORT = PREFIX / "bin/mpifort"
    PROGRAMS = ("ranks_f08.f90", "ranks_mpi.f90", "ranks_mpif.f")

    def setUp(self):
        super().setUp()
        compiler("gfortran")

    def modules(self):
        """The directory of the modules that mpifort uses."""
        return pathlib.Path(self.output(self.MPIFORT, "-showme:incdirs").splitlines()[1])

    def test_three_interfaces(self):
        for source in self.PROGRAMS:
            done = self.call(self.MPIFORT, "-Wall", FORTRAN / source, "-o", "program")
            self.assertEqual(done.stderr, "", "the installation has the modules of its own compiler")
            self.check_runs("program")
        self.assertEqual((self.modules() / "kind").read_text(), "descriptors\n")

    def test_other_names(self):
        for name in ("mpif90", "mpif77"):
            self.call(PREFIX / "bin" / name, FORTRAN / "ranks_mpif.f", "-o", name)
            self.check_runs(name)
        self.assertRegex(self.output(PREFIX / "bin/mpif90", "-showme:version"), r"^mpifort: .*\(Language: Fortran\)$")

    def test_compile_and_link_apart(self):
        self.call(self.MPIFORT, "-c", FORTRAN / "ranks_f08.f90", "-o", "part.o")
        self.call(self.MPIFORT, "part.o", "-o", "whole")
        self.check_runs("whole")

    def test_needs_two_libraries_of_mpi(self):
        self.call(self.MPIFORT, FORTRAN / "ranks_f08.f90", "-o", "program")
        needed = self.output("readelf", "--dynamic", "program")
        self.assertIn("[libmpifort_abi.so.1]", needed)
        self.assertNotIn("libmpifort_modules", needed)

    def test_show(self):
        modules = self.modules()
        include = [f"-I{PREFIX / 'include'}", f"-I{modules}"]
        link = [f"-L{PREFIX / 'lib'}", f"-L{modules}", f"-Wl,-rpath,{PREFIX / 'lib'}", "-lmpifort_abi", "-lmpi_abi",
                "-lmpifort_modules"]
        self.assertEqual(shlex.split(self.output(self.MPIFORT, "-showme:compile")), include)
        self.assertEqual(shlex.split(self.output(self.MPIFORT, "-showme:link")), link)
        self.assertEqual(shlex.split(self.output(self.MPIFORT, "-show", "a.f90"))[1:], [*include, "a.f90", *link])
        self.assertEqual(self.output(self.MPIFORT, "-showme:libs"), "mpifort_abi mpi_abi mpifort_modules")

    def test_unknown_compiler(self):
        done = self.call(self.MPIFORT, "-fc=no-such-compiler", "a.f90", status=1)
        self.assertIn("'no-such-compiler' is not found", done.stderr)
        self.assertIn("BOWLINE_FC", done.stderr)

    def check_other_compiler(self, fortran, kind, programs):
        """The modules are built at the first use, once, with one line that says so."""
        prefix = self.directory / "copy"
        shutil.copytree(PREFIX, prefix, symlinks=True)
        mpifort = prefix / "bin/mpifort"
        first = self.call(mpifort, f"-fc={fortran}", FORTRAN / programs[0], "-o", "program")
        lines = [line for line in first.stderr.splitlines() if "built the MPI modules" in line]
        self.assertEqual(len(lines), 1, first.stderr)
        self.assertIn(fortran, lines[0])
        for source in programs:
            again = self.call(mpifort, FORTRAN / source, "-o", "program", BOWLINE_FC=fortran)
            self.assertNotIn("built", again.stderr)
            self.check_runs("program", prefix)
        incdirs = self.output(mpifort, f"-fc={fortran}", "-showme:incdirs").splitlines()
        self.assertEqual(pathlib.Path(incdirs[1], "kind").read_text(), kind + "\n")
        if kind == "descriptors":  # the kinds of REAL differ by compiler
            self.call(mpifort, f"-fc={fortran}", "-DWITH_F08", f"-I{FORTRAN_TESTS}", FORTRAN_TESTS / "check.f90",
                      FORTRAN_TESTS / "kinds.F90", "-o", "kinds")
            self.output(prefix / "bin/mpiexec", "-n", "1", self.directory / "kinds")

    def test_flang_with_descriptors(self):
        self.check_other_compiler(compiler("flang-22", "flang-new-22"), "descriptors", self.PROGRAMS)

    def test_older_flang_with_descriptors(self):
        self.check_other_compiler(compiler("flang-new-19", "flang-19"), "descriptors", self.PROGRAMS)

    def test_compiler_with_directives(self):
        """gfortran, but as if the program that looks for descriptors did not compile."""
        with tempfile.TemporaryDirectory() as directory:  # a path without spaces: the compiler may be several words
            script = pathlib.Path(directory) / "older-gfortran"
            script.write_text('#!/bin/sh\ncase "$*" in *probe_descriptors*) exit 1 ;; esac\n'
                              f'exec {compiler("gfortran")} "$@"\n', encoding="utf-8")
            script.chmod(0o755)
            self.check_other_compiler(str(script), "addresses", self.PROGRAMS)

    def test_flang_without_either(self):
        fortran = compiler("flang-new-16")
        libraries = "/usr/lib/llvm-16/lib"  # where Debian's does not look for its own
        self.check_other_compiler(f"{fortran} -L{libraries}", "externals", self.PROGRAMS[1:])

    def test_compiler_that_cannot_link(self):
        prefix = self.directory / "copy"
        shutil.copytree(PREFIX, prefix, symlinks=True)
        done = self.call(prefix / "bin/mpifort", "-fc=gfortran -lno-such-library", FORTRAN / "ranks_mpi.f90", status=1)
        self.assertIn("cannot build a program that runs", done.stderr)
        self.assertIn("no-such-library", done.stderr)

    def test_compiler_that_cannot_link_a_probe(self):
        """Then nobody knows what the compiler can do, so mpi_f08 is not left out without a word."""
        with tempfile.TemporaryDirectory() as directory:
            script = pathlib.Path(directory) / "half-gfortran"
            script.write_text('#!/bin/sh\ncase "$*" in *-lmpifort_abi*)\n'
                              '[ ! -e "$0.links" ] || exit 1; : >"$0.links" ;; esac\n'
                              f'exec {compiler("gfortran")} "$@"\n', encoding="utf-8")
            script.chmod(0o755)
            prefix = self.directory / "copy"
            shutil.copytree(PREFIX, prefix, symlinks=True)
            done = self.call(prefix / "bin/mpifort", f"-fc={script}", FORTRAN / "ranks_mpi.f90", status=1)
        self.assertIn("probe_descriptors.f90 does not link", done.stderr)

    def test_cache_of_the_user(self):
        """Where the installation may not be written to."""
        prefix = self.directory / "copy"
        shutil.copytree(PREFIX, prefix, symlinks=True)
        shutil.rmtree(prefix / "lib/bowline/fortran")
        (prefix / "lib/bowline/fortran").write_text("not a directory\n")
        cache = self.directory / "cache"
        done = self.call(prefix / "bin/mpifort", "-c", FORTRAN / "ranks_f08.f90", "-o", "part.o",
                         XDG_CACHE_HOME=str(cache))
        self.assertIn(f"in {cache}/bowline/fortran/", done.stderr)
        self.assertTrue(list(cache.glob("bowline/fortran/*/mpi_f08.mod")))

    def test_pkg_config(self):
        path = {"PKG_CONFIG_PATH": str(PREFIX / "lib/pkgconfig")}
        flags = shlex.split(self.output("pkg-config", "--cflags", "--libs", "mpi-bowline-fort", **path))
        self.call("gfortran", FORTRAN / "ranks_f08.f90", "-o", "by-pkg-config", *flags)
        self.check_runs("by-pkg-config")

    def test_find_mpi(self):
        answer = self.output("cmake", "-G", "Ninja", "-S", FORTRAN, "-B", "build", f"-DMPI_HOME={PREFIX}")
        for line in ("F77=TRUE F90=TRUE F08=TRUE", "SUBARRAYS=TRUE ASYNCHRONOUS=TRUE", "VERSION=5.0"):
            self.assertIn(line, answer)
        self.call("cmake", "--build", "build")
        for source in self.PROGRAMS:
            self.check_runs(f"build/{source}.run")


if __name__ == "__main__":
    unittest.main()
