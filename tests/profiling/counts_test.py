# SPDX-License-Identifier: BSD-3-Clause
"""A tool in C sees each call of a program in C or in Fortran once, and none that a library makes for itself.

The tool wraps all functions of the ABI's mpi.h (write_tool.py). Several of them, preloaded one after another, form a
chain.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import abis
import write_tool

sys.path.insert(0, str(abis.HERE.parents[1] / "bindings"))

from bindgen import model  # noqa: E402
from bindgen.fortran import tools  # noqa: E402

FUNCTIONS = {f.name: f for f in model.load(abis.HERE.parents[1] / "bindings/api.json").under_all_names()}
BUILT = pathlib.Path(os.environ["PROGRAMS"])  # the tests folder of the build, with programs of other tests

# What each rank of counted.c and counted.F90 calls. What it calls by PMPI is not seen.
IN_COMMON = {"MPI_Init": 1, "MPI_Comm_rank": 1, "MPI_Comm_size": 1, "MPI_Irecv": 3, "MPI_Isend": 3, "MPI_Waitall": 3,
             "MPI_Sendrecv": 1, "MPI_Allreduce": 1, "MPI_Op_free": 1, "MPI_Comm_dup": 1, "MPI_Comm_free": 1,
             "MPI_Finalize": 1}
IN_C = IN_COMMON | dict.fromkeys(("MPI_Op_create", "MPI_Comm_create_keyval", "MPI_Comm_set_attr", "MPI_Comm_get_attr",
                                  "MPI_Type_vector", "MPI_Type_commit", "MPI_Type_free"), 1)
ABIS = {abi.name: abi for abi in abis.all_abis()}
RANKS = 2


def function_of(symbol):
    """The function behind a linker name, in lower case, or None."""
    match = re.fullmatch(r"(mpix?_\w+?)(_c)?(_cptr|_f08|_f08ts)?(_large)?_{0,2}", symbol.lower())
    return match and match[1]


def referenced(program):
    """The functions that a program refers to, in lower case, and other names that look so."""
    lines = subprocess.run(["nm", "-D", "--undefined-only", str(program)], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    return {function_of(line.split()[-1].split("@")[0]) for line in lines}


class CountsCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory(prefix="bowline-profiling-")
        cls.folder = pathlib.Path(cls.directory.name)
        cls.tools = {}

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def tool(self, abi, name="tool", chained=False):
        """The library, made once."""
        key = (abi.name, name, chained)
        if key not in self.tools:
            source = self.folder / f"{name}.{abi.name}.c"
            source.write_text(write_tool.text(abi.header(), name, chained), encoding="utf-8")
            self.tools[key] = abi.tool(source, self.folder)
        return self.tools[key]

    def assert_counted(self, counted, expected):
        self.assertEqual(counted, {name: (RANKS * calls, 0) for name, calls in expected.items()})


class ExactlyOnceTest(CountsCase):
    def test_program_in_c(self):
        for abi in ABIS.values():
            with self.subTest(abi.name):
                found = abis.counts(abi.program(abis.HERE / "counted.c", self.folder), self.tool(abi), ranks=RANKS)
                self.assert_counted(found["tool"], IN_C)

    def test_program_with_an_rpath(self):
        """mpiexec preloads a library for it, behind the tool."""
        for abi in ABIS.values():
            if abi.name != "standard":
                with self.subTest(abi.name):
                    program = abi.program(abis.HERE / "counted.c", self.folder, "",
                                          "-Wl,--disable-new-dtags,-rpath,/usr/lib")
                    found = abis.counts(program, self.tool(abi), ranks=RANKS)
                    self.assert_counted(found["tool"], IN_C)

    def test_program_in_fortran(self):
        for abi in ABIS.values():
            if not abi.fortran:
                print(f"skipped: Fortran with the ABI of {abi.name}: there is no compiler")
                continue
            for form in abis.FORMS:
                with self.subTest(abi.name, form=form):
                    program = abi.program(abis.HERE / "counted.F90", self.folder, form)
                    found = abis.counts(program, self.tool(abi), ranks=RANKS)
                    self.assert_counted(found["tool"], IN_COMMON)

    def test_large_counts(self):
        abi = ABIS["standard"]
        if not abi.fortran:
            self.skipTest("there is no Fortran compiler")
        program = abi.program(abis.HERE / "counted.F90", self.folder, "f08", "-DLARGE")
        found = abis.counts(program, self.tool(abi), ranks=RANKS)
        self.assert_counted(found["tool"], IN_COMMON | {"MPI_Allreduce_c": 1})


class ProgramsTest(CountsCase):
    """Programs of other tests: what they refer to is seen, and nothing else."""

    NOT_CALLED = {"mpi_abort"}  # what a program calls if it fails

    def check(self, abi, program, unseen=None):
        """`unseen`: the functions that no tool sees; None: the program may refer to some that it does not call."""
        if not program.exists():
            print(f"skipped: {program} is not built")
            return
        counted = abis.counts(program, self.tool(abi), ranks=3)["tool"]
        seen = {name.removesuffix("_c").lower() for name in counted}
        expected = referenced(program) & {f"mpi{name}".lower() for _, name, _ in write_tool.prototypes(abi.header())}
        self.assertGreater(len(expected), 8)
        self.assertEqual(seen - expected, set(), program)
        self.assertEqual({name for name, (_, within) in counted.items() if within > 0}, set(), program)
        if unseen is not None:
            self.assertEqual(expected - seen - self.NOT_CALLED, expected & unseen, program)

    def test_programs_in_fortran(self):
        unseen = {name.lower() for name, f in FUNCTIONS.items() if not tools.is_seen(f)}
        for abi in ABIS.values():
            for form in abis.FORMS if abi.fortran else ():
                for name in ("calls", "seed_operations"):
                    program = BUILT / "compat" / f"{name}.{form}.{abi.name}"
                    if abi.name == "standard":
                        program = BUILT / "fortran" / f"fortran_{name}_{form}"
                    with self.subTest(program.name):
                        self.check(abi, program, unseen)

    def test_programs_in_c(self):
        for abi in ABIS.values():
            for name in ("messages", "objects"):
                program = BUILT / "compat" / (f"compat_{name}" if abi.name == "standard" else f"{name}.{abi.name}")
                with self.subTest(program.name):
                    self.check(abi, program)


class ChainTest(CountsCase):
    """Tools that call the next definition of a function see its calls one after another; one that calls PMPI_X ends the
    chain."""

    def check(self, abi, program, expected):
        first, second = (self.tool(abi, name, chained=True) for name in ("first", "second"))
        last = self.tool(abi, "last")
        found = abis.counts(program, first, second, last, ranks=RANKS)
        self.assertEqual(set(found), {"first", "second", "last"})
        for counted in found.values():
            self.assert_counted(counted, expected)
        found = abis.counts(program, first, last, second, ranks=RANKS)
        self.assertEqual(set(found), {"first", "last"})
        self.assert_counted(found["first"], expected)

    def test_programs_in_c(self):
        for abi in ABIS.values():
            with self.subTest(abi.name):
                self.check(abi, abi.program(abis.HERE / "counted.c", self.folder), IN_C)

    def test_programs_in_fortran(self):
        for abi in ABIS.values():
            if abi.fortran:
                with self.subTest(abi.name):
                    self.check(abi, abi.program(abis.HERE / "counted.F90", self.folder, "mpif"), IN_COMMON)


if __name__ == "__main__":
    unittest.main()
