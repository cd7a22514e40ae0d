# SPDX-License-Identifier: BSD-3-Clause
"""What users find after the installation: mpicc and mpicxx, pkg-config, CMake's FindMPI, a tree that can be moved."""
import fnmatch
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

PREFIX = pathlib.Path(os.environ["PREFIX"])
SHARE = PREFIX / "share/bowline"
CONSUMER = pathlib.Path(__file__).resolve().parent / "consumer"
SOURCE = str(CONSUMER / "ranks.c")
FORTRAN = CONSUMER / "fortran"
FORTRAN_TESTS = CONSUMER.parent.parent / "fortran"
OVERRIDES = {"BOWLINE_FC", "MPICH_FC", "OMPI_FC", "FC",
             "BOWLINE_CC", "MPICH_CC", "OMPI_CC", "BOWLINE_CXX", "MPICH_CXX", "OMPI_CXX", "LD_LIBRARY_PATH",
             "CC", "CXX"}


class InstallTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="with spaces ")
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)

    def call(self, *command, status=0, **environment):
        clean = {k: v for k, v in os.environ.items() if k not in OVERRIDES}
        done = subprocess.run([str(word) for word in command], cwd=self.directory, env=clean | environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=200, check=False)
        self.assertEqual(done.returncode, status, f"{command}\n{done.stdout}\n{done.stderr}")
        return done

    def output(self, *command, **environment):
        return self.call(*command, **environment).stdout.strip()

    def check_runs(self, program, prefix=PREFIX):
        self.assertIn("sum of 3 ranks: 6", self.output(prefix / "bin/mpiexec", "-n", "3", self.directory / program))


class Wrappers(InstallTest):
    MPICC = PREFIX / "bin/mpicc"
    INCLUDE = "-I" + str(PREFIX / "include")
    LINK = f"-L{PREFIX / 'lib'} -Wl,-rpath,{PREFIX / 'lib'} -lmpi_abi"

    def test_compile_link_run(self):
        for compiler in ("gcc", "clang"):
            self.call(self.MPICC, f"-cc={compiler}", "-O2", "-Wall", "-Werror", SOURCE, "-o", compiler)
            self.check_runs(compiler)

    def test_compile_and_link_apart(self):
        # clang calls link flags that are not used a mistake: there must be none while compiling.
        self.call(self.MPICC, "-cc=clang", "-Werror", "-c", SOURCE, "-o", "part.o")
        self.call(self.MPICC, "part.o", "-o", "whole")
        self.check_runs("whole")

    def test_cxx(self):
        for name in ("mpicxx", "mpic++", "mpiCC"):
            self.call(PREFIX / "bin" / name, CONSUMER / "ranks.cpp", "-o", "cxx")
            self.check_runs("cxx")
        self.call(PREFIX / "bin/mpicxx", "-cxx=clang++", CONSUMER / "ranks.cpp", "-o", "clang")
        self.check_runs("clang")

    def test_quotes_and_spaces_survive(self):
        greeting = """it's  "so"  $HOME `here` * \\ end"""
        quoted = greeting.replace("\\", "\\\\").replace('"', '\\"')
        self.call(self.MPICC, f'-DGREETING="{quoted}"', SOURCE, "-o", "my program")
        self.assertIn(greeting, self.output("./my program").splitlines())
        # What -show prints does the same when a shell reads it.
        command = self.output(self.MPICC, "-show", f'-DGREETING="{quoted}"', SOURCE, "-o", "my program")
        self.assertEqual(shlex.split(command)[2:5], [f'-DGREETING="{quoted}"', SOURCE, "-o"])

    def test_show(self):
        compiler = self.output(self.MPICC, "-showme:command")
        for option in ("-show", "-showme", "--showme"):
            self.assertEqual(self.output(self.MPICC, option), f"{compiler} {self.INCLUDE} {self.LINK}")
        self.assertEqual(self.output(self.MPICC, "-show", "-c", "a.c"), f"{compiler} {self.INCLUDE} -c a.c")
        self.assertEqual(self.output(self.MPICC, "a.c", "-o", "a", "-show"),
                         f"{compiler} {self.INCLUDE} a.c -o a {self.LINK}")
        self.assertFalse((self.directory / "a").exists())

    def test_parts(self):
        compiler = self.output(self.MPICC, "-showme:command")
        for option, answer in {"-showme:compile": self.INCLUDE, "-showme:link": self.LINK,
                               "-showme:incdirs": PREFIX / "include", "-showme:libdirs": PREFIX / "lib",
                               "-showme:libs": "mpi_abi", "-compile_info": f"{compiler} {self.INCLUDE}",
                               "-link_info": f"{compiler} {self.LINK}"}.items():
            self.assertEqual(self.output(self.MPICC, option), str(answer), option)
        self.assertRegex(self.output(self.MPICC, "-showme:version"), r"^mpicc: Bowline [0-9.]+ \(Language: C\)$")
        self.assertRegex(self.output(PREFIX / "bin/mpicxx", "-showme:version"), r"^mpicxx: .*\(Language: C\+\+\)$")

    def test_unknown_part(self):
        done = self.call(self.MPICC, "-showme:nonsense", status=2)
        self.assertIn("nonsense", done.stderr)
        self.assertIn("incdirs", done.stderr)

    def test_help(self):
        for wrapper, option, library in (("mpicc", "-cc", "-lmpi_abi"), ("mpicxx", "-cxx", "-lmpi_abi"),
                                         ("mpifort", "-fc", "-lmpifort_abi")):
            program = PREFIX / "bin" / wrapper
            for words in (["--help"], ["-help"], ["-c", "a.c", "--help"]):
                text = self.output(program, *words)
                self.assertEqual(text.splitlines()[0].split()[0], wrapper)
                for word in (f"{option}=COMPILER", "-showme:incdirs", "-show", self.INCLUDE, library, "BOWLINE_"):
                    self.assertIn(word, text)
            # As the text says, the compiler's own help can be had.
            self.assertIn(f"$({wrapper} -showme:command) --help", text)
            self.assertIn("-c ", self.output("sh", "-c", f"$('{program}' -showme:command) --help"))

    def test_compiler_that_does_not_exist(self):
        for wrapper, option, variable in (("mpicc", "-cc", "BOWLINE_CC"), ("mpicxx", "-cxx", "BOWLINE_CXX"),
                                          ("mpifort", "-fc", "BOWLINE_FC")):
            sentence = (f"{wrapper}: the compiler 'nosuch' is not found: install it, or name another with "
                        f"{option}=COMPILER or {variable}\n")
            for words, variables in (([f"{option}=nosuch -O2"], {}), ([], {variable: "nosuch"})):
                done = self.call(PREFIX / "bin" / wrapper, *words, "a.c", status=1, **variables)
                self.assertEqual((done.stdout, done.stderr), ("", sentence))

    def test_code_of_32_bits(self):
        for wrapper in ("mpicc", "mpicxx", "mpifort"):
            for words in (["-m32", "a.c"], ["-c", "a.c", "-mx32"]):
                done = self.call(PREFIX / "bin" / wrapper, *words, status=2)
                narrow = next(word for word in words if word.startswith("-m"))
                self.assertEqual(done.stderr, f"{wrapper}: {narrow}: this installation has libraries of 64 bits only; "
                                              "leave the option out\n")
        self.call(self.MPICC, "-m32", "-m64", "-c", SOURCE, "-o", "part.o")  # the last one counts
        self.call(self.MPICC, "-m32", "-v")

    def test_no_link_flags_while_compiling(self):
        for option in ("-c", "-E", "-S", "-M", "-MM", "-fsyntax-only"):
            self.assertNotIn("-lmpi_abi", self.output(self.MPICC, "-show", option, "a.c"))
        # No input, nothing to link: these ask the compiler about itself.
        for question in ("-v", "--version", "-dumpversion", "-print-search-dirs"):
            self.assertNotIn("-lmpi_abi", self.output(self.MPICC, "-show", question))
            self.call(self.MPICC, question)

    def test_status_of_the_compiler(self):
        self.assertNotEqual(subprocess.run([self.MPICC, "missing.c"], cwd=self.directory, capture_output=True,
                                           check=False).returncode, 0)

    def test_other_compiler(self):
        def compiler(*options, **environment):
            return self.output(self.MPICC, *options, "-show", "a.c", **environment).split(" -I")[0]
        self.assertEqual(compiler(OMPI_CC="one"), "one")
        self.assertEqual(compiler(OMPI_CC="one", MPICH_CC="two"), "two")
        self.assertEqual(compiler(OMPI_CC="one", MPICH_CC="two", BOWLINE_CC="three"), "three")
        self.assertEqual(compiler("-cc=four", BOWLINE_CC="three"), "four")
        self.assertEqual(compiler(BOWLINE_CC="ccache gcc"), "ccache gcc")
        self.assertEqual(self.output(PREFIX / "bin/mpicxx", "-show", "a.cpp", BOWLINE_CXX="five").split()[0], "five")

    def test_through_a_link(self):
        (self.directory / "mycc").symlink_to(self.MPICC)
        self.assertIn(self.INCLUDE, self.output("./mycc", "-show"))


class Readme(InstallTest):
    def test_first_program(self):
        text = (pathlib.Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
        (self.directory / "hello.c").write_text(text.split("```c\n")[1].split("```")[0], encoding="utf-8")
        self.call(PREFIX / "bin/mpicc", "-Wall", "-Wextra", "-Werror", "hello.c", "-o", "hello")
        lines = self.output(PREFIX / "bin/mpiexec", "-n", "4", "./hello").splitlines()
        self.assertCountEqual(lines, [f"Hello from rank {rank} of 4" for rank in range(4)])


    def test_what_is_missing(self):
        text = (SHARE / "README.md").read_text(encoding="utf-8").split("\nNot yet:")[1].split("\nEvery function")[0]
        named = re.findall(r"`(MPI_\w+\*?)`", text)
        missing = self.output(PREFIX / "bin/bowline-info", "--coverage", "missing").splitlines()
        implemented = self.output(PREFIX / "bin/bowline-info", "--coverage", "implemented").splitlines()
        self.assertEqual([], [name for name in missing if not any(fnmatch.fnmatchcase(name, each) for each in named)])
        self.assertEqual([], [each for each in named if not fnmatch.filter(missing, each)])
        self.assertEqual([], [each for each in named if fnmatch.filter(implemented, each)])


class Citations(InstallTest):
    """What the installed documents, scripts, programs and libraries name is installed."""
    # They are about the source tree; only their links must lead somewhere.
    FOR_DEVELOPERS = ("CONTRIBUTING.md", "docs/architecture.md", "docs/design/", "docs/rdma_tests.md")
    PATH = re.compile(r"(?<![\w/.-])((?:docs|examples|scripts|slurm)/[\w./*-]*[\w*])")

    def files(self):
        for path in SHARE.rglob("*"):
            if path.is_file() and "fortran" not in path.parts and path.suffix not in (".svg", ".pyc"):
                yield str(path.relative_to(SHARE)), path.read_text(encoding="utf-8")

    def test_links(self):
        found = [(name, link) for name, text in self.files() if name.endswith(".md")
                 for link in re.findall(r"\]\(([^)#]+)[^)]*\)", text) if "://" not in link]
        self.assertGreater(len(found), 20)
        self.assertEqual([], [(name, link) for name, link in found if not ((SHARE / name).parent / link).exists()])

    def test_paths_in_texts(self):
        found = [(name, path.rstrip(".")) for name, text in self.files() if not name.startswith(self.FOR_DEVELOPERS)
                 for path in self.PATH.findall(text)]
        self.assertGreater(len(found), 20)
        self.assertEqual([], [(name, path) for name, path in found if not next(SHARE.glob(path), None)])

    def test_paths_in_programs(self):
        found = [(path.name, named) for folder in ("bin", "lib") for path in (PREFIX / folder).iterdir()
                 if path.is_file() for named in self.PATH.findall(path.read_bytes().decode("latin-1"))]
        self.assertIn(("libmpi_abi.so.1.0", "docs/leniency.md"), found)
        self.assertEqual([], [(name, path) for name, path in found if not (SHARE / path).exists()])

    def test_slurm(self):
        self.assertTrue(os.access(SHARE / "slurm/epilog", os.X_OK))
        self.assertIn(f"\nset prefix {PREFIX}\n", (SHARE / "slurm/modulefile").read_text(encoding="utf-8"))
        for script in (SHARE / "slurm/examples").iterdir():
            self.call("bash", "-n", script)
        for command in ("up", "run", "link", "down"):
            self.assertIn("--name", self.output("python3", "-B", SHARE / "slurm/testbed" / command, "--help"))


class Relocation(InstallTest):
    def test_moved_tree(self):
        moved = self.directory / "somewhere else"
        shutil.copytree(PREFIX, moved, symlinks=True)
        self.call(moved / "bin/mpicc", SOURCE, "-o", "moved")
        self.assertIn(str(moved / "lib"), self.output("ldd", "moved"))
        self.check_runs("moved", moved)


class PkgConfig(InstallTest):
    def test_flags(self):
        path = {"PKG_CONFIG_PATH": str(PREFIX / "lib/pkgconfig")}
        flags = shlex.split(self.output("pkg-config", "--cflags", "--libs", "mpi-bowline", **path))
        self.call("cc", SOURCE, "-o", "by-pkg-config", *flags)  # finds the library without LD_LIBRARY_PATH
        self.check_runs("by-pkg-config")
        self.assertRegex(self.output("pkg-config", "--modversion", "mpi-bowline", **path), r"^\d+\.\d+\.\d+$")


class Simulator(InstallTest):
    def test_runs(self):
        """The commands that docs/simulator.md begins with."""
        self.assertIn("allreduce ", self.output(PREFIX / "bin/bowline-sim", "--list"))
        table = self.output(PREFIX / "bin/bowline-sim", "--op", "allreduce", "--bytes", "8", "--nodes", "100",
                            "--ppn", "4")
        self.assertIn("allreduce", table)


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


class FindMPI(InstallTest):
    def build(self, *options, **environment):
        answer = self.output("cmake", "-G", "Ninja", "-S", CONSUMER, "-B", "build", *options, **environment)
        self.assertIn("MPI_C_VERSION=5.0 MPI_CXX_VERSION=5.0", answer)
        self.assertIn(f"MPIEXEC_EXECUTABLE={PREFIX}/bin/mpiexec", answer)
        self.call("cmake", "--build", "build")
        self.assertIn("100% tests passed, 0 tests failed out of 2", self.output("ctest", "--test-dir", "build"))
        self.assertIn(str(PREFIX / "lib/libmpi_abi.so"), self.output("ldd", "build/in_c"))

    def test_by_mpi_home(self):
        self.build(f"-DMPI_HOME={PREFIX}")

    def test_by_path(self):
        self.build(PATH=f"{PREFIX}/bin:{os.environ['PATH']}")


if __name__ == "__main__":
    unittest.main()
