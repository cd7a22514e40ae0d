# SPDX-License-Identifier: BSD-3-Clause
"""With BOWLINE_FLIGHT_RECORDER each rank keeps its last 1,000 events in a file, also a rank that is killed. The file is
read here by its description in src/base/events/flight_file.hpp."""
import json
import os
import pathlib
import struct
import subprocess
import tempfile
import time
import unittest

MPIEXEC, PROGRAM = (os.environ[name] for name in ("MPIEXEC", "PROGRAM"))
VARIABLE = "BOWLINE_FLIGHT_RECORDER"
HEADER = struct.Struct("8sIIIIIiiIqQq64s")
ENTRY = struct.Struct("QqII64s")


class Flight:
    def __init__(self, path):
        data = path.read_bytes()
        (magic, version, entry_bytes, entries, first, kinds_bytes, self.rank, self.ranks, self.process, self.to_utc,
         self.written, self.finalized, self.host) = HEADER.unpack_from(data)
        assert (magic, version, entry_bytes, entries) == (b"BOWLFLT\n", 1, ENTRY.size, 1000)
        self.kinds = json.loads(data[HEADER.size:HEADER.size + kinds_bytes])
        assert len(data) == first + entries * ENTRY.size
        self.events = []
        for number in range(max(0, self.written - entries), self.written):
            mark, at, kind, _, record = ENTRY.unpack_from(data, first + number % entries * ENTRY.size)
            if mark == number + 1:
                self.events.append((at, self.kinds[kind]["name"], self.fields(self.kinds[kind], record)))

    @staticmethod
    def fields(kind, record):
        values = {}
        for field in kind["fields"]:
            value = struct.unpack_from("i" if field["type"] == "int32" else "Q", record, field["offset"])[0]
            values[field["name"]] = field["words"][value] if field["words"] else value
        return values


class Recorder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="bowline-flight-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def run_job(self, end, folder, ranks=2):
        return subprocess.run([MPIEXEC, "-n", str(ranks), PROGRAM, end], capture_output=True, text=True, timeout=60,
                              check=False, stdin=subprocess.DEVNULL, env=os.environ | {VARIABLE: str(folder)})

    def flights(self, folder, ranks=2):
        self.assertEqual(sorted(path.name for path in folder.iterdir()),
                         [f"rank-{rank}.flight" for rank in range(ranks)])
        return [Flight(folder / f"rank-{rank}.flight") for rank in range(ranks)]

    def check_events(self, flight, begin, end):
        times = [at for at, _, _ in flight.events]
        self.assertEqual(times, sorted(times))
        self.assertTrue(begin <= times[0] + flight.to_utc and times[-1] + flight.to_utc <= end)
        self.assertGreater(flight.written, 1500, "each barrier begins, has an algorithm, and ends")
        self.assertGreater(len(flight.events), 990)
        sums = [values for _, name, values in flight.events
                if name == "collective_begun" and values["operation"] == "allreduce"]
        self.assertEqual([values["bytes"] for values in sums], [4])

    def test_a_job_that_ends_properly(self):
        begin = time.time_ns()
        done = self.run_job("finalized", self.folder / "flight")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for rank, flight in enumerate(self.flights(self.folder / "flight")):
            self.assertEqual((flight.rank, flight.ranks), (rank, 2))
            self.assertGreaterEqual(flight.finalized, flight.events[-1][0])
            self.check_events(flight, begin, time.time_ns())

    def test_a_rank_that_is_killed(self):
        begin = time.time_ns()
        self.assertNotEqual(self.run_job("killed", self.folder).returncode, 0)
        flights = self.flights(self.folder)
        for flight in flights:
            self.assertEqual(flight.finalized, 0)
            self.check_events(flight, begin, time.time_ns())
        begun = [values["operation"] for _, name, values in flights[0].events if name == "collective_begun"]
        self.assertEqual(begun[-2:], ["allreduce", "barrier"])
        begun = [values["operation"] for _, name, values in flights[1].events if name == "collective_begun"]
        self.assertEqual(begun[-1], "allreduce")

    def test_a_folder_that_cannot_be_made(self):
        (self.folder / "file").write_text("")
        done = self.run_job("finalized", self.folder / "file" / "flight")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(done.stderr.splitlines()), 2, done.stderr)
        for line in done.stderr.splitlines():
            self.assertRegex(line, r"the events of rank \d will not be recorded: " + VARIABLE + r"=\S+: no files can "
                                   r"be made in this folder: Not a directory")

    def test_nobody_asks(self):
        self.assertEqual(self.run_job("finalized", "").returncode, 0)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
