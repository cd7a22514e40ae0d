# SPDX-License-Identifier: BSD-3-Clause
"""The recipes agree with what the project installs: each names files that are there, and the RPM all of them."""
import fnmatch
import os
import pathlib
import re
import shutil
import subprocess
import sysconfig
import tempfile
import unittest

import recipes
import spack_stub
from recipes import EASYBUILD, PACKAGING, SPACK, text_of

PREFIX = pathlib.Path(os.environ["PREFIX"])


def installed():
    return sorted(str(path.relative_to(PREFIX)) for path in PREFIX.rglob("*") if path.is_symlink() or path.is_file())


class Rpm(unittest.TestCase):
    # Files that the spec makes itself.
    OWN = ["/etc/modulefiles/mpi/bowline-x86_64", "/usr/lib/rpm/macros.d/macros.bowline-x86_64"]

    def sections(self):
        """The patterns of each %files section; of a pattern's folder all that is below."""
        patterns = {}
        for title, body in re.findall(r"(?ms)^%files *(\w*)\n(.*?)(?=^%(?:files|changelog))", recipes.rpm()):
            lines = [line for line in body.split("\n") if line and not line.startswith(("%dir", "%license"))]
            patterns[title] = ([line for line in lines if not line.startswith("%exclude")],
                               [line.split()[1] for line in lines if line.startswith("%exclude")])
        return patterns

    @staticmethod
    def matches(path, patterns):
        above = [path, *map(str, pathlib.PurePath(path).parents)]
        return [pattern for pattern in patterns if fnmatch.filter(above, pattern)]

    def test_files(self):
        files = self.OWN + [
            f"/usr/include/bowline-x86_64/{name[8:]}" if name.startswith("include/") else f"/usr/lib64/bowline/{name}"
            for name in installed()]
        used = set()
        for path in files:
            owners = []
            for title, (patterns, excluded) in self.sections().items():
                found = self.matches(path, patterns)
                used.update(found)
                if found and not self.matches(path, excluded):
                    owners.append(title)
            self.assertEqual(len(owners), 1, f"{path} is in the packages {owners} of packaging/rpm/bowline.spec; "
                                             "it must be in one")
        everything = {pattern for patterns, _ in self.sections().values() for pattern in patterns}
        self.assertEqual(everything - used, set(), "patterns of the spec file that match nothing")


class Conda(unittest.TestCase):
    def test_files(self):
        content = recipes.conda_package("bowline")["tests"][0]["package_contents"]
        names = [f"include/{name}" for name in content["include"]] + [f"bin/{name}" for name in content["bin"]]
        for name in names + content["files"]:
            self.assertTrue((PREFIX / name).exists(), name)

    def test_names_of_mpich(self):
        with tempfile.TemporaryDirectory() as folder:
            prefix = pathlib.Path(folder)
            shutil.copytree(PREFIX / "lib/bowline/mpich", prefix / "lib/bowline/mpich", symlinks=True)
            subprocess.run([PACKAGING / "conda/link-mpich.sh"], env=os.environ | {"PREFIX": folder}, check=True)
            names = recipes.conda_package("mpich")["tests"][0]["package_contents"]["files"]
            installed_names = [path.name for path in (PREFIX / "lib/bowline/mpich").iterdir()]
            self.assertEqual(sorted(names), sorted(f"lib/{name}" for name in installed_names))
            for name in names:
                self.assertTrue((prefix / name).is_file(), name)


class Others(unittest.TestCase):
    def test_spack(self):
        package = spack_stub.load(SPACK, [])[0].Bowline
        self.assertEqual(sorted(package.names_of_mpich),
                         sorted(path.name for path in (PREFIX / "lib/bowline/mpich").iterdir()))
        self.assertEqual(package.determine_version(PREFIX / "bin/bowline-info"), recipes.project_version())
        self.assertRegex("bowline-info", package.executables[0])

    def test_easybuild(self):
        text = text_of(EASYBUILD / "easyblocks/bowline.py")

        def names(constant):
            return re.findall(r'"([^"]+)"', re.search(rf"(?s){constant} = \((.*?)\)", text)[1])

        paths = [f"bin/{name}" for name in names("PROGRAMS")] + [f"include/{name}" for name in names("HEADERS")]
        paths += [f"lib/{name}.so" for name in names("LIBRARIES")] + [f"lib/bowline/{name}" for name in names("FRONTS")]
        paths += re.findall(r'"((?:lib|share)/[^"]*)"', text)
        self.assertGreater(len(paths), 20)
        self.assertEqual([], [path for path in paths if not (PREFIX / path).exists()])


class Docker(unittest.TestCase):
    LOADED = {"libibverbs1", "libpmix2", "librdmacm1", "libucx0"}  # by the library, if they are there

    def test_packages_at_run_time(self):
        """They are those whose libraries the installed files need."""
        libraries = set()
        for name in installed():
            path = PREFIX / name
            if not path.is_symlink() and path.read_bytes()[:4] == b"\x7fELF":
                said = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
                libraries |= set(re.findall(r"\(NEEDED\).*\[(.*)\]", said))
        self.assertIn("libhwloc.so.15", libraries)
        own = {pathlib.PurePath(name).name for name in installed()}
        folder = sysconfig.get_config_var("MULTIARCH")
        patterns = [f"/*lib/{folder}*/{name}" for name in libraries - own]
        done = subprocess.run(["dpkg-query", "-S", *patterns], capture_output=True, text=True, check=False)
        packages = {line.split(":")[0] for line in done.stdout.splitlines()}
        base = " ".join(arguments for word, arguments in recipes.docker_stages()["base"][1] if word == "RUN")
        packages.discard("libstdc++6")  # of builds that share the C++ library, which the recipe's does not
        self.assertEqual(set(recipes.installed_with_apt(base)), packages | self.LOADED)


if __name__ == "__main__":
    unittest.main()
