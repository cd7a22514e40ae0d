# SPDX-License-Identifier: BSD-3-Clause
"""packaging/debian with what is installed: each file in one package, and names offered to Debian's alternatives that
exist. debhelper distributes the files as in a build of the packages."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PREFIX = pathlib.Path(os.environ["PREFIX"])
SOURCE = pathlib.Path(__file__).resolve().parents[2]
DEBIAN = SOURCE / "packaging/debian"
SCRIPTS = ("postinst", "prerm")
RECORDER = '#!/bin/sh\necho "$*" >>"$CALLS"\n'
CANNOT = 77


def output(*words, **options):
    words = [str(word) for word in words]
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def setUpModule():
    """Does what debian/rules does after the installation, until the packages would be written."""
    global tree, triplet, packages, root
    if shutil.which("dh_install") is None:
        print("skipped: debhelper is missing; scripts/setup check installs it")
        sys.exit(CANNOT)
    folder = tempfile.TemporaryDirectory(prefix="bowline-lists-")
    unittest.addModuleCleanup(folder.cleanup)
    tree = pathlib.Path(folder.name)
    shutil.copytree(DEBIAN, tree / "debian")
    triplet = output("dpkg-architecture", "-qDEB_HOST_MULTIARCH").strip()
    root = tree / "debian/tmp"
    prefix = root / "usr/lib" / triplet / "bowline"
    prefix.parent.mkdir(parents=True)
    subprocess.run(["cp", "-a", PREFIX, prefix], check=True)
    for words in (["sh", "debian/arrange.sh", "debian/tmp", triplet],
                  ["make", "-sf", "debian/rules", "override_dh_install"],
                  ["dh_link"], ["dh_compress"], ["dh_installdeb"]):
        subprocess.run(words, cwd=tree, check=True)
    packages = output("dh_listpackages", cwd=tree).split()


def owners():
    """The packages that have a path, for each."""
    found = {}
    for package in packages:
        place = tree / "debian" / package
        for path in place.rglob("*"):
            if path.is_symlink() or not path.is_dir():
                if "DEBIAN" not in path.parts:
                    found.setdefault(str(path.relative_to(place)), []).append(package)
    return found


class Lists(unittest.TestCase):
    def test_each_file_is_in_one_package(self):
        subprocess.run(["dh_missing", "--fail-missing"], cwd=tree, check=True)
        self.assertEqual({path: those for path, those in owners().items() if len(those) > 1}, {})

    def test_each_list_is_of_a_package(self):
        names = {path.name.rpartition(".")[0] for path in DEBIAN.iterdir()
                 if path.suffix in (".install", ".links", ".postinst", ".prerm")}
        self.assertEqual(names - set(packages), set())
        self.assertEqual({package for package in packages if not (tree / "debian" / package / "usr").exists()}, set())

    def test_links_lead_somewhere(self):
        """In all packages together: each depends on those that it needs."""
        merged = tree / "merged"
        for package in packages:
            subprocess.run(["cp", "-a", f"{tree}/debian/{package}/.", merged], check=True)
        (merged / "usr/share/doc/bowline-doc/copyright").touch()  # dh_installdocs writes it
        links = [path for path in merged.rglob("*") if path.is_symlink()]
        self.assertGreater(len(links), 20)
        for link in links:
            target = os.readlink(link)
            place = merged / target.lstrip("/") if target.startswith("/") else link.parent / target
            self.assertTrue(place.exists(), f"{link.relative_to(merged)} -> {target}")

    def test_version(self):
        version = re.search(r"project\(bowline VERSION (\S+)", (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8"))
        self.assertRegex(output("dpkg-parsechangelog", "-l", DEBIAN / "changelog", "--show-field", "Version"),
                         rf"^{re.escape(version[1])}-0bowline\d+\n$")

    def test_what_the_build_needs(self):
        setup = (SOURCE / "scripts/setup").read_text(encoding="utf-8")
        wanted = set(re.search(r"(?s)build_packages=\((.*?)\)", setup)[1].split()) - {"make"}  # Ninja is used
        control = (DEBIAN / "control").read_text(encoding="utf-8")
        named = re.search(r"(?s)Build-Depends:(.*?)\n\S", control)[1]
        self.assertEqual(wanted - {re.match(r"[\w.+-]+", word.strip())[0] for word in named.split(",") if word.strip()},
                         set())

    def test_pkgconfig(self):
        """The files hold for the place in which the package has them."""
        for file in (root / "usr/lib" / triplet / "pkgconfig").iterdir():
            flags = output("pkg-config", "--cflags-only-I", file)
            folders = [word.removeprefix("-I") for word in flags.split()]
            self.assertTrue(folders)
            for folder in folders:
                self.assertTrue((root / folder.lstrip("/")).is_dir(), folder)

    def test_manual_pages(self):
        """Other MPI libraries have pages of the same names."""
        pages = [path for path in owners() if path.startswith("usr/share/man/")]
        for page in pages:
            self.assertRegex(page, r"/(bowline[\w-]*\.[17]|[\w+]+\.bowline\.1|\w+\.3bowline)(\.gz)?$")


class Alternatives(unittest.TestCase):
    def calls(self, package, script, action):
        """What the script calls update-alternatives with."""
        with tempfile.TemporaryDirectory() as folder:
            recorder = pathlib.Path(folder) / "update-alternatives"
            recorder.write_text(RECORDER, encoding="utf-8")
            recorder.chmod(0o755)
            file = tree / "debian" / package / "DEBIAN" / script
            output("sh", "-n", file)
            output("sh", file, action, env={"PATH": f"{folder}:{os.environ['PATH']}", "CALLS": f"{folder}/calls"})
            return [line.split() for line in (pathlib.Path(folder) / "calls").read_text(encoding="utf-8").splitlines()]

    def offered(self):
        """(group, link, name, path) of each link, the group's own first."""
        for package in ("bowline-bin", "libbowline-dev"):
            for words in self.calls(package, "postinst", "configure"):
                self.assertEqual(words[0], "--install")
                self.assertLess(int(words[4]), 40)
                yield words[2], words[1], words[2], words[3]
                self.assertEqual(words[5::4], ["--slave"] * len(words[5::4]))
                for link, name, path in zip(words[6::4], words[7::4], words[8::4], strict=True):
                    yield words[2], link, name, path

    def test_paths_exist(self):
        offered = list(self.offered())
        self.assertEqual({group for group, *_ in offered}, {"mpi", "mpirun", f"mpi-{triplet}"})
        for _, _, _, path in offered:
            self.assertTrue((root / path.lstrip("/")).exists(), path)

    def test_names_are_those_of_the_others(self):
        """update-alternatives refuses a name or link that a group has with another partner."""
        database = pathlib.Path("/var/lib/dpkg/alternatives")
        if not all((database / group).exists() for group in ("mpi", "mpirun", f"mpi-{triplet}")):
            self.skipTest("no other MPI library is installed; scripts/setup check installs two")
        known = {}
        for group in ("mpi", "mpirun", f"mpi-{triplet}"):
            lines = (database / group).read_text(encoding="utf-8").split("\n\n")[0].splitlines()[1:]
            known[group] = dict(zip([group] + lines[1::2], lines[::2]))
        for group, link, name, _ in self.offered():
            self.assertEqual(known[group].get(name, link), link)
            self.assertNotIn(link, [taken for other, taken in known[group].items() if other != name])

    def test_taken_back(self):
        installed = {(group, path) for group, _, name, path in self.offered() if name == group}
        removed = {tuple(words[1:]) for package in ("bowline-bin", "libbowline-dev")
                   for words in self.calls(package, "prerm", "remove") if words[0] == "--remove"}
        self.assertEqual(installed, removed)
        self.assertEqual(len(removed), 3)

    def test_scripts_stop_at_the_first_error(self):
        for path in DEBIAN.iterdir():
            if path.suffix.lstrip(".") in SCRIPTS:
                text = path.read_text(encoding="utf-8")
                self.assertIn("\nset -e\n", text, path.name)
                self.assertTrue(text.endswith("\n#DEBHELPER#\n"), path.name)


if __name__ == "__main__":
    unittest.main()
