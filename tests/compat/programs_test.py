# SPDX-License-Identifier: BSD-3-Clause
"""Programs that Debian has built for MPICH and Open MPI, and ours that use libraries of Debian, run unmodified.

MPIEXEC: the launcher.
"""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

MPIEXEC = pathlib.Path(os.environ["MPIEXEC"])
SOURCES = pathlib.Path(__file__).resolve().parent.parent.parent

HPCC_INPUT = pathlib.Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")

COARRAYS = """
program images
  implicit none
  integer :: total[*]
  total = this_image()
  sync all
  call co_sum(total)
  if (total /= num_images() * (num_images() + 1) / 2) error stop 'wrong sum'
  sync all
  if (this_image() == 1) then
    total[num_images()] = 42
    if (total[num_images()] /= 42) error stop 'wrong value'
    print '(a, i0, a)', 'images: ', num_images(), ', all right'
  end if
end program
"""


class ProgramsTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory(prefix="bowline-programs-")
        self.addCleanup(self.directory.cleanup)
        self.folder = pathlib.Path(self.directory.name)

    def need(self, program, package):
        found = shutil.which(program)
        if found is None:
            self.skipTest(f"there is no {program}: scripts/setup check installs {package}")
        return found

    def run_ranks(self, ranks, *command):
        done = subprocess.run([str(MPIEXEC), "--timeout", "800", "-n", str(ranks), *command], cwd=self.folder,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])
        return done.stdout

    def compile(self, *command):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    # ---- hpcc: its own checks of what each part has computed

    def test_hpcc(self):
        hpcc = self.need("hpcc", "hpcc")
        given = HPCC_INPUT.read_text(encoding="utf-8")
        small = re.sub(r"^\d+( +)Ns$", r"200\1Ns", given, flags=re.M)
        small = re.sub(r"^\d+( +)Ps$", r"1\1Ps", small, flags=re.M)
        small = re.sub(r"^\d+( +)Qs$", r"2\1Qs", small, flags=re.M)
        (self.folder / "hpccinf.txt").write_text(small, encoding="utf-8")
        self.run_ranks(2, hpcc)
        results = (self.folder / "hpccoutf.txt").read_text(encoding="utf-8", errors="replace")
        self.assertIn("Success=1\n", results)
        self.assertIn("End of HPC Challenge tests", results)
        self.assertNotIn("FAILED", results)
        self.assertEqual(set(re.findall(r"Errors=(\S+)", results)), {"0"})
        self.assertEqual(set(re.findall(r"(\d+) tests completed and failed residual checks", results)), {"0"})
        self.assertRegex(results, r"1 tests completed and passed residual checks")  # HPL
        self.assertEqual(set(re.findall(r"Found (\d+) errors in \d+ locations", results)), {"0"})

    # ---- NetPIPE: integrity first, then times

    def netpipe(self, program, package):
        netpipe = self.need(program, package)
        self.run_ranks(2, netpipe, "-i", "-u", "65536", "-n", "5")
        self.run_ranks(2, netpipe, "-u", "65536", "-n", "10", "-o", "times")
        rows = (self.folder / "times").read_text(encoding="utf-8").split("\n")[:-1]
        self.assertGreater(len(rows), 50)
        self.assertTrue(all(float(row.split()[2]) > 0 for row in rows))

    def test_netpipe_mpich(self):
        self.netpipe("NPmpich2", "netpipe-mpich2")

    def test_netpipe_openmpi(self):
        self.netpipe("NPopenmpi", "netpipe-openmpi")

    # ---- OpenCoarrays

    def coarrays(self, abi):
        compiler = self.need(f"caf.{abi}", f"libcoarrays-{abi}-dev")
        (self.folder / "images.f90").write_text(COARRAYS, encoding="utf-8")
        self.compile(compiler, "-o", "images", "images.f90")
        self.assertIn("images: 3, all right", self.run_ranks(3, "./images"))

    def test_coarrays_mpich(self):
        self.coarrays("mpich")

    def test_coarrays_openmpi(self):
        self.coarrays("openmpi")

    # ---- ScaLAPACK: our example, in C and in Fortran, with both libraries of Debian

    def solve(self, abi):
        libraries = [f"-lscalapack-{abi}", "-lm"]
        for compiler, source in ((f"mpicc.{abi}", "solve.c"), (f"mpifort.{abi}", "solve.f90")):
            self.need(compiler, f"lib{abi}-dev")
            self.compile(compiler, "-O2", "-o", "solve", str(SOURCES / "examples" / "scalapack" / source), *libraries)
            self.assertRegex(self.run_ranks(4, "./solve"), "info = 0, residual .*, solved\n")
            done = subprocess.run([str(MPIEXEC), "--timeout", "50", "-n", "2", "./solve"], cwd=self.folder,
                                  capture_output=True, text=True, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("there are 2 processes, and the grid needs 4", done.stdout + done.stderr)

    def test_solve_mpich(self):
        self.solve("mpich")

    def test_solve_openmpi(self):
        self.solve("openmpi")


if __name__ == "__main__":
    unittest.main()
