# SPDX-License-Identifier: BSD-3-Clause
"""Compares the names that Bowline's libraries export with those of Debian's libraries of MPICH and Open MPI.

Prints each name that is missing, with its reason, and fails for one without a reason. Compares the values of the
predefined handles that Fortran modules have in the libraries. FRONTS: where Bowline's libraries are.
"""
import os
import pathlib
import re
import struct
import subprocess
import unittest

FRONTS = pathlib.Path(os.environ["FRONTS"])
SYSTEM = pathlib.Path("/usr/lib") / subprocess.run(
    ["dpkg-architecture", "-qDEB_HOST_MULTIARCH"], capture_output=True, text=True, check=False).stdout.strip()

# What another MPI's libraries export besides the interface that programs are built for. Patterns of names, and why no
# program needs them.
MODULE_INTERNALS = {
    r"__mpi\w+_MOD___(copy|def_init|vtab)_\w+": "gfortran's tables of MPI's types; for CLASS variables of these types",
}
REASONS = {
    "libmpich.so.12": {
        r"MPII_Version_\w+": "describes the build of MPICH; mpichversion alone reads it",
        r"MPII_\w+": "connects MPICH's libraries for C++ and Fortran with that for C",
        r"MPIR_Err_\w+": "connects MPICH's MPI-IO with the rest of MPICH",
        r"QMPI_\w+": "an experimental interface for tools, whose functions Bowline does not have",
    },
    "libmpichfort.so.12": {
        r"MPIR_F_\w+|mpirinit[cf]_": "connects MPICH's libraries for Fortran and C",
        r"MPI_F_(ARGVS?_NULL|ERRCODES_IGNORE)": "connects MPICH's libraries for Fortran and C",
        r"__mpi_c_interface_glue_MOD_\w+": "part of the bodies of MPICH's procedures for mpi_f08",
        **MODULE_INTERNALS,
    },
    "libmpi.so.40": {
        r"(ompi|mca|opal|orte|ompit)_\w+": "a part of Open MPI's implementation",
        r"MPIR_(debug_gate|debug_typedefs_sizeof|dll_name)": "for debuggers that attach to Open MPI's processes",
        r"mpi(dbg|msgq)_dll_locations": "for debuggers that attach to Open MPI's processes",
        r"OMPI_(Affinity_str|TEST_FORTRAN_CONSTANTS)": "an extension, and a part of Open MPI's own tests",
        r"mpiext_pcollreq_dummy": "makes a linker accept a library that is empty otherwise",
    },
    "libmpi_mpifh.so.40": {
        r"ompi_intercept_extra_state_t_class": "a part of Open MPI's implementation",
        r"mpiext_pcollreq_mpifh_dummy": "makes a linker accept a library that is empty otherwise",
    },
    "libmpi_usempi_ignore_tkr.so.40": {},
    "libmpi_usempif08.so.40": {
        r"p?ompi_buffer_detach_f08": "part of the body of Open MPI's procedure for mpi_f08",
        **MODULE_INTERNALS,
    },
}

# The interface that programs are built for: no pattern is a reason that one of these is missing.
INTERFACE = re.compile(r"P?MPIX?_(?!F_ARG|F_ERR)\w+|p?mpix?_\w+|__mpi\w+_MOD_[a-z](?!pir)\w+")
# Predefined objects of Open MPI are variables of these sizes.
OBJECT_SIZES = {256, 512, 1024, 1536, 2048}


def exported(library):
    text = subprocess.run(["nm", "-D", "--defined-only", str(library)], capture_output=True, text=True, check=True)
    return {line.split()[-1].partition("@")[0] for line in text.stdout.splitlines()}


def variables(library):
    """(name, address, size) of the exported variables."""
    symbols = subprocess.run(["nm", "-DS", "--defined-only", str(library)], capture_output=True, text=True, check=True)
    for line in symbols.stdout.splitlines():
        fields = line.split()
        if len(fields) == 4 and fields[2] in "BDR":
            yield fields[3].partition("@")[0], int(fields[0], 16), int(fields[1], 16)


def integers(library):
    """The values of the exported variables of four bytes."""
    sections = subprocess.run(["readelf", "-SW", str(library)], capture_output=True, text=True, check=True).stdout
    places = [(int(address, 16), int(offset, 16), int(size, 16), kind) for kind, address, offset, size in
              re.findall(r"\]\s+\.\S+\s+(\w+)\s+([0-9a-f]+)\s+([0-9a-f]+)\s+([0-9a-f]+)", sections)]
    contents = library.read_bytes()
    values = {}
    for name, address, _ in (variable for variable in variables(library) if variable[2] == 4):
        for start, offset, size, kind in places:
            if start <= address < start + size:
                values[name] = (0 if kind == "NOBITS" else
                                struct.unpack_from("<i", contents, offset + address - start)[0])
    return values


class NamesTest(unittest.TestCase):
    def compare(self, soname, folder, also=()):
        theirs = SYSTEM / soname
        if not theirs.exists():
            self.skipTest(f"{theirs} is not installed: scripts/setup check installs it")
        ours = set().union(*(exported(FRONTS / folder / name) for name in (soname, *also)))
        missing = sorted(exported(theirs) - ours)
        objects = {name for name, _, size in variables(theirs) if name.startswith("ompi_") and size in OBJECT_SIZES}
        reasons = {name: None if name in objects else self.reason(soname, name) for name in missing}
        print(f"\n{soname}: {len(exported(theirs))} names, {len(missing)} of them not in Bowline's library")
        for name, reason in reasons.items():
            print(f"  {name}: {reason or 'NO REASON'}")
        self.assertEqual([name for name, reason in reasons.items() if reason is None], [])

    def reason(self, soname, name):
        if INTERFACE.fullmatch(name):
            return None
        return next((why for what, why in REASONS[soname].items() if re.fullmatch(what, name)), None)

    def compare_values(self, soname, folder, pattern):
        theirs = SYSTEM / soname
        if not theirs.exists():
            self.skipTest(f"{theirs} is not installed: scripts/setup check installs it")
        ours = integers(FRONTS / folder / soname)
        expected = {name: value for name, value in integers(theirs).items() if re.fullmatch(pattern, name)}
        self.assertGreater(len(expected), 90)
        self.assertEqual({name: ours.get(name) for name in expected}, expected)

    def test_mpich(self):
        self.compare("libmpich.so.12", "mpich")

    def test_open_mpi(self):
        self.compare("libmpi.so.40", "openmpi")

    def test_mpich_fortran(self):
        self.compare("libmpichfort.so.12", "mpich", also=["libmpich.so.12"])
        self.compare_values("libmpichfort.so.12", "mpich", r"__mpi_f08_compile_constants_MOD_\w+")

    def test_open_mpi_mpifh(self):
        self.compare("libmpi_mpifh.so.40", "openmpi", also=["libmpi.so.40"])

    def test_open_mpi_modules(self):
        self.compare("libmpi_usempi_ignore_tkr.so.40", "openmpi", also=["libmpi.so.40"])
        self.compare("libmpi_usempif08.so.40", "openmpi", also=["libmpi.so.40"])
        self.compare_values("libmpi_usempif08.so.40", "openmpi", r"__mpi_f08_types_MOD_mpi_\w+|ompi_f08_mpi_\w+")


if __name__ == "__main__":
    unittest.main()
