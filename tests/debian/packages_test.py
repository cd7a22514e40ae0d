# SPDX-License-Identifier: BSD-3-Clause
"""The Debian packages: built twice and equal, without a word of lintian's, and used in a small system of their own.

PACKAGES in the environment may name a folder with built packages, for work on the tests: then none are built.
"""
import itertools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import chroot
import listing
from chroot import call

SOURCE = pathlib.Path(__file__).resolve().parents[2]
CANNOT = 77
PEERS = ("openmpi-bin", "libopenmpi-dev", "mpich", "libmpich-dev")
COMPILERS = ("cmake", "gcc", "g++", "gfortran", "make", "pkg-config")
GROUPS = {"mpirun": "/usr/bin/mpirun.{}", "mpi": "/usr/bin/mpicc.{}"}
USER = "someone"


def packages(folder):
    return sorted(path for path in pathlib.Path(folder).glob("*.deb") if "-dbgsym_" not in path.name)


def field(package, name):
    return call(["dpkg-deb", "--field", package, name]).strip()


def built(folder, **variables):
    """Builds the packages in the folder, without what a compiler's cache has."""
    call([SOURCE / "packaging/build-deb", folder], env=os.environ | {"CCACHE_DISABLE": "1"} | variables)
    return folder


def unlike(one, other):
    """The files of two packages that differ."""
    with tempfile.TemporaryDirectory() as work:
        for package, name in ((one, "one"), (other, "other")):
            call(["dpkg-deb", "--raw-extract", package, f"{work}/{name}"])
        return listing.difference(listing.listing(f"{work}/one"), listing.listing(f"{work}/other"))


def setUpModule():
    global work, first
    missing = [tool for tool in ("dpkg-buildpackage", "dh", "lintian") if shutil.which(tool) is None]
    if missing:
        print(f"skipped: these programs are missing: {' '.join(missing)}; scripts/setup packages installs them")
        sys.exit(CANNOT)
    work = pathlib.Path(tempfile.mkdtemp(prefix="bowline-packages-"))
    unittest.addModuleCleanup(shutil.rmtree, work)
    first = pathlib.Path(os.environ.get("PACKAGES") or built(work / "first"))


class Building(unittest.TestCase):
    def test_equal(self):
        """Another folder, another zone of time, another language, another number of compilers at a time."""
        second = built(work / "in/another/place", TZ="Pacific/Kiritimati", LC_ALL="C", DEB_BUILD_OPTIONS="parallel=3",
                       USER="someone-else")
        names = sorted(path.name for path in first.glob("*.deb"))
        self.assertEqual(names, sorted(path.name for path in second.glob("*.deb")))
        for name in names:
            if (first / name).read_bytes() != (second / name).read_bytes():
                self.fail(f"{name} differs: {unlike(first / name, second / name)}")

    def test_lintian(self):
        done = subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning", "--tag-display-limit", "0",
                               *first.glob("*.changes")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_no_build_folder(self):
        for package in first.glob("*.deb"):
            with tempfile.TemporaryDirectory() as folder:
                call(["dpkg-deb", "--extract", package, folder])
                found = subprocess.run(["grep", "-rlaF", f"{SOURCE}\n{first}\nbowline-packages-", folder],
                                       capture_output=True, text=True, check=False).stdout
            self.assertEqual(found, "", package.name)


class Installation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            cls.base = chroot.Chroot.make(work / "base")
        except chroot.Unusable as why:
            raise unittest.SkipTest(str(why)) from why
        cls.base.install(*COMPILERS)
        cls.base.run("useradd", "--create-home", USER)
        own = {field(package, "Package") for package in packages(first)}
        needs = {need.strip() for package in packages(first) for name in ("Depends", "Recommends")
                 for need in field(package, name).split(",") if need.strip()}
        needs = sorted(need for need in needs if need.split()[0] not in own)
        cls.base.run("apt-get", "satisfy", "-y", "-qq", ", ".join(needs))
        for folder, place in (("tests/install/consumer",) * 2, ("tests/debian",) * 2,
                              ("packaging/debian/tests", "debian/tests")):
            shutil.copytree(SOURCE / folder, cls.base.root / "usr/src/bowline" / place)

    def setUp(self):
        self.system = self.base.copied(work / self.id().rpartition(".")[2])
        self.addCleanup(shutil.rmtree, self.system.root)

    def install(self):
        """Also checks that the system has what the packages need, so that they bring nothing else."""
        folder = self.system.root / "tmp/packages"
        folder.mkdir()
        for package in packages(first):
            shutil.copy(package, folder)
        said = self.system.run("sh", "-c", "apt-get install -y /tmp/packages/*.deb")
        self.assertIn(f"0 upgraded, {len(packages(first))} newly installed", said)
        self.assertNotIn("update-alternatives: warning", said)

    def purge(self, before):
        names = [field(package, "Package") for package in packages(first)]
        self.system.run("apt-get", "purge", "-y", *names)
        self.assertEqual(listing.difference(before, listing.listing(self.system.root)), [])

    def as_user(self, *words):
        return self.system.run("env", f"--chdir=/home/{USER}", *words, user=USER)

    def front_ends(self, ending):
        self.as_user("/usr/src/bowline/debian/tests/front-ends", ending)

    def leads_to(self, name):
        return self.system.run("readlink", "-f", name).strip()

    def choose(self, who):
        """In all three groups."""
        triplet = call(["dpkg-architecture", "-qDEB_HOST_MULTIARCH"]).strip()
        headers = {"openmpi": f"/usr/lib/{triplet}/openmpi/include", "mpich": f"/usr/include/{triplet}/mpich",
                   "bowline": f"/usr/lib/{triplet}/bowline/include"}
        for group, path in GROUPS.items():
            self.system.run("update-alternatives", "--set", group, path.format(who))
        self.system.run("update-alternatives", "--set", f"mpi-{triplet}", headers[who])

    def test_alone(self):
        before = listing.listing(self.system.root)
        self.install()
        self.front_ends("")
        self.front_ends(".bowline")
        self.assertIn("suppressions /usr/", self.as_user("bowline-info"))
        for page in (self.system.root / "usr/share/man/man1").glob("mpi*.bowline.1.gz"):
            self.assertEqual(self.leads_to(f"/usr/share/man/man1/{page.name.replace('.bowline', '')}"),
                             self.leads_to(f"/usr/share/man/man1/{page.name}"))
        self.purge(before)

    def test_beside_others(self):
        """Bowline changes nothing for users of the others, runs their programs, and takes over when it is chosen."""
        self.system.install(*PEERS)
        before = listing.listing(self.system.root)
        for peer in ("openmpi", "mpich"):
            self.as_user(f"mpicc.{peer}", "/usr/src/bowline/tests/install/consumer/ranks.c", "-o", peer)
            self.as_user(f"mpicc.{peer}", "/usr/src/bowline/tests/debian/version.c", "-o", f"{peer}-version")
        led = {name: self.leads_to(f"/usr/bin/{name}") for name in ("mpicc", "mpifort", "mpiexec")}
        self.install()
        self.assertEqual(led, {name: self.leads_to(f"/usr/bin/{name}") for name in led})
        self.front_ends(".bowline")
        for peer in ("openmpi", "mpich"):
            self.assertIn("sum of 3 ranks: 6", self.as_user("mpiexec.bowline", "-n", "3", f"./{peer}"))
            self.assertIn("Bowline", self.as_user("mpiexec.bowline", "-n", "1", f"./{peer}-version"))
        for who in ("bowline", "openmpi", "mpich", "bowline"):
            self.choose(who)
            for name in ("mpicc", "mpifort", "mpiexec"):
                self.assertEqual(self.leads_to(f"/usr/bin/{name}"), self.leads_to(f"/usr/bin/{name}.{who}"))
        self.front_ends("")
        for group in itertools.chain(GROUPS, self.groups_of_headers()):
            self.system.run("update-alternatives", "--auto", group)
        self.purge(before)

    def groups_of_headers(self):
        folder = self.system.root / "var/lib/dpkg/alternatives"
        return [path.name for path in folder.glob("mpi-*-*")]


if __name__ == "__main__":
    unittest.main()
