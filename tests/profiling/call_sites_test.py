# SPDX-License-Identifier: BSD-3-Clause
"""A tool finds the source lines that call MPI, in programs in C and in Fortran, for each ABI (call_sites.c)."""
import collections
import pathlib
import re
import shutil
import tempfile
import unittest

import abis

SITE = re.compile(r"site (MPI_\w+) (\S+):(\d+) calls (\d+) bytes (\d+) seconds (\d+\.\d+)")


def expected(source):
    """(function, line): (calls, bytes) of each call with a comment."""
    lines = enumerate(source.read_text(encoding="ascii").splitlines(), 1)
    found = ((number, re.search(r"(MPI_\w+)\(.* site: (\d+) calls, (\d+) bytes", line)) for number, line in lines)
    return {(match[1], number): (int(match[2]), int(match[3])) for number, match in found if match}


class CallSitesTest(unittest.TestCase):
    def check(self, abi, source, folder, form=""):
        tool = abi.tool(abis.HERE / "call_sites.c", folder)
        said = abis.run(abi.program(source, folder, form), tool).stdout
        sites = SITE.findall(said)
        self.assertEqual({pathlib.Path(file).name for _, file, *_ in sites}, {source.name}, said)
        lines = collections.defaultdict(lambda: [0, 0])  # the compiler may have made several calls of one
        for name, _, line, calls, bytes_, _ in sites:
            of_line = lines[name, int(line)]
            of_line[:] = of_line[0] + int(calls), of_line[1] + int(bytes_)
        self.assertEqual({site: tuple(numbers) for site, numbers in lines.items()}, expected(source), said)

    def test_programs_in_c(self):
        self.check_all(abis.HERE / "sited.c", [""])

    def test_programs_in_fortran(self):
        self.check_all(abis.HERE / "sited.F90", abis.FORMS)

    def check_all(self, source, forms):
        if shutil.which("addr2line") is None:
            self.skipTest("there is no addr2line (package binutils)")
        self.assertGreater(len(expected(source)), 3)
        with tempfile.TemporaryDirectory(prefix="bowline-sites-") as folder:
            for abi in abis.all_abis():
                for form in forms:
                    if form and not abi.fortran:
                        print(f"skipped: Fortran with the ABI of {abi.name}: there is no compiler")
                        continue
                    with self.subTest(abi.name, form=form):
                        self.check(abi, source, folder, form)


if __name__ == "__main__":
    unittest.main()
