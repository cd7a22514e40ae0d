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


def run(*command, **variables):
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("BOWLINE_ABI", "LD_LIBRARY_PATH", "LD_PRELOAD")} | variables
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, env=environment,
                          timeout=60)


def mpiexec(*command, **variables):
    return run(MPIEXEC, "--timeout", 50, "-n", 1, *command, **variables)


def sanitized():
    """Whether the library needs a sanitizer's runtime, which an interpreter does not have."""
    return "libasan" in run("ldd", FRONTS / "mpich" / LIBRARIES["mpich"]).stdout


class ChoiceTest(unittest.TestCase):
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


if __name__ == "__main__":
    unittest.main()
