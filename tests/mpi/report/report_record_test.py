# SPDX-License-Identifier: BSD-3-Clause
"""With BOWLINE_REPORT each rank writes where its time went. Times depend on the load of the machine, so only what
stands out by far is compared."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

MPIEXEC, PROGRAM, SOURCE = (os.environ[name] for name in ("MPIEXEC", "PROGRAM", "SOURCE"))
SANITIZED = os.environ["SANITIZED"] == "1"
NETWORK = {"BOWLINE_NETWORK_REACH": "everywhere", "UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo"}


class Records(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="bowline-report-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def run_job(self, ranks, seconds, folder, **settings):
        done = subprocess.run([MPIEXEC, "-n", str(ranks), PROGRAM, str(seconds)], capture_output=True, text=True,
                              timeout=60, check=False, stdin=subprocess.DEVNULL,
                              env=os.environ | {"BOWLINE_REPORT": str(folder)} | settings)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def records(self, ranks, **settings):
        self.assertEqual(self.run_job(ranks, 1, self.folder / "report", **settings), "")
        names = sorted(path.name for path in (self.folder / "report").iterdir())
        self.assertEqual(names, [f"rank-{rank}.json" for rank in range(ranks)])
        return [json.loads((self.folder / "report" / name).read_text()) for name in names]

    @staticmethod
    def line_of(text):
        lines = pathlib.Path(SOURCE).read_text().splitlines()
        return next(number for number, line in enumerate(lines, 1) if text in line)

    @staticmethod
    def time_in_bcast(record):
        return sum(site["waiting"] for site in record["sites"] if site["function"] == "MPI_Bcast")

    def check_waits(self, record):
        """On a machine with nothing else to do this rank waits for rank 0 for three quarters of the time."""
        self.assertGreater(self.time_in_bcast(record), 0.1 * record["elapsed"])
        self.assertGreaterEqual(record["waiting"] + 1e-3, sum(site["waiting"] for site in record["sites"]))
        self.assertLessEqual(record["waiting"] + (record["transfer"] or 0), 1.1 * record["elapsed"])
        site = next(each for each in record["sites"] if each["function"] == "MPI_Bcast")
        self.assertEqual(site["place"], f"report_late.cpp:{self.line_of('here they wait')}")
        by_rank = dict(site["for"])
        self.assertEqual(max(by_rank, key=by_rank.get), 0, site)

    def check_record(self, record, rank, ranks):
        self.assertEqual((record["bowline_report"], record["rank"], record["ranks"]), (1, rank, ranks))
        self.assertIn("report_late 1", record["command"])
        self.assertTrue(record["sampled"], record["note"])
        self.assertGreaterEqual(record["elapsed"], 1)
        self.assertGreater(record["memory"]["resident_peak"], 2 << 20)
        times = [at for at, _ in record["memory"]["over_time"]]
        self.assertEqual(times, sorted(times))
        self.assertIn("unexpected_messages", record["counters"])

    def check_traffic(self, records):
        """Each message goes to the next rank: its sender has sent it, or its receiver has fetched it, or both."""
        moved = {}
        for record in records:
            for peer, sent, fetched in record["traffic"]:
                moved[record["rank"], peer] = moved.get((record["rank"], peer), 0) + sent
                moved[peer, record["rank"]] = moved.get((peer, record["rank"]), 0) + fetched
        for rank in range(len(records)):
            self.assertGreaterEqual(moved[rank, (rank + 1) % len(records)], 3 << 20)

    def check_uses(self, records, way):
        """What the program does: a broadcast and a long message in each round, and one small file, which is opened
        with a broadcast."""
        rounds = dict((lower, number) for lower, _, number in records[0]["sizes"])[1 << 20]
        self.assertGreaterEqual(rounds, 3)
        for record in records:
            self.assertIn([1 << 20, 0, rounds], record["sizes"])
            broadcasts = sum(each["calls"] for each in record["collectives"] if each["operation"] == "bcast")
            self.assertIn(broadcasts - rounds, (0, 1))
            self.assertEqual(record["files"], {"reads": 1, "bytes_read": 60, "writes": 1, "bytes_written": 100})
            ways = {each["name"]: each for each in record["adapters"]}
            self.assertGreaterEqual(sum(each["sent"] + each["fetched"] for each in ways.values()), 3 << 20)
            self.assertGreaterEqual(ways[way]["sent"] + ways[way]["fetched"], 1 << 20)

    def test_a_report_late(self):
        records = self.records(3)
        for rank, record in enumerate(records):
            self.check_record(record, rank, 3)
        for record in records[1:]:
            self.check_waits(record)
            self.assertLess(self.time_in_bcast(records[0]), 0.5 * self.time_in_bcast(record))
        self.check_traffic(records)
        self.check_uses(records, "shared memory")

    @unittest.skipIf(os.environ["UCX"] == "0" or SANITIZED, "without UCX, or with sanitizers that do not know it")
    def test_over_a_network(self):
        records = self.records(2, **NETWORK)
        self.check_waits(records[1])
        self.check_traffic(records)
        self.check_uses(records, "ucx")

    def test_a_folder_that_cannot_be_made(self):
        (self.folder / "file").write_text("")
        errors = self.run_job(2, 0.1, self.folder / "file" / "report").splitlines()
        self.assertEqual(len(errors), 2, errors)
        for line in errors:
            self.assertRegex(line, r"rank \d will be missing in the report: BOWLINE_REPORT=\S+: no files can be made "
                                   r"in this folder: Not a directory")

    def test_nobody_asks(self):
        self.run_job(2, 0.1, "")
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
