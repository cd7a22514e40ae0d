# SPDX-License-Identifier: BSD-3-Clause
"""`cmake --install` with DESTDIR, and the target that takes away what it has installed."""
import os
import pathlib
import unittest

from installed import InstallTest

BUILD = pathlib.Path(os.environ["BUILD"])
SOURCES = pathlib.Path(__file__).resolve().parents[2]
MANIFEST = BUILD / "install_manifest.txt"


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_symlink() or path.is_file())


class Uninstall(InstallTest):
    def setUp(self):
        super().setUp()
        # The manifest may be that of the user's own installation.
        kept = MANIFEST.read_text(encoding="utf-8") if MANIFEST.exists() else None
        self.addCleanup(lambda: MANIFEST.unlink(missing_ok=True) if kept is None
                        else MANIFEST.write_text(kept, encoding="utf-8"))
        self.root = self.directory / "root"

    def install(self, prefix):
        self.call("cmake", "--install", BUILD, "--prefix", prefix, DESTDIR=str(self.root))
        return files_below(self.root)

    def uninstall(self):
        """With a slash at the end, as some write it."""
        return self.output("cmake", "--build", BUILD, "--target", "uninstall", DESTDIR=f"{self.root}/")

    def test_folder_of_its_own(self):
        files = self.install("/opt/bowline")
        self.assertEqual([], [name for name in files if not name.startswith("opt/bowline/")])
        self.assertEqual(sorted(MANIFEST.read_text(encoding="utf-8").split("\n")), sorted("/" + name for name in files))
        self.check_names_no_folder_of_the_build(files)

        foreign = ["opt/bowline/lib/bowline/fortran/other/mpi.mod", "opt/bowline/share/.notes", "opt/other/file"]
        for name in foreign:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).touch()
        said = self.uninstall()
        self.assertEqual(files_below(self.root), sorted(foreign))
        self.assertIn(f"removed {len(files)} of {len(files)} installed files", said)
        for name in ("opt/bowline/lib/bowline/fortran/other", "opt/bowline/share/.notes"):
            self.assertIn(f"{self.root / name} stays: the installation did not put it there", said)
        self.assertIn(f"removed 0 of {len(files)} installed files", self.uninstall())

    def check_names_no_folder_of_the_build(self, files):
        """Debug information, which other builds have, names sources."""
        if os.environ["BUILD_TYPE"] != "Release":
            return
        words = [str(path).encode() for path in (self.root, BUILD, SOURCES)]
        self.assertEqual([], [name for name in files for word in words if word in (self.root / name).read_bytes()])

    def test_prefix_that_others_use(self):
        self.install("/usr")
        self.uninstall()
        folders = {str(path.relative_to(self.root)) for path in self.root.rglob("*")}
        self.assertIn("usr/bin", folders)
        self.assertEqual(set(), {path for path in folders if "bowline" in path.lower()})
        self.assertEqual([], files_below(self.root))

    def test_nothing_installed(self):
        MANIFEST.unlink(missing_ok=True)
        done = self.call("cmake", f"-DMANIFEST={MANIFEST}", "-P", SOURCES / "packaging/cmake/uninstall.cmake", status=1)
        self.assertIn("so nothing was installed from this build directory", " ".join(done.stderr.split()))


if __name__ == "__main__":
    unittest.main()
