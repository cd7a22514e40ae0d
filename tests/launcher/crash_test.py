# SPDX-License-Identifier: BSD-3-Clause
"""A rank that crashes says where, and mpiexec says what the others were doing."""
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import unittest

import at_once
from launcher_case import LauncherCase

PROGRAM, LIBRARY = os.environ["CRASHING_RANK"], os.environ["LIBRARY"]
HOST = socket.gethostname()
SOURCE = r"\(crashing_rank\.cpp:\d+\)"


class Crash(LauncherCase):
    def page(self, how, number, program=PROGRAM, **settings):
        """What the job writes to standard error when rank 1 crashes with this signal."""
        done = self.run_mpiexec("--timeout", 60, "-n", 3, program, how, env=self.environment | settings)
        self.assertEqual(done.returncode, 128 + number, done.stderr)
        self.assertIn(f"mpiexec: rank 1 on {HOST} was killed by signal {int(number)}", done.stderr)
        return done.stderr

    def test_the_stack_has_functions_and_lines(self):
        for how, number, frames in (
                ("store", signal.SIGSEGV, ["store", "main"]),
                ("sent", signal.SIGBUS, ["main"]),
                ("sent_by_another", signal.SIGABRT, ["main"]),
                ("throw", signal.SIGABRT, ["abort", "main"]),
                ("operator", signal.SIGSEGV, ["store", "store_in_operator", "MPI_Reduce_local", "reduce", "main"]),
                ("bad_buffer", signal.SIGSEGV, ["MPI_Send", "main"]),
                ("thread", signal.SIGSEGV, ["store"])):
            with self.subTest(how):
                page = self.page(how, number)
                title = rf"rank 1 on {re.escape(HOST)} crashed with signal {int(number)} .*\) in:"
                head = re.search(rf"^{title}\n((  .*\n)+)", page, re.MULTILINE)
                self.assertIsNotNone(head, page)
                places = [frame.strip() for frame in head[1].splitlines()]
                found = [next((i for i, place in enumerate(places) if re.search(rf"\b{frame}\b", place)), None)
                         for frame in frames]
                self.assertNotIn(None, found, page)
                self.assertEqual(found, sorted(found), page)
                if "main" in frames:
                    self.assertRegex(places[-1], rf"main.* {SOURCE}$")
                self.assertNotRegex(head[1], "PMPI|bowline_")
                self.assertNotIn("bowline::", head[1], "the library's own functions are left out")

    def test_debug_information_without_a_table_of_addresses(self):
        """clang writes no such table."""
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "crashing_rank")
            subprocess.run(["objcopy", "--remove-section=.debug_aranges", PROGRAM, program], check=True)
            self.assertRegex(self.page("store", signal.SIGSEGV, program), rf"store\(\) {SOURCE}\n +main {SOURCE}\n")

    def test_an_overflow_of_the_stack(self):
        self.assertRegex(self.page("overflow", signal.SIGSEGV), rf"deeper\(int\) {SOURCE}, \d+ times\n")

    def test_an_address(self):
        self.assertIn("(SIGSEGV, an invalid address: 0x0)", self.page("store", signal.SIGSEGV))

    def test_what_the_others_were_doing(self):
        for _ in range(5):  # a rank may not wait yet
            others = self.page("late", signal.SIGSEGV).partition("was killed by")[2]
            if re.search(rf"in MPI_Barrier on MPI_COMM_WORLD, operation 1, awaiting rank \d {SOURCE}, for ", others):
                break
        else:
            self.fail(others)

    def test_handlers_of_the_program(self):
        for how in ("own_handler", "late_handler"):
            with self.subTest(how):
                done = self.run_mpiexec("--timeout", 60, "-n", 2, PROGRAM, how)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn("the program's own handler", done.stderr)
                self.assertNotIn("crashed with", done.stderr)

    def test_off(self):
        self.assertNotIn("crashed with", self.page("store", signal.SIGSEGV, BOWLINE_BACKTRACE="0"))

    def test_without_the_program_that_knows_lines(self):
        """The addresses remain, as the C library writes them."""
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(LIBRARY, folder)  # the program is found beside the library
            page = self.page("store", signal.SIGSEGV, LD_LIBRARY_PATH=folder)
        self.assertRegex(page, r"crashed with signal 11 .* in:\n(.*\(.*\)\[0x[0-9a-f]+\]\n)+")


if __name__ == "__main__":
    at_once.main()
