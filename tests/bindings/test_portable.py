# SPDX-License-Identifier: BSD-3-Clause
"""Source code that compiles with other MPIs compiles here: portable/*.c, as C and as C++ of several years.

Usage: test_portable.py LIBRARY [unittest arguments]
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PORTABLE = pathlib.Path(__file__).resolve().parent / "portable"
LIBRARY = pathlib.Path(sys.argv.pop(1))
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Wno-long-long", "-Werror", f"-I{ROOT / 'include'}"]
# C17 is C11 without its defects; C++14 and C++17 take nothing away that C++20 leaves.
COMPILERS = {"gcc": ["c89", "c99", "c17"], "clang": ["c89", "c99", "c17"],
             "g++": ["c++98", "c++11", "c++20"], "clang++": ["c++98", "c++11", "c++20"]}
# A comparison of the language's version.
VERSION = re.compile(r"(__STDC_VERSION__|__cplusplus)\s*([<>=!]=?\s*\w+)")


class PortableTest(unittest.TestCase):
    def test_all_compile(self):
        sources = sorted(PORTABLE.glob("*.c"))
        self.assertGreaterEqual(len(sources), 3)
        for compiler, standards in COMPILERS.items():
            for standard in standards:
                with self.subTest(compiler=compiler, standard=standard):
                    if shutil.which(compiler) is None:
                        self.skipTest(f"the compiler {compiler} is not installed")
                    language = "c++" if "++" in compiler else "c"
                    command = [compiler, f"-std={standard}", *WARNINGS, "-fsyntax-only", "-x", language, *sources]
                    result = subprocess.run(command, capture_output=True, text=True, check=False)
                    self.assertEqual(result.returncode, 0, result.stderr[:2000])

    def test_the_header_is_the_same_for_the_standards_between(self):
        """It asks for no version but C99, so those that are not in COMPILERS need no run."""
        headers = sorted((ROOT / "include").glob("*.h"))
        asked = {found for each in headers for found in VERSION.findall(each.read_text())}
        self.assertEqual(asked, {("__STDC_VERSION__", ">= 199901L")})

    def test_every_handle_comes_back(self):
        with tempfile.TemporaryDirectory() as directory:
            program = pathlib.Path(directory) / "every_handle"
            command = ["gcc", "-std=c89", *WARNINGS, PORTABLE / "every_handle.c", LIBRARY,
                       f"-Wl,-rpath,{LIBRARY.parent}", "-o", program]
            compiled = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual(compiled.returncode, 0, compiled.stderr[:2000])
            done = subprocess.run([program], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)


if __name__ == "__main__":
    unittest.main()
