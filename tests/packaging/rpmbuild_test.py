# SPDX-License-Identifier: BSD-3-Clause
"""Builds the RPM packages from what git has of this checkout, unpacks them and runs ranks."""
import os
import pathlib
import shutil
import subprocess
import unittest

import recipes

WORK = pathlib.Path(os.environ["WORK"])


class RpmBuild(unittest.TestCase):
    def run_in(self, *command, **options):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
        return done.stdout

    def test_packages(self):
        for program in ("rpmbuild", "rpm2cpio", "cpio"):
            if shutil.which(program) is None:
                self.skipTest(f"there is no {program}")
        shutil.rmtree(WORK / "RPMS", ignore_errors=True)
        (WORK / "SOURCES").mkdir(parents=True, exist_ok=True)
        name = f"bowline-{recipes.project_version()}"
        self.run_in("git", "-C", recipes.ROOT, "-c", f"safe.directory={recipes.ROOT}", "archive", f"--prefix={name}/",
                    "-o", WORK / f"SOURCES/{name}.tar.gz", "HEAD")
        # The packages that it needs have other names in Debian.
        self.run_in("rpmbuild", "-bb", "--nodeps", "--define", f"_topdir {WORK}", "--define",
                    f"_smp_mflags -j{os.cpu_count()}", "--define", "optflags -O2", recipes.SPEC)
        packages = sorted((WORK / "RPMS").rglob("*.rpm"))
        self.assertEqual(len(packages), 3)
        tree = WORK / "tree"
        shutil.rmtree(tree, ignore_errors=True)
        tree.mkdir()
        for package in packages:
            self.run_in("bash", "-c", f"rpm2cpio '{package}' | cpio -idm --quiet", cwd=tree)
        prefix = tree / "usr/lib64/bowline"
        self.run_in(prefix / "bin/mpicc", prefix / "share/bowline/examples/hello.c", "-o", "hello", cwd=tree)
        said = self.run_in(prefix / "bin/mpiexec", "-n", "2", "./hello", cwd=tree)
        self.assertIn("rank 1 of 2", said)


if __name__ == "__main__":
    unittest.main()
