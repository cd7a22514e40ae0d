# SPDX-License-Identifier: BSD-3-Clause
"""Bowline as other projects ask for it: CMake's find_package(Bowline), meson's dependency('mpi'), module load."""
import os
import pathlib
import re
import shutil
import tempfile
import unittest

from installed import CONSUMER, PREFIX, SHARE, SOURCE, InstallTest

PROJECT = CONSUMER / "package"


def need(program):
    if shutil.which(program) is None:
        raise unittest.SkipTest(f"there is no {program}")


class CMakePackage(InstallTest):
    def configure(self, languages, *options, prefix=PREFIX, status=0):
        return self.call("cmake", "-G", "Ninja", "-S", PROJECT, "-B", "build", f"-DLANGUAGES={';'.join(languages)}",
                         f"-DCMAKE_PREFIX_PATH={prefix}", *options, status=status)

    def test_languages_in_a_moved_tree(self):
        moved = self.directory / "somewhere else"
        shutil.copytree(PREFIX, moved, symlinks=True)
        languages = ["C", "CXX", *(["Fortran"] if shutil.which("gfortran") else [])]
        said = self.configure(languages, prefix=moved).stdout
        self.assertRegex(said, rf"package: \d+\.\d+\.\d+, MPI 5\.0, {re.escape(str(moved))}/bin/mpiexec")
        self.call("cmake", "--build", "build")
        self.assertIn(f"100% tests passed, 0 tests failed out of {len(languages)}",
                      self.output("ctest", "--test-dir", "build"))
        self.assertIn(str(moved / "lib/libmpi_abi.so.1 "), self.output("ldd", "build/in_c"))

    def refused(self, *options):
        return " ".join(self.configure(["NONE"], *options, status=1).stderr.split())

    def test_what_it_refuses(self):
        said = self.refused("-DCOMPONENTS=C;Java")
        self.assertIn("the component Java does not exist: allowed are C, CXX and Fortran", said)
        said = self.refused("-DCOMPONENTS=Fortran")
        self.assertIn("the project has not enabled the language Fortran: name it in project()", said)
        self.assertIn('compatible with requested version "9"', self.refused("-DCOMPONENTS=C", "-DWANTED=9"))


class Modules(InstallTest):
    """The installed modulefile, in Environment Modules (or Lmod, which reads the same)."""

    def setUp(self):
        super().setUp()
        need("modulecmd")
        tree = self.directory / "tree"
        for name in ("bowline/1", "openmpi/1"):
            (tree / name).parent.mkdir(parents=True)
        shutil.copy(SHARE / "slurm/modulefile", tree / "bowline/1")
        (tree / "openmpi/1").write_text("#%Module1.0\n", encoding="utf-8")

    def shell(self, modules, commands):
        quiet = {"MODULEPATH": "", "LOADEDMODULES": "", "_LMFILES_": ""}
        script = f'export MODULEPATH="$PWD/tree"; eval "$(modulecmd sh load {modules})"; {commands}'
        return self.call("bash", "-c", script, **quiet)

    def test_what_it_sets(self):
        said = self.shell("bowline", f"set -e; mpicc '{SOURCE}' -o ranks; mpiexec -n 3 ./ranks; env; "
                                     "echo by_name=$(pkg-config --variable=prefix mpi-c)").stdout
        self.assertIn("sum of 3 ranks: 6", said)
        for name, folder in {"MPI_HOME": "", "MPI_BIN": "/bin", "MPI_LIB": "/lib", "MPI_INCLUDE": "/include",
                             "CMAKE_PREFIX_PATH": "", "MPI_MAN": "/share/man"}.items():
            self.assertIn(f"\n{name}={PREFIX}{folder}\n", said)
        modules = pathlib.Path(re.search(r"(?m)^MPI_FORTRAN_MOD_DIR=(.*)", said)[1])
        self.assertTrue(modules.name == "none" or (modules / "mpi_f08.mod").is_file(), modules)
        self.assertTrue(os.path.samefile(re.search(r"(?m)^by_name=(.*)", said)[1], PREFIX))

    def test_installed_examples(self):
        """Their Makefile needs no option after `module load`. make cannot build in a folder whose name has spaces."""
        with tempfile.TemporaryDirectory() as folder:
            said = self.shell("bowline", f"set -e; make -C '{SHARE}/examples' BUILD={folder} {folder}/hello; "
                                         f"mpiexec -n 2 {folder}/hello").stdout
        self.assertIn("Hello from rank 1 of 2", said)

    def test_one_mpi_at_a_time(self):
        said = self.shell("openmpi bowline", "command -v mpicc || true")
        self.assertIn("onflict", said.stderr)
        self.assertNotIn(str(PREFIX), said.stdout)


class Meson(InstallTest):
    def test_dependency(self):
        """It asks pkg-config for Open MPI's name, and takes the file that is found first."""
        need("meson")
        path = {"PKG_CONFIG_PATH": f"{PREFIX}/lib/bowline/pkgconfig"}
        said = self.output("meson", "setup", PROJECT, "build", **path)
        found = re.search(r"MPI by pkgconfig from (.*)", said)
        self.assertTrue(found and os.path.samefile(found[1], PREFIX), said)
        self.call("ninja", "-C", "build")
        self.check_runs("build/ranks")
        for name in ("ompi-cxx", "ompi-fort"):  # those for the other languages
            self.assertTrue(os.path.samefile(self.output("pkg-config", "--variable=prefix", name, **path), PREFIX))


if __name__ == "__main__":
    unittest.main()
