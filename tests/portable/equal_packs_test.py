# SPDX-License-Identifier: BSD-3-Clause
"""Two packs of the same build are equal, byte by byte."""
import hashlib
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["ROOT"])
BUILD = os.environ["BUILD"]


def pack(command, folder):
    """The name and the hash of what the command makes."""
    said = subprocess.run([ROOT / "packaging" / command, "--build", BUILD, folder], check=True, capture_output=True,
                          text=True, timeout=400).stdout
    (file,) = pathlib.Path(folder).iterdir()
    assert said.startswith(f"{file}: needs glibc 2."), said
    return file.name, hashlib.sha256(file.read_bytes()).hexdigest()


class EqualPacks(unittest.TestCase):
    def check(self, command):
        with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
            self.assertEqual(pack(command, first), pack(command, second))

    def test_tarballs(self):
        self.check("build-tarball")

    def test_wheels(self):
        self.check("build-wheel")


if __name__ == "__main__":
    unittest.main()
