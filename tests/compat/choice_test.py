# SPDX-License-Identifier: BSD-3-Clause
"""Which libraries mpiexec gives a program that was built for another MPI, directly or behind a script or an
interpreter, and what it says about programs that cannot run.

MPIEXEC, INFO: mpiexec and bowline-info. FRONTS: where Bowline's libraries for other ABIs are. PROGRAMS: where
messages.mpich and messages.openmpi are. STANDARD: a program for the standard ABI.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

MPIEXEC, INFO, STANDARD = (os.environ[name] for name in ("MPIEXEC", "INFO", "STANDARD"))
FRONTS, PROGRAMS = (pathlib.Path(os.environ[name]) for name in ("FRONTS", "PROGRAMS"))
LIBRARIES = {"mpich": "libmpich.so.12", "openmpi": "libmpi.so.40"}

# Loads libraries by their names, as interpreters do, and asks the first one who it is.
LOADER = """
import ctypes, sys
libraries = [ctypes.CDLL(name, ctypes.RTLD_LOCAL) for name in sys.argv[1:]]
text, length = ctypes.create_string_buffer(8192), ctypes.c_int()
libraries[0].MPI_Init(None, None)
libraries[0].MPI_Get_library_version(text, ctypes.byref(length))
libraries[0].MPI_Finalize()
print(text.value.decode())
"""


# What is needed of another MPI's library to see whether a program got it.
OTHER_MPI = """
#include <string.h>
int MPI_Init(int* argc, char*** argv) { return 0; }
int MPI_Finalize(void) { return 0; }
int MPI_Get_library_version(char* text, int* length) { strcpy(text, "another"); *length = 7; return 0; }
"""
PROGRAM = """
#include <stdio.h>
int MPI_Init(int*, char***), MPI_Finalize(void), MPI_Get_library_version(char*, int*);
int main(void) {
  static char text[8192];
  int length;
  MPI_Init(0, 0);
  MPI_Get_library_version(text, &length);
  puts(text);
  return MPI_Finalize();
}
"""


def run(*command, **variables):
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("BOWLINE_ABI", "LD_AUDIT", "LD_LIBRARY_PATH", "LD_PRELOAD")} | variables
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, env=environment,
                          timeout=60)


def mpiexec(*command, ranks=1, **variables):
    return run(MPIEXEC, "--timeout", 50, "-n", ranks, *command, **variables)


def sanitized():
    """Whether the library needs a sanitizer's runtime, which an interpreter does not have."""
    return "libasan" in run("ldd", FRONTS / "mpich" / LIBRARIES["mpich"]).stdout


class ChoiceCase(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory(prefix="bowline-choice-")
        self.addCleanup(self.directory.cleanup)
        self.folder = pathlib.Path(self.directory.name)

    def programs(self):
        found = {abi: PROGRAMS / f"messages.{abi}" for abi in LIBRARIES if (PROGRAMS / f"messages.{abi}").exists()}
        if not found:
            self.skipTest("there are no programs of other MPIs: scripts/setup check installs their compilers")
        return found

    def write(self, name, text):
        file = self.folder / name
        file.write_text(text, encoding="utf-8")
        file.chmod(0o755)
        return file

    def build(self, name, source, *options):
        file = self.folder / name
        source = self.write(name + ".c", source)
        subprocess.run(["cc", "-o", str(file), str(source), *map(str, options)], check=True)
        return file


class ChoiceTest(ChoiceCase):
    def assert_refused(self, done, *sentences):
        self.assertNotEqual(done.returncode, 0)
        for sentence in sentences:
            self.assertIn(sentence, done.stderr)

    def test_info_says_what_it_sees(self):
        words = {"mpich": "MPICH's ABI", "openmpi": "Open MPI's ABI"}
        for abi, program in self.programs().items():
            report = run(INFO, "--abi", program).stdout
            self.assertIn(f"{program} was built for {words[abi]}\n", report)
            self.assertIn(f"{LIBRARIES[abi]} is needed by {program}", report)
            self.assertIn(f"mpiexec sets LD_LIBRARY_PATH={FRONTS / abi}\n", report)
        self.assertIn("was built for the standard ABI of MPI-5.0", run(INFO, "--abi", STANDARD).stdout)
        self.assertIn("needs no MPI library, or loads one later", run(INFO, "--abi", sys.executable).stdout)

    def test_info_says_what_it_sees_of_a_script(self):
        for program in self.programs().values():
            script = self.write("run", f"#!/bin/sh\nexec '{program}'\n")
            self.assertIn(f"{script} is a script, and names programs that were built for",
                          run(INFO, "--abi", script).stdout)

    def test_program_behind_a_script(self):
        for program in self.programs().values():
            script = self.write("run", f"#!/bin/sh\nX={program}\nexec $X\n")
            done = mpiexec(script)
            self.assertIn("checks hold", done.stdout, done.stderr)

    def test_program_behind_a_command_that_runs_it(self):
        for program in self.programs().values():
            done = mpiexec("env", "SOME=thing", program)
            self.assertIn("checks hold", done.stdout, done.stderr)

    def test_library_that_an_interpreter_loads(self):
        if sanitized():
            self.skipTest("an interpreter has no sanitizer")
        loader = self.write("load.py", LOADER)
        for library in LIBRARIES.values():
            done = mpiexec(sys.executable, loader, library)
            self.assertIn("Bowline", done.stdout, done.stderr)

    def test_two_abis_in_one_process(self):
        if sanitized():
            self.skipTest("an interpreter has no sanitizer")
        loader = self.write("load.py", LOADER)
        self.assert_refused(mpiexec(sys.executable, loader, *LIBRARIES.values()), "Open MPI", "MPICH", "two")

    def test_the_user_decides(self):
        shown = ["sh", "-c", "echo $LD_LIBRARY_PATH"]
        self.assertEqual(mpiexec(*shown, BOWLINE_ABI="openmpi").stdout.strip(), str(FRONTS / "openmpi"))
        self.assertEqual(mpiexec(*shown, BOWLINE_ABI="mpich", LD_LIBRARY_PATH="/old").stdout.strip(),
                         f"{FRONTS / 'mpich'}:/old")
        self.assertEqual(mpiexec(*shown, BOWLINE_ABI="none", LD_LIBRARY_PATH="/old").stdout.strip(), "/old")
        self.assert_refused(mpiexec("true", BOWLINE_ABI="lam"),
                            "BOWLINE_ABI=lam: must be one of standard, mpich, openmpi, none")

    def test_what_the_user_preloads_stays(self):
        if sanitized():
            self.skipTest("the sanitizer's runtime has to be loaded first")
        tool = self.build("tool.so", "int tool;", "-shared", "-fPIC")
        for abi, program in self.programs().items():
            with_rpath = self.folder / "with_rpath"
            subprocess.run([f"mpicc.{abi}", "-o", str(with_rpath), "-Wl,--disable-new-dtags,-rpath,/usr/lib",
                            str(self.write("maps.c", '#include <mpi.h>\n#include <stdlib.h>\nint main(void) '
                                                     '{ MPI_Init(0, 0); system("cat /proc/$PPID/maps"); '
                                                     'return MPI_Finalize(); }'))], check=True)
            done = mpiexec(with_rpath, LD_PRELOAD=str(tool))
            self.assertIn(str(tool), done.stdout, done.stderr)
            self.assertIn(str(FRONTS / abi / LIBRARIES[abi]), done.stdout)

    def test_program_for_two_abis(self):
        fakes = [self.build(name, f"int symbol_{number};", "-shared", "-fPIC", f"-Wl,-soname,{name}")
                 for number, name in enumerate(LIBRARIES.values())]
        program = self.build("both", "int main(void) { return 0; }", "-Wl,--no-as-needed", *fakes)
        self.assert_refused(mpiexec(program), f"{program} needs MPI libraries of two ABIs",
                            "build all of them for one MPI")

    def test_library_of_an_unknown_version(self):
        fake = self.build("libmpi.so.80", "int symbol;", "-shared", "-fPIC", "-Wl,-soname,libmpi.so.80")
        program = self.build("later", "int main(void) { return 0; }", "-Wl,--no-as-needed", fake)
        self.assert_refused(mpiexec(program), f"{program} was built for libmpi.so.80, an MPI library whose ABI Bowline "
                                              "does not have")


class OtherLibraryTest(ChoiceCase):
    """Where scripts and paths lead to another MPI's library: processes below mpiexec get Bowline's if they ask for it
    by its name, and mpiexec warns of those that ask for a file."""

    def setUp(self):
        super().setUp()
        if sanitized():
            self.skipTest("programs without a sanitizer do not load a library with one")
        (self.folder / "other").mkdir()
        self.others = {name: self.build(f"other/{name}", OTHER_MPI, "-shared", "-fPIC", f"-Wl,-soname,{name}", "-w")
                       for name in (*LIBRARIES.values(), "libmpi.so.80")}
        self.script = self.write("run", f"#!/bin/sh\nexport LD_LIBRARY_PATH={self.folder / 'other'}:/usr/lib\n"
                                        'exec "$@"\n')
        self.loader = self.write("load.py", LOADER)

    def assert_all_get_bowline(self, done):
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()], ["Bowline"] * 2)

    def assert_warned(self, done, library, *texts):
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line for line in done.stderr.splitlines() if line.startswith("mpiexec: warning:")]
        self.assertEqual(len(lines), 1, done.stderr)
        for text in (f"loaded {library}, another MPI library", *texts):
            self.assertIn(text, lines[0])

    def test_a_script_changes_the_path(self):
        for library in self.others.values():
            if library.name == "libmpi.so.80":
                continue
            program = self.build("program", PROGRAM, library)
            self.assert_all_get_bowline(mpiexec(self.script, program, ranks=2))
            self.assert_all_get_bowline(mpiexec(self.script, sys.executable, self.loader, library.name, ranks=2))

    def test_program_with_an_rpath_behind_a_script(self):
        for name in LIBRARIES.values():
            program = self.build("program", PROGRAM, self.others[name],
                                 f"-Wl,--disable-new-dtags,-rpath,{self.folder / 'other'}")
            self.assertEqual(run(program).stdout, "another\n")
            self.assert_all_get_bowline(mpiexec(self.script, program, ranks=2))
            self.assert_all_get_bowline(mpiexec(sys.executable, "-c", f"import os; os.system('{program}')", ranks=2))
            self.assertEqual(mpiexec(self.script, program, BOWLINE_ABI="none").stdout, "another\n")

    def test_library_by_its_path(self):
        library = self.others["libmpi.so.40"]
        done = mpiexec(self.script, sys.executable, self.loader, library, ranks=2)
        self.assert_warned(done, library, "rank 0 and 1 other rank", "by the name libmpi.so.40, without a path")
        self.assertEqual(done.stdout, "another\n" * 2)

    def test_library_of_an_unknown_version_behind_a_script(self):
        library = self.others["libmpi.so.80"]
        done = mpiexec(self.script, sys.executable, self.loader, library.name, ranks=2)
        self.assert_warned(done, library, "Bowline does not have the ABI of that library")

    def test_some_ranks_load_another_library(self):
        library = self.others["libmpich.so.12"]
        done = mpiexec("true", ":", "-n", 1, sys.executable, self.loader, library)
        self.assert_warned(done, library, "rank 1 loaded")

    def test_the_status_is_that_of_the_program(self):
        done = mpiexec("sh", "-c", f"{sys.executable} {self.loader} {self.others['libmpi.so.40']}; exit 7")
        self.assertEqual(done.returncode, 7)
        self.assertIn("another MPI library", done.stderr)

    def test_no_warning_without_another_library(self):
        done = mpiexec(self.script, sys.executable, "-c", "import ctypes; ctypes.CDLL('libmpi.so.40')", ranks=2)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_job_in_a_job(self):
        program = self.build("program", PROGRAM, self.others["libmpi.so.40"])
        self.assert_all_get_bowline(mpiexec(self.script, MPIEXEC, "-n", 2, self.script, program))

    def test_programs_that_load_nothing(self):
        static = self.build("static", "int main(void) { return 0; }", "-static")
        done = mpiexec("sh", "-c", f"{static} && {static}")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_library_with_variables_of_threads_at_fixed_offsets(self):
        """The loader reserves memory for them before it knows the library."""
        source = ('__attribute__((tls_model("initial-exec"))) __thread char memory[3000];\n'
                  "char* get(void) { return memory; }")
        library = self.build("libthreads.so", source, "-shared", "-fPIC")
        program = self.build("threads", "char* get(void); int main(void) { return get()[0]; }", library)
        done = mpiexec("sh", "-c", program)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_what_the_user_audits_with_stays(self):
        tool = self.build("tool.so", "unsigned la_version(unsigned version) { return 0; }", "-shared", "-fPIC")
        done = mpiexec("sh", "-c", "echo $LD_AUDIT", LD_AUDIT=str(tool))
        self.assertEqual(done.stdout.strip(), f"{FRONTS / 'libbowline_audit.so'}:{tool}", done.stderr)
        program = self.build("program", PROGRAM, self.others["libmpi.so.40"])
        self.assert_all_get_bowline(mpiexec(self.script, program, ranks=2, LD_AUDIT=str(tool)))


if __name__ == "__main__":
    unittest.main()
