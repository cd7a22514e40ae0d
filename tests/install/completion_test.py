# SPDX-License-Identifier: BSD-3-Clause
"""Completion of the commands: bash, fish and zsh are asked what they offer behind beginnings of command lines."""
import os
import pathlib
import re
import shutil
import unittest

from installed import PREFIX, InstallTest
from commands_test import declared_names

SHELLS = pathlib.Path(__file__).resolve().parent / "shells"
COMMANDS = ["mpiexec", "mpicc", "mpicxx", "mpifort", "bowline-info", "bowline-ps", "bowline-report",
            "bowline-rendezvous", "bowline-sim"]
# Beginnings of lines, and what is offered behind them. Shells leave away what stands before the last comma or =.
OFFERS = {
    "mpiexec --bind-to=c": {"core"},
    "mpiexec --bind-to soc": {"socket"},
    "mpiexec -n 2 --display map,b": {"bindings"},
    "mpiexec -x COMPLETION_": {"COMPLETION_VARIABLE"},
    "mpiexec --wdir so": {"some folder"},
    "mpiexec -np 4 program_in_": {"program_in_path"},
    "mpiexec --genv A b -n 4 ./so": {"some folder"},
    "mpiexec -n 2 true inp": {"input.txt"},
    "mpiexec -n 2 true -": set(),
    "mpiexec -n 2 true : --stdi": {"--stdin"},
    "mpiexec --stdin n": {"none"},
    "mpirun.bowline --stream-buffering f": {"full"},
    "mpicc -showme:inc": {"-showme:incdirs"},
    "mpicc -O2 inp": {"input.txt"},
    "mpic++ -cxx=program_in_": {"program_in_path"},
    "bowline-info --coverage mi": {"missing"},
    "bowline-info --coverage mi --oversub": {"--oversubscribed"},
    "bowline-report --output inp": {"input.txt"},
    "bowline-sim --known node,sw": {"switch"},
}
# Options with values that the declaration lists, in commands that end soon.
VALUES = {"mpiexec --bind-to": "--explain true", "mpiexec --map-by": "--explain true",
          "mpiexec --rank-by": "--explain true", "mpiexec --display": "--explain true",
          "mpiexec --stream-buffering": "--explain true", "mpiexec --stdin": "--explain true",
          "mpiexec --output": "--explain true", "mpiexec --initial-errhandler": "--explain true",
          "bowline-info --coverage": "", "bowline-info --variables": "",
          "bowline-sim --placement": "--list", "bowline-sim --switches": "--list", "bowline-sim --known": "--list"}


class Completion(InstallTest):
    def setUp(self):
        super().setUp()
        (self.directory / "input.txt").touch()
        (self.directory / "some folder").mkdir()
        (self.directory / "path").mkdir()
        program = self.directory / "path/program_in_path"
        program.write_text("#!/bin/sh\n", encoding="utf-8")
        program.chmod(0o755)

    def offers(self, shell, folder, lines):
        """By line: what the shell offers."""
        program, *options = shell
        if not shutil.which(program):
            self.skipTest(f"there is no {program}")
        path = f"{PREFIX}/bin:{self.directory}/path:{os.environ['PATH']}"
        done = self.run_program(program, *options, SHELLS / f"complete.{program}", PREFIX / "share" / folder,
                                input="".join(f"{line}\n" for line in lines), PATH=path, COMPLETION_VARIABLE="1",
                                HOME=str(self.directory), TERM="dumb")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        found = {}
        for row in done.stdout.splitlines():
            if row.startswith("line "):
                offered = found.setdefault(row.removeprefix("line "), set())
            else:
                offered.add(row)
        self.assertEqual(list(found), list(lines))
        return found

    def check(self, *shell_and_folder):
        *shell, folder = shell_and_folder
        every = {f"{name} -": name for name in COMMANDS}
        found = self.offers(shell, folder, [*OFFERS, *every])
        for line, expected in OFFERS.items():
            whole = {line.split(" ")[-1].rpartition(sign)[0] + sign for sign in ",="} | {"./"}
            offered = {offer.replace("\\ ", " ").rstrip("/") for offer in found[line]}
            for before in whole:
                offered = {offer.removeprefix(before) for offer in offered}
            self.assertEqual(offered, expected, f"{shell}: {line}")
        for line, program in every.items():
            names = declared_names(self.output(PREFIX / "bin" / program, "--help"))
            self.assertGreater(len(names), 2)
            missing = [name for name in names if not {name, f"{name}="} & found[line]]
            self.assertEqual([], missing, f"{shell}: {line}")
        return found

    def test_bash(self):
        self.check("bash", "--norc", "bash-completion/completions")

    def test_fish(self):
        self.check("fish", "--no-config", "fish/vendor_completions.d")

    def test_zsh(self):
        self.check("zsh", "-f", "zsh/site-functions")

    def test_listed_values_are_accepted(self):
        folder = "bash-completion/completions"
        found = self.offers(["bash", "--norc"], folder, [f"{line} " for line in VALUES])
        for line, rest in VALUES.items():
            program, option = line.split()
            self.assertGreater(len(found[f"{line} "]), 1, line)
            for value in found[f"{line} "]:
                self.call(PREFIX / "bin" / program, option, value, *rest.split())

    def test_options_are_explained(self):
        """In the shells that show more than the name."""
        helps = re.findall(r"(?m)^  --\S+(?: \S+)? {2,}(\w.*)$", self.output(PREFIX / "bin/bowline-info", "--help"))
        self.assertGreater(len(helps), 10)
        for script in ("zsh/site-functions/_bowline-info", "fish/vendor_completions.d/bowline-info.fish"):
            text = (PREFIX / "share" / script).read_text(encoding="utf-8").replace("\\", "")
            self.assertEqual([], [each for each in helps if each not in text], script)

    def test_each_name_has_a_script(self):
        for name in os.listdir(PREFIX / "bin"):
            self.assertTrue((PREFIX / "share/bash-completion/completions" / name).exists(), name)
            self.assertTrue((PREFIX / f"share/fish/vendor_completions.d/{name}.fish").exists(), name)
        for name in COMMANDS:
            self.assertTrue((PREFIX / f"share/zsh/site-functions/_{name}").exists(), name)


if __name__ == "__main__":
    unittest.main()
