# SPDX-License-Identifier: BSD-3-Clause
"""Debuggers find the ranks of a job by MPIR: gdb takes the part of a parallel debugger."""
import os
import pathlib
import re
import subprocess
import unittest

from debugger_case import PROGRAM, DebuggerCase
from launcher_case import MPIEXEC, eventually, fields

UP_TO_BREAKPOINT = ("-ex", "break main", "-ex", "run", "-ex", "set var MPIR_being_debugged = 1", "-ex",
                    "break MPIR_Breakpoint", "-ex", "continue")
TABLE = ("-ex", "print MPIR_debug_state", "-ex", "print MPIR_proctable[0]@MPIR_proctable_size")
ENTRY = re.compile(r'host_name = 0x\w+ "([^"]+)",\s+executable_name = 0x\w+ "([^"]+)",\s+pid = (\d+)')


class Mpir(DebuggerCase):
    def setUp(self):
        super().setUp()
        self.need_gdb()

    def gdb(self, *words):
        done = subprocess.run(["gdb", "-nx", "-batch", *map(str, words)], stdin=subprocess.DEVNULL, text=True,
                              timeout=60, capture_output=True, env=self.environment, cwd=self.directory, check=False)
        return done.stdout

    def check_table(self, text, number):
        """Returns the process ids."""
        self.assertIn("$1 = 1", text)
        entries = ENTRY.findall(text)
        self.assertEqual(len(entries), number, text)
        self.assertEqual({(host, program) for host, program, _ in entries}, {(os.uname().nodename, PROGRAM)})
        processes = [int(process) for *_, process in entries]
        self.assertEqual(len(set(processes)), number)
        return processes

    def test_attach(self):
        job = self.start_computing(3)
        told = [rank["process"] for rank in self.ranks(job)]
        self.assertEqual(self.check_table(self.gdb("-p", job.pid, *TABLE), 3), told)
        self.assertEqual([rank["process"] for rank in self.ranks(job)], told)
        self.kill_mpiexec(job)

    def test_ranks_wait_until_the_debugger_continues(self):
        look = "while [ $(ls begun.* | wc -l) != 3 ]; do sleep 0.1; done; sleep 1; ls > seen"
        program = f"touch begun.$PMIX_RANK; {PROGRAM} end end end; touch ended.$PMIX_RANK"
        text = self.gdb(*UP_TO_BREAKPOINT, *TABLE, "-ex", f"shell {look}", "-ex", "continue", "--args", MPIEXEC, "-n",
                        3, "sh", "-c", program)
        self.assertEqual(len(ENTRY.findall(text)), 3, text)
        self.assertNotIn("ended", (self.directory / "seen").read_text(encoding="utf-8"))
        self.assertEqual(len(list(self.directory.glob("ended.*"))), 3)
        self.assertIn("exited normally", text)

    def test_gate_of_a_rank(self):
        """The debugger lets ranks go by themselves while mpiexec stands still."""
        command = ["gdb", "-nx", "-batch", *UP_TO_BREAKPOINT, *TABLE, "-ex",
                   "shell while [ ! -e go ]; do sleep 0.1; done", "-ex", "continue", "--args", MPIEXEC, "-n", "2",
                   PROGRAM, "end", "end"]
        starter = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                                   stderr=subprocess.DEVNULL, env=self.environment, cwd=self.directory)
        self.addCleanup(self.stop, starter)
        seen = ""
        while len(ENTRY.findall(seen)) < 2:
            line = starter.stdout.readline()
            self.assertTrue(line, seen)
            seen += line
        processes = self.check_table(seen, 2)
        loaded = lambda pid: "libmpi_abi" in pathlib.Path(f"/proc/{pid}/maps").read_text(encoding="utf-8")
        for process in processes:
            self.assertTrue(eventually(lambda pid=process: loaded(pid)))
            self.gdb("-p", process, "-ex", "set var MPIR_debug_gate = 1")
        self.assertTrue(eventually(lambda: all(self.has_ended(process) for process in processes)))
        (self.directory / "go").touch()
        self.assertIn("exited normally", starter.communicate(timeout=60)[0])

    @staticmethod
    def has_ended(process):
        try:
            return fields(process)[0] == "Z"
        except (FileNotFoundError, ProcessLookupError):
            return True

    def test_abort(self):
        text = self.gdb(*UP_TO_BREAKPOINT, "-ex", "continue", "-ex", "print MPIR_debug_state",
                        "-ex", "print MPIR_debug_abort_string", "-ex", "continue", "--args", MPIEXEC, "false")
        self.assertIn("$1 = 2", text)
        self.assertRegex(text, r'\$2 = 0x\w+ "rank 0 .*status 1')


if __name__ == "__main__":
    unittest.main()
