# SPDX-License-Identifier: BSD-3-Clause
"""What users find after the installation: mpicc and mpicxx, pkg-config, CMake's FindMPI, a tree that can be moved."""
import ctypes
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import unittest

from installed import CONSUMER, PREFIX, SHARE, SOURCE, InstallTest


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


    def test_nothing_is_missing(self):
        text = (SHARE / "README.md").read_text(encoding="utf-8")
        self.assertIn("All 503 functions of the standard are implemented", text)
        self.assertEqual(self.output(PREFIX / "bin/bowline-info", "--coverage", "missing"), "")


class MemoryTools(InstallTest):
    """A correct program gives these tools nothing to say, with the suppressions that bowline-info names."""

    def setUp(self):
        super().setUp()
        text = self.output(PREFIX / "bin/bowline-info")
        self.suppressions = pathlib.Path(re.search(r"(?m)^suppressions (.*) \(valgrind.supp, ", text)[1])

    def run_ranks(self, *words, flags=(), **environment):
        self.call(PREFIX / "bin/mpicc", "-g", *flags, SOURCE, "-o", "ranks")
        done = self.call(PREFIX / "bin/mpiexec", "-n", "3", *words, "./ranks", **environment)
        self.assertIn("sum of 3 ranks: 6", done.stdout)
        return done.stderr

    def test_valgrind(self):
        # Valgrind 3.19 cannot read clang's DWARF 5.
        said = self.run_ranks("valgrind", "-q", "--error-exitcode=9", "--leak-check=full",
                              f"--suppressions={self.suppressions}/valgrind.supp", flags=["-gdwarf-4"])
        # Valgrind 3.19 does not know pidfd_open(2), and says so once in each rank.
        self.assertEqual([line for line in said.splitlines() if not line.startswith("--")], [])

    def test_address_sanitizer(self):
        said = self.run_ranks(flags=["-fsanitize=address"], LSAN_OPTIONS=f"suppressions={self.suppressions}/lsan.supp:"
                                                                         "print_suppressions=0")
        self.assertEqual(said, "")

    def test_thread_sanitizer(self):
        said = self.run_ranks(flags=["-fsanitize=thread"],
                              TSAN_OPTIONS=f"suppressions={self.suppressions}/tsan.supp")
        self.assertEqual(said, "")


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
        self.check_what_debuggers_find(moved)

    NAMES_LIBRARY = """#include <mpi.h>
        #include <stdio.h>
        extern char MPIR_dll_name[];
        int main(void) { MPI_Init(0, 0); puts(MPIR_dll_name); return MPI_Finalize(); }
        """

    def check_what_debuggers_find(self, prefix):
        (self.directory / "names.c").write_text(self.NAMES_LIBRARY, encoding="utf-8")
        self.call(prefix / "bin/mpicc", "names.c", "-o", "names")
        library = self.output(prefix / "bin/mpiexec", "-n", "1", self.directory / "names")
        self.assertEqual(library, str(prefix / "lib/bowline/libbowline_dbg.so"))
        ctypes.CDLL(library).mqs_version_string()
        script = prefix / "lib/libmpi_abi.so.1.0-gdb.py"
        self.assertTrue(script.samefile(prefix / "lib/bowline/gdb_commands.py"))


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
