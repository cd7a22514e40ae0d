# SPDX-License-Identifier: BSD-3-Clause
"""Commands by their other names: mpiexec.bowline and its kin, and through the links that update-alternatives makes."""
import pathlib
import unittest

from installed import PREFIX, SOURCE, InstallTest

NAMES = {"mpiexec": ["mpirun"], "mpicc": [], "mpicxx": ["mpic++", "mpiCC"], "mpifort": ["mpif90", "mpif77"]}


class Names(InstallTest):
    def alternative(self, name):
        """A link far from the installation, to a link, to the command: as /usr/bin/mpicc with alternatives."""
        for folder in ("bin", "alternatives"):
            (self.directory / folder).mkdir(exist_ok=True)
        (self.directory / "alternatives" / name).symlink_to(PREFIX / f"bin/{name}.bowline")
        (self.directory / "bin" / name).symlink_to(f"../alternatives/{name}")
        return self.directory / "bin" / name

    def test_all_are_the_same_program(self):
        for program, others in NAMES.items():
            for name in [*others, *(f"{name}.bowline" for name in [program, *others])]:
                path = PREFIX / "bin" / name
                self.assertEqual(path.readlink(), pathlib.Path(program), name)  # also after the tree has been moved

    def test_wrappers_know_their_language_and_files(self):
        for names, language in ((["mpicc"], "C"), (["mpicxx", "mpic++", "mpiCC"], "C++"),
                                (["mpifort", "mpif90", "mpif77"], "Fortran")):
            for name in names:
                wrapper = self.alternative(name)
                self.assertTrue(self.output(wrapper, "-showme:version").endswith(f"(Language: {language})"), name)
                self.assertIn(str(PREFIX / "include"), self.output(wrapper, "-showme:incdirs").splitlines())

    def test_launcher_finds_its_files(self):
        self.call(self.alternative("mpicc"), SOURCE, "-o", "ranks")
        for name in ("mpiexec", "mpirun"):
            said = self.output(self.alternative(name), "--explain", "-n", "1", "true")
            self.assertIn(f"{PREFIX}/lib/bowline/libbowline_audit.so", said)
        self.assertIn("sum of 3 ranks: 6", self.output(self.directory / "bin/mpiexec", "-n", "3", "./ranks"))


if __name__ == "__main__":
    unittest.main()
