# SPDX-License-Identifier: BSD-3-Clause
"""perf/compare with this build of Bowline: measures, writes a page, and compares with an earlier run. Environment:
BUILD is the build tree, MPIEXEC its launcher."""

import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import unittest

from made_up import PERF

BUILD = pathlib.Path(os.environ["BUILD"])


class Run(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = pathlib.Path(directory.name)
        library = BUILD / "src" / "api"
        (self.folder / "bin").mkdir()
        include = PERF.parent / "include"
        self.script("bin/mpicc", f'exec cc "-I{include}" "$@" "-L{library}" "-Wl,-rpath,{library}" -lmpi_abi')
        self.script("bin/mpiexec", f'exec {shlex.quote(os.environ["MPIEXEC"])} "$@"')

    def script(self, name, body):
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def compare(self, *arguments):
        # Without the peers in /usr/bin, which would cost time and prove nothing here.
        for family in ("openmpi", "mpich"):
            self.script(f"mpicc.{family}", "exit 1")
            self.script(f"mpiexec.{family}", "exit 1")
        return subprocess.run([sys.executable, str(PERF / "compare"), *map(str, arguments)],
                              env=os.environ | {"PATH": f"{self.folder}:/usr/bin:/bin"}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=240, check=False)

    def test_a_run_its_page_and_a_later_one(self):
        written, shown = self.folder / "run.json", self.folder / "page.html"
        done = self.compare("--bowline", self.folder, "--quick", "--rounds", "2", "--only", "barrier",
                            "--json", written, "--html", shown)
        self.assertEqual(done.returncode, 1, done.stderr)  # the peers do not compile
        self.assertIn("MPICH: coll does not compile", done.stderr)
        record = json.loads(written.read_text())
        measured = {point["metric"]: point for point in record["points"] if point["implementation"] == "Bowline"}
        self.assertEqual(set(measured), {"barrier", "barrier_4", "barrier_8"})
        self.assertEqual(set(measured["barrier"]["rounds"]), {"0", "1"})
        page = shown.read_text()
        for said in ("barrier, 8 ranks", "Bowline 0.", "processor", "memcpy within one process",
                     "coll does not compile"):
            self.assertIn(said, page)

        # The same, had it been a hundred times as fast before: no machine is so busy that this is noise.
        for point in record["points"]:
            point["rounds"] = {turn: value / 100 for turn, value in point["rounds"].items()}
        record["problems"] = []
        older = self.folder / "older.json"
        older.write_text(json.dumps(record))
        record = json.loads(written.read_text()) | {"problems": []}
        written.write_text(json.dumps(record))
        done = self.compare("--from", written, "--against", older, "--html", shown)
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"\nAgainst \S+ of .*: of 3 points that both runs have, [123] are slower beyond")
        self.assertIn('id="changes"', shown.read_text())
        done = self.compare("--from", written, "--against", written)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
