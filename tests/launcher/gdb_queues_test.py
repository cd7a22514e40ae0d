# SPDX-License-Identifier: BSD-3-Clause
"""The real gdb prints the queues, communicators and requests of a rank that lives and of its core file."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from debugger_case import PS, DebuggerCase
from launcher_case import eventually

PROGRAM, COMMANDS = os.environ["QUEUE_RANKS"], os.environ["GDB_COMMANDS"]
LIBRARY = os.environ["LIBRARY"]
LONG = 1 << 20
PAGES = ("-ex", "bowline queues", "-ex", "echo ----\\n", "-ex", "bowline comms", "-ex", "echo ----\\n", "-ex",
         "bowline requests", "-ex", "echo ----\\n")
LOADED = ("-iex", f"source {COMMANDS}")


class GdbQueues(DebuggerCase):
    def setUp(self):
        super().setUp()
        self.need_gdb()
        if "1" not in self.gdb("-ex", "python import ctypes; print(1)")[0]:
            self.skipTest("this gdb has no Python with ctypes")

    def gdb(self, *words):
        done = subprocess.run(["gdb", "-nx", "-batch", *map(str, words)], stdin=subprocess.DEVNULL, text=True,
                              timeout=120, capture_output=True, env=self.environment, cwd=self.directory, check=False)
        return done.stdout, done.stderr

    def start(self, what, ranks):
        job = self.start_mpiexec("-n", ranks, PROGRAM, what)
        ready = sorted(job.stdout.readline() for _ in range(ranks))
        return job, [rank["process"] for rank in self.ranks(job)], ready

    def pages(self, *words):
        """Queues, communicators and requests, from the line of the rank on."""
        out, err = self.gdb(*words, *PAGES)
        pages = [re.sub(r"\A.*?^(?=rank \d)", "", page, flags=re.DOTALL | re.MULTILINE)
                 for page in out.split("----\n")[:3]]
        self.assertEqual(len(pages), 3, out + err)
        return pages

    def ps(self, process):
        return subprocess.run([PS, "--queues", str(process)], capture_output=True, text=True, timeout=60,
                              check=True).stdout

    def test_a_rank_and_its_core_file(self):
        job, processes, ready = self.start("demo", 2)
        data, *handles = re.findall(r"0x\w+|\(nil\)", ready[0])
        core = self.directory / "core"
        live = self.pages(*LOADED, "-p", processes[0], "-ex", f"generate-core-file {core}")
        queues, comms, requests = live
        self.assertEqual(queues, self.ps(processes[0]))
        self.assertIn("    receive from any rank, any tag, up to 24 bytes: no message has matched it\n", queues)
        self.assertEqual(re.sub(r"context \d+", "context N", comms), f"""\
rank 0 of 2, process {processes[0]}
  MPI_COMM_WORLD (rank 0 of 2, context N)
    members: ranks 0, 1 of MPI_COMM_WORLD
  MPI_COMM_SELF (rank 0 of 1, context N)
    members: rank 0 of MPI_COMM_WORLD
  copy of the world (rank 0 of 2, context N)
    members: ranks 0, 1 of MPI_COMM_WORLD
  open to all (rank 0 of 2, context N)
    members: ranks 0, 1 of MPI_COMM_WORLD
""")
        self.check_requests(requests, int(data, 16), handles)
        self.assertEqual(self.pages(*LOADED, PROGRAM, core), live, "the core file says the same")
        self.kill_mpiexec(job)
        self.assertEqual(self.pages(*LOADED, PROGRAM, core), live, "also when the process is gone")

    def check_requests(self, page, data, handles):
        begun, wild, send, synchronous, idle, ended, _ = handles
        lines = page.splitlines()
        waits = "no message has matched it"
        for line in (
                f"{begun}: receive from rank 1, tag 102, up to 8 bytes at {data + 2:#x}: {waits}",
                f"{wild}: receive from any rank, any tag, up to 24 bytes at {data:#x}: {waits}",
                f"{send}: send to rank 1, tag 31, {LONG} bytes at {data:#x}: announced; the receiver has not taken all "
                "data yet",
                f"{synchronous}: send to rank 1, tag 32, 5 bytes at {data + 1:#x}: synchronous; the data have left, "
                "and no receive has matched them yet",
                f"{idle}: persistent send to rank 1, tag 33, 7 bytes at {data:#x}: not started",
                f"{ended}: receive from rank 0, tag 34, up to 8 bytes at {data:#x}: ended, with a message from rank "
                "0, tag 34, 4 bytes; no call has completed it"):
            self.assertIn("    " + line, lines)
        place = lines.index("    1 other request, such as a non-blocking collective")
        above = [line for line in lines[:place] if not line.startswith("    ")]
        self.assertIn("open to all", above[-1])
        self.assertEqual(len([line for line in lines if " at 0x" in line]), 8, page)

    def test_gdb_loads_the_commands_by_itself(self):
        job, (process,), _ = self.start("idle", 1)
        trusted = ("-iex", f"add-auto-load-safe-path {pathlib.Path(LIBRARY).resolve().parent}", "-iex",
                   f"add-auto-load-safe-path {pathlib.Path(COMMANDS).resolve().parent}")
        queues, comms, requests = self.pages(*trusted, "-p", process)
        self.assertEqual(queues, f"rank 0 of 1, process {process}: nothing is pending\n")
        self.assertEqual(comms.count("members: rank 0 of MPI_COMM_WORLD"), 2)
        self.assertEqual(requests, f"rank 0 of 1, process {process}: there are no requests\n")
        self.kill_mpiexec(job)

    def test_languages(self):
        """Programs in Fortran write addresses in another way."""
        job, (process,), _ = self.start("idle", 1)
        out, err = self.gdb(*LOADED, "-p", process, "-ex", "set language fortran", "-ex", "bowline queues", "-ex",
                            "show language")
        self.assertIn("nothing is pending", out, err)
        self.assertIn('"fortran"', out)
        self.kill_mpiexec(job)

    def complaint(self, *words):
        """The one sentence that gdb prints for the command."""
        err = self.gdb(*LOADED, *words)[1]
        self.assertNotIn("Traceback", err)
        return err.splitlines()[-1] if err else ""

    def test_what_is_wrong(self):
        self.assertIn("there is no process", self.complaint("-ex", "bowline queues"))
        self.assertIn("it takes no argument, but there is 'x'", self.complaint("-ex", "bowline comms x"))
        with subprocess.Popen(["sleep", "600"]) as sleeper:
            self.addCleanup(sleeper.kill)
            self.assertIn(f"process {sleeper.pid} has no message queues of Bowline",
                          self.complaint("-p", sleeper.pid, "-ex", "bowline requests"))
            sleeper.kill()
        job = self.start_mpiexec("-n", 1, PROGRAM, "before_init")
        begun = lambda: [p for p in self.processes()
                         if "queue_ranks" in os.readlink(f"/proc/{p}/exe")
                         and "libmpi_abi" in pathlib.Path(f"/proc/{p}/maps").read_text(encoding="utf-8")]
        self.assertTrue(eventually(begun))
        self.assertIn("has not called MPI_Init", self.complaint("-p", begun()[0], "-ex", "bowline queues"))
        self.kill_mpiexec(job)

    def test_other_versions_and_damage(self):
        job, (process,), _ = self.start("idle", 1)
        other = ("-ex", "set var *((unsigned *) &bowline_queue_record + 4) = 99")
        told = self.complaint("-p", process, *other, "-ex", "bowline queues")
        self.assertIn(f"the message queues of process {process} are those of another version of Bowline (99, not", told)
        back = ("-ex", "set var *((unsigned *) &bowline_queue_record + 4) = 2")
        damage = ("-ex", "set var *((unsigned long *) &bowline_queue_record + 5) = 16")  # where the lanes are
        told = self.complaint("-p", process, *back, *damage, "-ex", "bowline queues")
        self.assertIn(f"the list of lanes of process {process} cannot be read: ", told)
        self.kill_mpiexec(job)

    def test_without_the_library(self):
        alone = self.directory / "gdb_commands.py"
        shutil.copy(COMMANDS, alone)
        job, (process,), _ = self.start("idle", 1)
        _, err = self.gdb("-iex", f"source {alone}", "-p", process, "-ex", "bowline queues")
        self.assertRegex(err, r"the library that reads message queues cannot be loaded: .*libbowline_dbg\.so")
        self.kill_mpiexec(job)


if __name__ == "__main__":
    unittest.main()
