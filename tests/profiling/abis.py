# SPDX-License-Identifier: BSD-3-Clause
"""Compiles programs and tools for the ABIs that this machine has compilers for, and runs them with tools preloaded.

From CMake: MPIEXEC; CC, INCLUDE, C_LIBRARY and FORTRAN_LIBRARY of the build; FC, MODULES and FORTRAN_SOURCES, which are
empty in a build without Fortran.
"""
import collections
import dataclasses
import os
import pathlib
import shutil
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FORTRAN_TESTS = HERE.parent / "fortran"
FORMS = {"f08": ["-DWITH_F08"], "mpi": ["-DWITH_MODULE"], "mpif": []}
FORTRAN_FLAGS = ["-ffree-line-length-none", "-fallow-argument-mismatch", f"-I{FORTRAN_TESTS}"]


@dataclasses.dataclass(frozen=True)
class Abi:
    name: str
    c: list[str]  # the compiler with the options that mpi.h needs
    fortran: list[str]  # empty: none
    c_libraries: list[str]
    fortran_libraries: list[str]

    def header(self):
        """The preprocessed mpi.h."""
        return call([*self.c, "-E", "-P", "-x", "c", "-"], input="#include <mpi.h>\n").stdout

    def program(self, source, folder, form="", *flags):
        """Compiled from a file of this folder; `form`: of a program in Fortran."""
        file = pathlib.Path(folder) / f"{source.stem}.{self.name}.{form}"
        command = ([*self.fortran, *FORTRAN_FLAGS, *FORMS[form]] if form else self.c) + ["-w", "-g", "-O1", *flags]
        libraries = self.fortran_libraries if form else self.c_libraries
        call([*command, "-o", str(file), str(source), *libraries], cwd=folder)
        return file

    def tool(self, source, folder, *flags):
        """A library to preload."""
        file = pathlib.Path(folder) / f"{source.stem}.{self.name}.so"
        command = [*self.c, "-w", "-g", "-O1", "-shared", "-fPIC", *flags]
        call([*command, "-o", str(file), str(source), *self.c_libraries, "-ldl"])
        return file


def call(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def all_abis():
    """Those of this machine; says which are left out."""
    found = [_standard()]
    for name in ("mpich", "openmpi"):
        c, fortran = shutil.which(f"mpicc.{name}"), shutil.which(f"mpifort.{name}")
        if c is None:
            print(f"skipped: the ABI of {name}, because there is no mpicc.{name} (scripts/setup check installs it)")
            continue
        found.append(Abi(name, [c], [fortran] if fortran and os.environ["FC"] else [], [], []))
    return found


def _standard():
    def linked(*variables):
        libraries = [pathlib.Path(os.environ[variable]) for variable in variables]
        return [text for library in libraries for text in (str(library), f"-Wl,-rpath,{library.parent}")]
    fortran = []
    if os.environ["FC"]:
        fortran = [os.environ["FC"], f"-I{os.environ['MODULES']}", f"-I{os.environ['FORTRAN_SOURCES']}"]
    return Abi("standard", [os.environ["CC"], f"-I{os.environ['INCLUDE']}"], fortran, linked("C_LIBRARY"),
               linked("FORTRAN_LIBRARY", "C_LIBRARY"))


def run(program, *tools, ranks=2, **variables):
    """Runs a job with the tools preloaded, the first one in front."""
    options = ["-x", "LD_PRELOAD=" + ":".join(map(str, tools))] if tools else []
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"} | variables
    return call([os.environ["MPIEXEC"], "--timeout", "90", "-n", str(ranks), *options, str(program)], env=environment)


def counts(program, *tools, ranks=2):
    """What each tool (write_tool.py) has counted, by its name: function -> (calls, calls from within another call)."""
    with tempfile.TemporaryDirectory(prefix="bowline-counts-") as folder:
        run(program, *tools, ranks=ranks, COUNTS=folder)
        found = collections.defaultdict(dict)
        for file in pathlib.Path(folder).iterdir():
            of_tool = found[file.name.split(".")[0]]
            for line in file.read_text(encoding="ascii").splitlines():
                function, *numbers = line.split()
                before = of_tool.get(function, (0, 0))
                of_tool[function] = tuple(a + int(b) for a, b in zip(before, numbers))
        return found
