# SPDX-License-Identifier: BSD-3-Clause
"""Programs of a container image that has another MPI run on this machine's Bowline, as docs/containers.md says. The
image is a folder with a program that Debian's MPICH or Open MPI has built, and the libraries that it needs; the engine
is a script that binds the installation into the folder, and makes it the root, in a mount namespace of its own."""
import os
import pathlib
import shutil
import subprocess
import unittest

from installed import PREFIX, SOURCE, InstallTest

SCRIPT = "share/bowline/scripts/image-libraries"
MOUNTING = ["unshare", "--mount", "sh", "-c", "mount --bind / /mnt && mount -t proc proc /mnt/proc"]
# Nothing is mounted where the test sees it, so removing its folder removes no more than that.
ENGINE = """#!/bin/sh
exec unshare --mount sh -c '
image=$1; shift
mount --rbind {prefix} "$image{prefix}" && mount --rbind /dev "$image/dev" && mount --rbind /sys "$image/sys" &&
mount -t proc proc "$image/proc" && exec chroot "$image" "$@"' sh {image} "$@"
"""


def why_not(family):
    if os.geteuid() != 0:
        return "only root may change the root of a process"
    for program in ("unshare", "chroot", f"mpicc.{family}"):
        if shutil.which(program) is None:
            return f"{program} is not installed (scripts/setup check)"
    tried = subprocess.run(MOUNTING, capture_output=True, text=True, check=False)
    return None if tried.returncode == 0 else f"mounting is not possible here: {tried.stderr.strip()}"


def libraries_of(program):
    """The files that the loader takes, under the names that it looks for."""
    lines = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout.splitlines()
    words = [line.split() for line in lines]
    return [pathlib.Path(word) for line in words for word in line if word.startswith("/")]


class Image(InstallTest):
    """Not tests, but what those of one family of MPI share."""
    FOLDER = "image-"  # in a list of folders for the loader, spaces are separators
    family = None

    def setUp(self):
        reason = why_not(self.family)
        if reason:
            self.skipTest(reason)
        super().setUp()
        self.prefix, self.image = self.directory / "bowline", self.directory / "image"
        shutil.copytree(PREFIX, self.prefix, symlinks=True)
        self.make_image()
        self.engine = self.directory / "engine"
        self.engine.write_text(ENGINE.format(prefix=self.prefix, image=self.image), encoding="utf-8")
        self.engine.chmod(0o755)

    def make_image(self):
        for name in ("dev", "sys", "proc", "tmp", str(self.prefix)[1:]):
            (self.image / name).mkdir(parents=True)
        program = self.image / "program"
        self.call(f"mpicc.{self.family}", SOURCE, "-o", program)
        libraries = libraries_of(program)
        folder = next(library.parent for library in libraries if library.name.startswith("libc."))
        for library in libraries:
            for name in {library, folder / library.name}:  # the loader is in another folder than the others
                target = self.image / str(name)[1:]
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(library, target)
                target.chmod(0o755)

    def check_ranks(self, *command, **environment):
        done = self.call(*command, **environment)
        self.assertIn("sum of 3 ranks: 6", done.stdout)
        self.assertEqual(done.stderr, "")

    def check_both_ways(self):
        said = self.output(self.prefix / SCRIPT, self.prefix, self.engine)
        libraries = {}
        if "the image has every library" not in said:
            path = self.prefix / "lib/bowline/image"
            self.assertIn(f"ranks in the image need LD_LIBRARY_PATH={path}", said)
            libraries = {"LD_LIBRARY_PATH": str(path)}
        options = [word for name, value in libraries.items() for word in ("-x", f"{name}={value}")]
        self.check_ranks(self.prefix / "bin/mpiexec", *options, "-n", "3", self.engine, "/program")
        self.check_ranks(self.engine, self.prefix / "bin/mpiexec", "-n", "3", "/program", **libraries)


class ImageOfMpich(Image):
    family = "mpich"

    def test_runs_on_bowline(self):
        self.check_both_ways()
        self.check_what_the_script_refuses()

    def check_what_the_script_refuses(self):
        def refused(*words):
            return self.call(self.prefix / SCRIPT, *words, status=1).stderr

        self.assertIn("needed are PREFIX, and the command", refused(self.prefix))
        self.assertIn(f"{self.image}/lib/libmpi_abi.so.1 does not exist", refused(self.image, self.engine))
        self.assertIn("bind it into the image at the same path", refused(self.prefix, "chroot", self.image))


class ImageOfOpenMpi(Image):
    family = "openmpi"

    def test_runs_on_bowline(self):
        self.check_both_ways()


if __name__ == "__main__":
    unittest.main()
