# SPDX-License-Identifier: BSD-3-Clause
"""A variable with a value that is not allowed ends a program at its first call of MPI, whichever that is, with one
sentence and status 1."""
import os
import re
import subprocess
import unittest

MPIEXEC = os.environ["MPIEXEC"]
INFO = os.environ["INFO"]
PROGRAM = os.environ["PROGRAM"]
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(("PMIX_", "SLURM_", "PMI_", "BOWLINE_"))}
ROW = re.compile(r"^  (BOWLINE_\w+) = .*\n.*\(default .*, allowed (.*)\)$", re.MULTILINE)
RANGE = re.compile(r"(-?\d+) to (\d+)")
# Of tunables that take text, by what reads it.
TEXTS = {"BOWLINE_CHECK": ["sing", "leaks,", ",leaks", "all leaks"],
         "BOWLINE_COLLECTIVES": ["sing", "bcast=", "bcast=no_such_algorithm", "bcast bytes<=x = binomial"],
         "BOWLINE_COLLECTIVES_FILE": ["/no/such/file", "/"],
         "BOWLINE_NAMES_DIRECTORY": ["names", "./names"],
         "BOWLINE_IO_FAULTS": ["sing", "read:EIO", "read:EWHAT@1", "write:EIO@x"]}
# Any text may be the name of an RDMA adapter; only a job that looks for adapters can tell (mpi.verbs.words). Any text
# may be the name of a folder, too; if it cannot be made, the rank says so (mpi.report_record).
FREE = {"BOWLINE_VERBS_DEVICE", "BOWLINE_REPORT", "BOWLINE_FLIGHT_RECORDER"}
WORDS = ["", "sing", "1 2", "-", "0x10", "1e3", "99999999999999999999999", "1KK", "\udcff"]


def execute(*command, **settings):
    return subprocess.run(command, env=CLEAN | settings, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="surrogateescape", timeout=60, check=False)


def tunables():
    listed = execute(INFO, "--tunables").stdout
    found = ROW.findall(listed)
    assert len(found) == len(re.findall("^  BOWLINE_.* = ", listed, re.MULTILINE)), listed
    return [row for row in found if row[0] not in FREE]


def bad_values(name, allowed):
    if name in TEXTS:
        return TEXTS[name]
    limits = RANGE.fullmatch(allowed)
    return WORDS + ([str(int(limits[1]) - 1), str(int(limits[2]) + 1)] if limits else ["0", allowed])


class BadValues(unittest.TestCase):
    def check(self, done, name, value):
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("bowline: "), done.stderr)
        self.assertTrue(name in done.stderr or value in done.stderr, done.stderr)

    def test_every_tunable_and_value_at_mpi_init(self):
        for name, allowed in tunables():
            for value in bad_values(name, allowed):
                with self.subTest(name=name, value=value):
                    self.check(execute(PROGRAM, "MPI_Init", **{name: value}), name, value)

    def test_every_tunable_at_other_first_calls(self):
        """Each at three calls, and so several at each call: no call looks at some of them only."""
        calls = execute(PROGRAM).stdout.split()
        self.assertGreater(len(calls), 10)
        for number, (name, allowed) in enumerate(tunables()):
            value = bad_values(name, allowed)[-1]
            for call in (calls[(number + step) % len(calls)] for step in (0, 3, 7)):
                with self.subTest(name=name, value=value, call=call):
                    self.check(execute(PROGRAM, call, **{name: value}), name, value)

    def test_other_error_handlers_make_no_difference(self):
        for handler in ("mpi_errors_return", "mpi_errors_abort"):
            for call in ("MPI_Init", "MPI_Session_init", "MPI_Info_free", "MPI_Comm_size"):
                with self.subTest(handler=handler, call=call):
                    done = execute(PROGRAM, call, BOWLINE_INITIAL_ERRHANDLER=handler, BOWLINE_LANES="none")
                    self.check(done, "BOWLINE_LANES", "none")

    def test_good_values_do_not_end_it(self):
        for call in execute(PROGRAM).stdout.split():
            with self.subTest(call=call):
                done = execute(PROGRAM, call, BOWLINE_INITIAL_ERRHANDLER="mpi_errors_return")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn("returned ", done.stdout)

    def test_under_the_launcher(self):
        done = execute(MPIEXEC, "-n", "2", PROGRAM, "MPI_Info_create", BOWLINE_INITIAL_ERRHANDLER="sing")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("BOWLINE_INITIAL_ERRHANDLER", done.stderr)

    def test_an_unknown_name_is_told_once(self):
        done = execute(PROGRAM, "MPI_Init", BOWLINE_LANE="2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("BOWLINE_LANES"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
