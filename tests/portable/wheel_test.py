# SPDX-License-Identifier: BSD-3-Clause
"""The wheel that packaging/build-wheel packs, installed by pip from the file into an environment of its own."""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(os.environ["ROOT"])
BUILD = pathlib.Path(os.environ["BUILD"])
sys.path.insert(0, str(ROOT / "packaging"))
from portable import elf  # noqa: E402

MISSING = [name for name in ("venv", "ensurepip") if importlib.util.find_spec(name) is None]
PYTHON_OF_DEBIAN = "/usr/bin/python3"  # which has mpi4py
MPI4PY = "from mpi4py import MPI; print(MPI.COMM_WORLD.allreduce(1), MPI.Get_library_version().split()[0])"


@unittest.skipIf(MISSING, f"Python has no {', '.join(MISSING)} (Debian: python3-venv)")
class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch = pathlib.Path(scratch.name)
        cls.environment = cls.scratch / "environment"
        cls.call(ROOT / "packaging/build-wheel", "--build", BUILD, cls.scratch)
        (cls.wheel,) = cls.scratch.glob("*.whl")
        cls.call(sys.executable, "-m", "venv", cls.environment)
        cls.before = cls.files()
        cls.call(cls.environment / "bin/pip", "install", "--no-index", "--quiet", cls.wheel)

    @classmethod
    def call(cls, *command):
        clean = {name: value for name, value in os.environ.items() if name not in ("LD_LIBRARY_PATH", "PYTHONPATH")}
        done = subprocess.run([str(word) for word in command], cwd=cls.scratch, stdin=subprocess.DEVNULL, env=clean,
                              capture_output=True, text=True, timeout=200, check=False)
        if done.returncode != 0:
            raise AssertionError(f"{command}: {done.stdout}{done.stderr}")
        return done.stdout.strip()

    @classmethod
    def files(cls):
        return {path for path in cls.environment.rglob("*") if path.is_file() and "__pycache__" not in path.parts}

    def python(self, *words):
        return self.call(self.environment / "bin/python", *words)

    def test_its_name_says_what_it_needs(self):
        with zipfile.ZipFile(self.wheel) as archive:
            archive.extractall(self.scratch / "unpacked")
        major, minor = elf.newest_glibc(elf.files_in(self.scratch / "unpacked"))
        self.assertIn(f"-py3-none-manylinux_{major}_{minor}_", self.wheel.name)

    def test_it_tells_where_it_is(self):
        self.assertEqual(self.python("-m", "bowline", "prefix"), str(self.environment))
        lines = dict(line.split(None, 1) for line in self.python("-m", "bowline").splitlines())
        for name, place in lines.items():
            self.assertTrue(pathlib.Path(place).exists(), name)
        self.assertEqual(self.python("-m", "bowline", "mpicc"), lines["mpicc"])

    def test_a_program_of_its_mpicc_runs(self):
        self.call(self.environment / "bin/mpicc", ROOT / "tests/portable/written.c", "-o", "program")
        for launcher in ("mpiexec", "mpirun"):
            self.assertEqual(self.call(self.environment / "bin" / launcher, "-n", "2", "./program"),
                             "2 ranks have written 3 with Bowline")

    def test_programs_of_other_mpis_find_it(self):
        for abi, name in (("mpich", "libmpich.so.12"), ("mpich", "libmpi.so.12"), ("openmpi", "libmpi.so.40")):
            program = self.scratch / name
            self.call(f"mpicc.{abi}", ROOT / "tests/portable/written.c", "-o", program)
            if name == "libmpi.so.12":  # as MPICH itself calls it, without Debian
                self.call("patchelf", "--replace-needed", "libmpich.so.12", name, program)
            said = self.call(self.environment / "bin/mpiexec", "-n", "2", program)
            self.assertEqual(said, "2 ranks have written 3 with Bowline", name)
            # As mpi4py's own wheels do: they look into the environment's lib.
            self.call("patchelf", "--set-rpath", self.environment / "lib", program)
            if name != "libmpich.so.12":
                self.assertEqual(self.call(program), "1 ranks have written 1 with Bowline", name)

    def test_mpi4py_runs_on_it(self):
        has = subprocess.run([PYTHON_OF_DEBIAN, "-c", "import mpi4py"], capture_output=True, check=False)
        if has.returncode != 0:
            self.skipTest("mpi4py is not installed (Debian: python3-mpi4py)")
        said = self.call(self.environment / "bin/mpiexec", "-n", "2", PYTHON_OF_DEBIAN, "-c", MPI4PY)
        self.assertEqual(said.splitlines(), ["2 Bowline"] * 2)

    def test_uninstalling_leaves_nothing(self):
        again = self.environment / "bin/pip"
        installed = self.files()
        self.call(again, "uninstall", "--yes", "--quiet", "bowline-mpi")
        self.assertEqual(self.files(), self.before)
        self.call(again, "install", "--no-index", "--quiet", self.wheel)
        self.assertEqual(self.files(), installed)


if __name__ == "__main__":
    unittest.main()
