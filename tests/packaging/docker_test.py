# SPDX-License-Identifier: BSD-3-Clause
"""Follows the Dockerfile without Docker: its stages are chroots on a fresh Debian, its RUN lines run in them, and what
the stage `build` would make is the installation of the tests. Programs are built in one image and run in the other."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import recipes

PREFIX = pathlib.Path(os.environ["PREFIX"])


class Image:
    """A folder with the files of a stage, and the user and the variables that its instructions set."""

    def __init__(self, folder):
        self.folder = folder
        self.user = "root"
        self.variables = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}

    def derive(self, folder):
        subprocess.run(["cp", "-a", self.folder, folder], check=True)
        image = Image(folder)
        image.user, image.variables = self.user, dict(self.variables)
        return image

    def run(self, command):
        """What the command prints. Its mounts end with it."""
        inside = f"mount --rbind /dev '{self.folder}/dev' && mount -t proc proc '{self.folder}/proc' && exec chroot " \
                 f"--userspec={self.user} '{self.folder}' sh -c \"$1\""
        done = subprocess.run(["unshare", "--mount", "sh", "-c", inside, "sh", command], env=self.variables, text=True,
                              capture_output=True, check=False, timeout=1200)
        if done.returncode:
            raise AssertionError(f"{command}: status {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
        return done.stdout

    def follow(self, word, arguments):
        if word == "RUN":
            self.run(arguments)
        elif word == "COPY":
            source, built, target = arguments.split()
            assert (source, built) == ("--from=build", "/opt/bowline"), arguments
            shutil.copytree(PREFIX, self.folder / target.lstrip("/"), symlinks=True)
        elif word == "ENV":
            for pair in arguments.split():
                name, value = pair.split("=", 1)
                self.variables[name] = value.replace("$PATH", self.variables["PATH"])
        elif word == "USER":
            self.user = arguments
        else:
            assert word == "CMD", word


class Docker(unittest.TestCase):
    def setUp(self):
        if shutil.which("debootstrap") is None or os.geteuid() != 0:
            self.skipTest("this needs debootstrap, and root")
        folder = tempfile.mkdtemp(prefix="bowline-docker-")
        self.addCleanup(shutil.rmtree, folder)
        self.folder = pathlib.Path(folder)

    def debian(self):
        """A fresh one; its apt asks where this machine's apt asks."""
        folder = self.folder / "debian"
        subprocess.run(["debootstrap", "--variant=minbase", "bookworm", folder], check=True, capture_output=True)
        for name in ("apt/sources.list", "apt/sources.list.d", "apt/apt.conf.d", "resolv.conf", "hosts"):
            source, target = pathlib.Path("/etc", name), folder / "etc" / name
            if source.is_dir():
                shutil.copytree(source, target, dirs_exist_ok=True)
            elif source.exists():
                shutil.copy(source, target)
        return Image(folder)

    def test_images(self):
        stages = recipes.docker_stages()
        images = {"debian:12-slim": self.debian()}
        for name in ("base", "develop", "runtime"):
            base, instructions = stages[name]
            images[name] = images[base].derive(self.folder / name)
            for word, arguments in instructions:
                images[name].follow(word, arguments)
        develop, runtime = images["develop"], images["runtime"]
        self.assertEqual((develop.user, runtime.user), ("nobody", "nobody"))
        examples = "/opt/bowline/share/bowline/examples"
        develop.run(f"mpicc {examples}/hello.c -o /tmp/hello && mpifort {examples}/halo.f90 -o /tmp/halo && "
                    "pkg-config --exists ompi-c")
        for program in ("hello", "halo"):
            shutil.copy(develop.folder / "tmp" / program, runtime.folder / "tmp" / program)
        said = runtime.run("mpiexec -n 2 /tmp/hello && bowline-info --version")
        self.assertIn("rank 1 of 2", said)
        self.assertIn("Bowline ", said)
        self.assertNotIn("not found", runtime.run("ldd /opt/bowline/bin/* /opt/bowline/lib/*.so* 2>/dev/null || true"))


if __name__ == "__main__":
    unittest.main()
