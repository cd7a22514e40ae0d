# SPDX-License-Identifier: BSD-3-Clause
"""Debuggers show the message queues of a job by libbowline_dbg.so: this test plays the debugger."""
import ctypes
import os
import re
import signal
import struct
import subprocess
import unittest

from launcher_case import LauncherCase, eventually, fields
from played_debugger import MATCHED, PENDING, RECEIVES, SENDS, UNEXPECTED, Debugger, symbol_of

LIBRARY, PROGRAM = os.environ["QUEUE_LIBRARY"], os.environ["QUEUE_RANKS"]
LONG = 1 << 20
NAMES = ["MPI_COMM_WORLD", "MPI_COMM_SELF", "copy of the world", "open to all"]


def short(operation):
    """Rank, rank in MPI_COMM_WORLD, tag, length."""
    return (operation.desired_local_rank, operation.desired_global_rank,
            None if operation.tag_wild else operation.desired_tag, operation.desired_length)


class QueueLibrary(LauncherCase):
    def start(self, what, ranks, **settings):
        job = self.start_mpiexec("-n", ranks, PROGRAM, what, env=self.environment | {"BOWLINE_HANG": "off"} | settings)
        return job, sorted(job.stdout.readline() for _ in range(ranks))

    def stopped(self, process):
        """The debugger of a process, which it has stopped."""
        os.kill(process, signal.SIGSTOP)
        self.assertTrue(eventually(lambda: fields(process)[0] == "T"))
        debugger = Debugger(LIBRARY, process)
        self.addCleanup(debugger.close)
        return debugger

    def ranks_of(self, job, number):
        """The processes of the ranks, in order."""
        found = {}
        for process in self.processes():
            with open(f"/proc/{process}/environ", "rb") as file:
                rank = re.search(rb"\0PMIX_RANK=(\d+)\0", b"\0" + file.read())
            with open(f"/proc/{process}/cmdline", "rb") as file:
                if rank and file.read().startswith(PROGRAM.encode()):
                    found[int(rank[1])] = process
        self.assertEqual(sorted(found), list(range(number)), job)
        return [found[rank] for rank in range(number)]

    def test_two_ranks(self):
        self.check_two_ranks()

    @unittest.skipUnless(os.environ["NETWORK"] == "1", "there is no UCX")
    def test_two_ranks_over_a_network(self):
        self.check_two_ranks(BOWLINE_NETWORK_REACH="everywhere", UCX_TLS="tcp,self", UCX_NET_DEVICES="lo")

    def check_two_ranks(self, **settings):
        job, ready = self.start("demo", 2, **settings)
        processes = self.ranks_of(job, 2)
        for rank, line in enumerate(ready):
            data = int(re.match(rf"rank {rank} ready, data (0x\w+), requests", line)[1], 16)
            debugger = self.stopped(processes[rank])
            self.assertEqual(debugger.complaint(), "")
            self.check_demo(debugger, rank, data)
        self.kill_mpiexec(job)

    def check_demo(self, debugger, rank, data):
        other, told = 1 - rank, {}
        for communicator, members in debugger.communicators():
            name = communicator.name.decode()
            told[name] = [list(debugger.operations(kind)) for kind in (SENDS, RECEIVES, UNEXPECTED)]
            alone = name == "MPI_COMM_SELF"
            self.assertEqual((communicator.local_rank, communicator.size), (0, 1) if alone else (rank, 2))
            self.assertEqual(members, [rank] if alone else [0, 1])
        # The collective that one rank has begun may have messages under way.
        self.assertEqual(sorted(name for name in told if name != "open to all, collectives"), sorted(NAMES))

        sends, receives, unexpected = told["MPI_COMM_WORLD"]
        self.assertEqual([short(each) for each in receives], [(other, other, 100 + i, 4 * i) for i in range(3)])
        self.assertEqual([each.buffer - data for each in receives], [0, 1, 2])
        self.assertEqual([short(each) for each in sends], [(other, other, 31, LONG)])
        self.assertEqual([(each.status, each.buffer, each.system_buffer) for each in sends], [(PENDING, data, 0)])
        self.assertEqual((sends[0].actual_local_rank, sends[0].actual_tag, sends[0].actual_length), (other, 31, LONG))
        self.assertEqual(sorted(map(short, unexpected)), [(other, other, 1, 32), (other, other, 31, LONG)])
        short_one, = (each for each in unexpected if each.desired_tag == 1)
        self.assertEqual((short_one.system_buffer, short_one.status), (1, PENDING))
        self.assertEqual(os.pread(debugger.memory, 32, short_one.buffer), bytes(32))
        self.assertEqual(short_one.lines(), ["no receive has matched it; the data are here",
                                             f"communicator MPI_COMM_WORLD (rank {rank} of 2, context 0)"])
        long_one, = (each for each in unexpected if each.desired_tag == 31)
        self.assertEqual((long_one.system_buffer, long_one.buffer), (0, 0), "its data are at the sender")

        sends, receives, unexpected = told["copy of the world"]
        self.assertEqual([short(each) for each in sends], [(other, other, 32, 5)])
        self.assertEqual(sends[0].buffer - data, 1)
        self.assertEqual(sends[0].lines()[:2], ["synchronous; the data have left, and no receive has matched",
                                                "them yet"])
        self.assertEqual(receives, [])
        self.assertEqual(sorted(map(short, unexpected)), [(other, other, 2, 16), (other, other, 32, 5)])
        sends, receives, unexpected = told["open to all"]
        self.assertEqual([short(each) for each in receives], [(-1, -1, None, 24)])
        self.assertEqual((sends, unexpected), ([], []))
        self.assertEqual(told["MPI_COMM_SELF"], [[], [], []])

    def test_other_communicators(self):
        """One whose ranks are in another order, and one with two groups."""
        job, _ = self.start("pending", 3)
        processes = self.ranks_of(job, 3)
        for rank, bridge in ((0, (0, [0])), (2, (1, [1, 2]))):
            told = {}
            debugger = self.stopped(processes[rank])
            for communicator, members in debugger.communicators():
                operations = [short(each) for each in debugger.operations(RECEIVES)]
                told[communicator.name.decode()] = (communicator.local_rank, members, operations)
            self.assertEqual(told["turned?round"][:2], (2 - rank, [2, 1, 0]))
            local_rank, members, operations = told["a communicator without a name"]
            self.assertIn((local_rank, members), [bridge, (0, [0])])
            if rank == 0:
                self.assertEqual(operations, [(1, 2, 12, 1)], "rank 1 of the other group is rank 2 of the world")
        self.kill_mpiexec(job)

    def test_data_that_are_under_way(self):
        job, _ = self.start("moving", 2, BOWLINE_LONG_MESSAGES="short_pieces")
        processes = self.ranks_of(job, 2)
        for process, kind, other in ((processes[0], SENDS, 1), (processes[1], RECEIVES, 0)):
            debugger = self.stopped(process)
            next(debugger.communicators())
            operation, = debugger.operations(kind)
            self.assertEqual((operation.status, *short(operation)), (MATCHED, other, other, 41, 32 * LONG))
            self.assertEqual((operation.actual_local_rank, operation.actual_tag, operation.actual_length),
                             (other, 41, 32 * LONG))
            self.assertRegex(operation.lines()[0], r"matched; \d+ of them have ")
        self.kill_mpiexec(job)

    def test_debuggers_find_the_library(self):
        job, _ = self.start("idle", 1)
        process, = self.ranks_of(job, 1)
        with open(f"/proc/{process}/mem", "rb", buffering=0) as memory:
            def read(address, count):
                return os.pread(memory.fileno(), count, address)
            path = read(symbol_of(process, "MPIR_dll_name"), 1024).partition(b"\0")[0].decode()
            self.assertTrue(os.path.samefile(path, LIBRARY), path)
            locations, = struct.unpack("Q", read(symbol_of(process, "mpimsgq_dll_locations"), 8))
            first, end = struct.unpack("QQ", read(locations, 16))
            self.assertEqual((read(first, len(path) + 1), end), (path.encode() + b"\0", 0))
        self.kill_mpiexec(job)

    def test_a_process_without_mpi(self):
        with subprocess.Popen(["sleep", "600"]) as sleeper:
            self.addCleanup(sleeper.kill)
            debugger = Debugger(LIBRARY, sleeper.pid)
            self.assertRegex(debugger.complaint(), "^this process has no message queues of Bowline: ")
            with self.assertRaisesRegex(RuntimeError, "no message queues of Bowline"):
                next(debugger.communicators())
            debugger.close()
            sleeper.kill()

    def test_a_rank_before_init(self):
        job = self.start_mpiexec("-n", 1, PROGRAM, "before_init")
        self.assertTrue(eventually(lambda: any(symbol_of(p, "MPIR_dll_name") for p in self.processes())))
        process, = (p for p in self.processes() if symbol_of(p, "MPIR_dll_name"))
        debugger = Debugger(LIBRARY, process)
        self.assertEqual((debugger.complaint(), list(debugger.communicators())), ("", []), "it will have queues")
        debugger.close()
        self.kill_mpiexec(job)

    def test_a_record_of_another_version(self):
        job, _ = self.start("idle", 1)
        process, = self.ranks_of(job, 1)
        version = symbol_of(process, "bowline_queue_record") + 16
        with open(f"/proc/{process}/mem", "r+b", buffering=0) as memory:
            self.assertEqual(os.pwrite(memory.fileno(), ctypes.c_uint32(99), version), 4)
        debugger = self.stopped(process)
        self.assertRegex(debugger.complaint(), r"another version of Bowline \(99, not \d+\): use .* of that version$")
        self.kill_mpiexec(job)


if __name__ == "__main__":
    unittest.main()
