# SPDX-License-Identifier: BSD-3-Clause
"""The tree that packaging/build-tarball packs runs on a machine with a C library only."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import bare_machine

ROOT = pathlib.Path(os.environ["ROOT"])
BUILD = pathlib.Path(os.environ["BUILD"])
sys.path.insert(0, str(ROOT / "packaging"))
from portable import carried, elf, tree  # noqa: E402

SOURCE = ROOT / "tests/portable/written.c"
HOME = "/opt/bowline"
MPIEXEC = HOME + "/bin/mpiexec"


@unittest.skipIf(bare_machine.why_not(), bare_machine.why_not())
class BareMachine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        root = pathlib.Path(scratch.name) / "root"
        (root / "opt").mkdir(parents=True)
        cls.tree = tree.make(BUILD, root / HOME[1:])
        cls.machine = bare_machine.BareMachine(root, cls.tree / "bin/mpiexec")
        for abi, compiler in (("standard", cls.tree / "bin/mpicc"), ("mpich", "mpicc.mpich"),
                              ("openmpi", "mpicc.openmpi")):
            subprocess.run([compiler, SOURCE, "-o", root / abi], check=True)

    def check(self, done, said):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((done.stdout, done.stderr), (said, ""))

    def test_programs_of_each_abi_run(self):
        for abi in ("standard", "mpich", "openmpi"):
            with self.subTest(abi):
                self.check(self.machine.run(MPIEXEC, "-n", "2", "/" + abi, "/tmp/" + abi),
                           "2 ranks have written 3 with Bowline\n")

    def test_a_program_without_a_launcher_runs(self):
        self.check(self.machine.run("/standard", "/tmp/alone", LD_LIBRARY_PATH=HOME + "/lib"),
                   "1 ranks have written 1 with Bowline\n")

    def test_every_program_starts(self):
        programs = [path.name for path in (self.tree / "bin").iterdir() if elf.is_elf(path)]
        self.assertGreater(len(programs), 4)
        for name in programs:
            done = self.machine.run(f"{HOME}/bin/{name}", "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)

    def test_without_any_pmix_a_job_says_what_is_missing(self):
        done = self.machine.run(MPIEXEC, "-n", "2", "/standard", BOWLINE_PMIX="/nowhere/libpmix.so.2")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nowhere/libpmix.so.2: cannot open shared object file", done.stderr)
        self.assertIn("name its library in BOWLINE_PMIX", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_the_library_needs_the_c_library_only(self):
        for path in (self.tree / "lib").rglob("lib*.so*"):
            if elf.is_elf(path) and carried.FOLDER not in str(path):
                others = [name for name in elf.needed(path) if not carried.is_of_the_system(name)]
                self.assertLessEqual(set(others), carried.own_names(self.tree), path)

    def test_what_is_carried_has_its_licence(self):
        folder = self.tree / carried.FOLDER
        libraries = [path for path in folder.iterdir() if elf.is_elf(path)]
        self.assertIn("libpmix.so.2", [path.name for path in libraries])
        for path in libraries:
            self.assertIn("icense", (folder / f"{path.name}.copyright").read_text(encoding="utf-8"), path.name)


if __name__ == "__main__":
    unittest.main()
