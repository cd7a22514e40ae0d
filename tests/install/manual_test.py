# SPDX-License-Identifier: BSD-3-Clause
"""The installed manual: man finds and shows its pages, and the programs in it compile, run, and print what it says."""
import json
import pathlib
import re
import shutil
import unittest

import at_once
from installed import PREFIX, SHARE, InstallTest

PAGES = PREFIX / "share/man"
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "docs/manual/examples"


class ManPages(InstallTest):
    def setUp(self):
        super().setUp()
        if not PAGES.exists():
            self.skipTest("the manual was not made: that needs Python 3.11")

    def needs(self, *programs):
        for program in programs:
            if shutil.which(program) is None:
                self.skipTest(f"{program} is not installed (scripts/setup check)")

    def shown(self, name):
        text = self.output("man", "-M", PAGES, name, MANPAGER="cat", MANWIDTH="100", LC_ALL="C.UTF-8")
        return re.sub(r".\x08|\x1b\[[0-9;]*m", "", text)

    def test_man_shows_a_page(self):
        self.needs("man")
        text = self.shown("MPI_Send")
        for words in ("MPI_Send, MPI_Send_c", "send a message", "int dest", "type(MPI_Comm), intent(in) :: comm",
                      "The rank of the receiver", "MPI_ERR_RANK", "MPI_Recv(3)", "PMPI_Send"):
            self.assertIn(words, text)

    def test_man_finds_further_names(self):
        self.needs("man")
        for name in ("MPI_Send_c", "MPIX_Comm_agree", "MPI_Comm_revoke"):
            self.assertIn("SYNOPSIS", self.shown(name))

    def test_one_line_of_each_page(self):
        """What `man -k` searches."""
        self.needs("lexgrog")
        files = sorted(path.name for path in (PAGES / "man3").glob("MPI_T_*.3"))
        lines = self.call("lexgrog", *(PAGES / "man3" / name for name in files)).stdout.splitlines()
        self.assertEqual(len(lines), len(files))
        self.assertIn('"MPI_T_cvar_read - read a control variable"', "\n".join(lines))

    def test_man_k(self):
        self.needs("man", "mandb")
        copy = self.directory / "man"
        copy.mkdir()
        (copy / "man3").mkdir()
        for name in ("MPI_Send.3", "MPI_Send_c.3", "MPI_Bcast.3"):
            shutil.copy(PAGES / "man3" / name, copy / "man3")
        self.call("mandb", "--quiet", "--user-db", copy)
        self.assertIn("send data from one process to all", self.output("man", "-M", copy, "-k", "one process to all"))

    def test_what_programs_read(self):
        functions = {f["name"]: f for f in json.loads((SHARE / "docs/api.json").read_text())["functions"]}
        self.assertEqual(len(functions), 503 + 12)
        self.assertEqual(functions["MPI_Send"]["parameters"][3]["meaning"],
                         "the rank of the receiver, or MPI_PROC_NULL")
        self.assertEqual(functions["MPI_Send"]["c"][0], "int MPI_Send(const void *buf, int count, "
                         "MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);")
        text = (SHARE / "llms.txt").read_text()
        for target in re.findall(r"^- \[[^]]*\]\(([^)]*)\): \S", text, flags=re.M):
            self.assertTrue((SHARE / target).is_file(), target)
        self.assertEqual(text.count("](docs/functions/MPI"), len(functions))
        self.assertNotRegex(text, r"\): *$")


class Examples(InstallTest):
    def check(self, source):
        text = source.read_text(encoding="utf-8")
        opening = re.match(r"(//.*\n)+", text)[0]
        processes, said = re.search(r"//     mpiexec -n (\d+) \./(?:\w+)\n((?://     .*\n)+)", opening).groups()
        expected = [line.removeprefix("//     ") for line in said.splitlines()]
        self.call(PREFIX / "bin/mpicc", "-Wall", "-Wextra", "-Werror", "-pthread", source, "-o", source.stem)
        done = self.call(PREFIX / "bin/mpiexec", "--oversubscribe", "-n", processes, f"./{source.stem}")
        self.assertEqual(sorted(done.stdout.splitlines()), sorted(expected), source.name)

    def test_programs_print_what_they_say(self):
        sources = sorted(EXAMPLES.glob("*.c"))
        self.assertGreater(len(sources), 30)
        for first in range(0, len(sources), 4):
            at_once.for_each(self.check, *((source,) for source in sources[first:first + 4]))


if __name__ == "__main__":
    unittest.main()
