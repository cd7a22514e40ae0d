# SPDX-License-Identifier: BSD-3-Clause
"""Compares the names that Bowline's libraries export with those of Debian's libraries of MPICH and Open MPI.

Prints each name that is missing, with its reason, and fails for one without a reason. FRONTS: where the libraries are.
"""
import os
import pathlib
import re
import subprocess
import unittest

FRONTS = pathlib.Path(os.environ["FRONTS"])
SYSTEM = pathlib.Path("/usr/lib") / subprocess.run(
    ["dpkg-architecture", "-qDEB_HOST_MULTIARCH"], capture_output=True, text=True, check=False).stdout.strip()

# What another MPI's libraries export besides the interface that programs are built for. Patterns of names, and why no
# program needs them.
REASONS = {
    "libmpich.so.12": {
        r"MPII_Version_\w+": "describes the build of MPICH; mpichversion alone reads it",
        r"MPII_\w+": "connects MPICH's libraries for C++ and Fortran with that for C",
        r"MPIR_Err_\w+": "connects MPICH's MPI-IO with the rest of MPICH",
        r"QMPI_\w+": "an experimental interface for tools, whose functions Bowline does not have",
    },
    "libmpi.so.40": {
        r"(ompi|mca|opal|orte)_\w+": "a part of Open MPI's implementation",
        r"MPIR_(debug_gate|debug_typedefs_sizeof|dll_name)": "for debuggers that attach to Open MPI's processes",
        r"OMPI_(Affinity_str|TEST_FORTRAN_CONSTANTS)": "an extension, and a part of Open MPI's own tests",
    },
}

# Names that are part of the interface: only their absence needs a reason that is given for the very name.
INTERFACE = r"P?MPI_\w+|P?MPIX_\w+|p?mpi_\w+|ompi_mpi_\w+"


def exported(library):
    text = subprocess.run(["nm", "-D", "--defined-only", str(library)], capture_output=True, text=True, check=True)
    return {line.split()[-1].partition("@")[0] for line in text.stdout.splitlines()}


class NamesTest(unittest.TestCase):
    def compare(self, soname, folder):
        theirs = SYSTEM / soname
        if not theirs.exists():
            self.skipTest(f"{theirs} is not installed: scripts/setup check installs it")
        missing = sorted(exported(theirs) - exported(FRONTS / folder / soname))
        without_reason = []
        counts = {}
        for name in missing:
            reason = next((why for what, why in REASONS[soname].items() if re.fullmatch(what, name)), None)
            if reason is None:
                without_reason.append(name)
            counts.setdefault(reason, []).append(name)
        print(f"\n{soname}: {len(exported(theirs))} names, {len(missing)} of them not in Bowline's library")
        for reason, names in counts.items():
            for name in names:
                print(f"  {name}: {reason or 'NO REASON'}")
        self.assertEqual(without_reason, [])

    def test_mpich(self):
        self.compare("libmpich.so.12", "mpich")

    def test_open_mpi(self):
        self.compare("libmpi.so.40", "openmpi")


if __name__ == "__main__":
    unittest.main()
