# SPDX-License-Identifier: BSD-3-Clause
"""What libmpi_abi.so exports. Usage: test_library.py LIBRARY [unittest arguments]"""

import json
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(sys.argv.pop(1)) if __name__ == "__main__" else None


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def exported():
    """Name -> (binding, address) of every symbol that the library defines for others. Symbol versions, "@@VERSION",
    belong to the names; that of a version itself is left out."""
    symbols = {}
    for line in output("readelf", "--dyn-syms", "--wide", str(LIBRARY)).splitlines():
        fields = line.split()
        if len(fields) >= 8 and fields[0].rstrip(":").isdigit() and fields[6] not in ("UND", "ABS"):
            symbols[fields[7]] = (fields[4], fields[1])
    return symbols


def standard_names():
    api = json.loads((ROOT / "bindings" / "api.json").read_text(encoding="utf-8"))
    return {name for f in api["functions"] for name in (f["name"], f["name"] + "_c")
            if name == f["name"] or "c_large" in f}


def further_names():
    """Those of programs that were built with a faulty mpi.h."""
    return {"MPI_Psend_init_c", "MPI_Precv_init_c"}


def extension_names():
    """Those of include/mpi-ext.h."""
    extensions = json.loads((ROOT / "bindings" / "extensions.json").read_text(encoding="utf-8"))
    return {name for f in extensions["functions"] for name in (f["name"], *f.get("also", ()))}


PRIVATE = {"bowline_private_interface_1@@BOWLINE_PRIVATE", "bowline_queue_record@@BOWLINE_PRIVATE",
           "MPIR_debug_gate", "MPIR_dll_name", "mpimsgq_dll_locations"}  # for debuggers, which know these names


def names_for_fronts():
    """By which libraries with another ABI call the functions, because they define MPI's names themselves."""
    names = standard_names() | {name for name in extension_names() if name.startswith("MPIX_")}
    return {f"bowline_P{name}@@BOWLINE_PRIVATE" for name in names}


class LibraryTest(unittest.TestCase):
    def test_exports_the_standards_names_and_what_is_private(self):
        names = standard_names() | further_names()
        self.assertEqual(len(names), 664)
        self.assertEqual(len(extension_names()), 16)
        names |= extension_names()
        self.assertEqual(set(exported()), names | {"P" + name for name in names} | PRIVATE | names_for_fronts())

    def test_every_mpi_name_is_a_weak_alias_of_its_profiling_name(self):
        symbols = exported()
        for name in standard_names() | further_names() | extension_names():
            self.assertEqual(symbols[name], ("WEAK", symbols["P" + name][1]), name)
            self.assertEqual(symbols["P" + name][0], "GLOBAL", name)

    def test_a_further_name_is_the_function_itself(self):
        symbols = exported()
        for name in further_names():
            self.assertEqual(symbols[name], symbols[name.removesuffix("_c")])

    def test_a_front_end_calls_the_same_function_under_a_name_of_its_own(self):
        symbols = exported()
        for symbol in names_for_fronts():
            self.assertEqual(symbols[symbol], symbols[symbol.removeprefix("bowline_").partition("@")[0]])

    def test_has_the_soname_of_the_standard_abi(self):
        soname = re.search(r"SONAME.*\[(.*)\]", output("readelf", "--dynamic", "--wide", str(LIBRARY)))
        self.assertEqual(soname and soname[1], "libmpi_abi.so.1")


if __name__ == "__main__":
    unittest.main()
