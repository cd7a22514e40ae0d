# SPDX-License-Identifier: BSD-3-Clause
"""An entry point without a body says so: to the error handler, with its name, and in the coverage table.

Usage: test_unsupported.py LIBRARY COVERAGE_CPP [unittest arguments]. Each call runs in a process of its own, because
the initial error handler ends the process.
"""

import json
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY, COVERAGE = sys.argv[1:3]
del sys.argv[1:3]

TOOL_NOT_SUPPORTED = 1004

# Calls one function by name with the numbers given as its arguments, and prints the result.
CALLER = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
assert library.MPI_Init(None, None) == 0
arguments = [ctypes.c_void_p(int(a)) for a in sys.argv[3:]]
print(getattr(library, sys.argv[2])(*arguments), flush=True)
"""


def missing():
    """The small forms that the generated coverage table calls not implemented."""
    rows = re.findall(r'\{"(\w+)", (true|false), (true|false)\}', pathlib.Path(COVERAGE).read_text(encoding="utf-8"))
    assert len(rows) == 662, f"{COVERAGE} has {len(rows)} rows"
    names = {name for name, implemented, large in rows if implemented == "false" and large == "false"}
    api = json.loads((ROOT / "bindings" / "api.json").read_text(encoding="utf-8"))
    return [f for f in api["functions"] if f["name"] in names and f["returns"] == "int" and "params" in f]


def extensions_without_body():
    """Of include/mpi-ext.h. The coverage table is about the standard, so the entry points say it."""
    extensions = json.loads((ROOT / "bindings" / "extensions.json").read_text(encoding="utf-8"))
    files = pathlib.Path(COVERAGE).parent.glob("entry_points_*.cpp")
    text = "".join(file.read_text(encoding="utf-8") for file in files)
    return [f for f in extensions["functions"] if f'Call("{f["name"]}", Call::any_time).unsupported(comm)' in text]


def call(function):
    arguments = ["257" if p == "MPI_Comm comm" else "0" for p in function["c"]]  # 257 is MPI_COMM_WORLD
    command = [sys.executable, "-c", CALLER, LIBRARY, function["name"], *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


class UnsupportedTest(unittest.TestCase):
    def pick(self, condition):
        for function in missing():
            if condition(function):
                return function
        self.skipTest("every function of this kind is implemented")

    def expect_end(self, function):
        result = call(function)
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(result.stdout, "")
        self.assertIn(f"{function['name']}: not implemented in this version of Bowline", result.stderr)
        self.assertIn("bowline-info --coverage", result.stderr)

    def test_through_the_communicators_error_handler(self):
        self.expect_end(self.pick(lambda f: "MPI_Comm comm" in f["c"]))

    def test_of_an_extension(self):
        functions = extensions_without_body()
        if not functions:
            self.skipTest("every extension is implemented")
        self.expect_end(functions[0])

    def test_through_the_handler_of_self(self):
        self.expect_end(self.pick(lambda f: not any("MPI_Comm " in p for p in f["c"])
                                  and not f["name"].startswith("MPI_T_")))

    def test_the_tool_interface_has_no_error_handlers(self):
        result = call(self.pick(lambda f: f["name"].startswith("MPI_T_")))
        self.assertEqual(result.stdout, f"{TOOL_NOT_SUPPORTED}\n", result.stderr)


if __name__ == "__main__":
    unittest.main()
