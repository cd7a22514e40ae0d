# SPDX-License-Identifier: BSD-3-Clause
"""Tests of perf/compare without any MPI: parsing, turns, medians, ratios, tables, and errors in words."""

import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import time
import unittest

from made_up import PERF, summary_of
from side_by_side import implementations, jobs, measure, summary


class Parsing(unittest.TestCase):
    def test_points_are_read_and_everything_else_is_skipped(self):
        output = ("# library: X 1\nlatency   8   0.271 us  (0.1 to 0.3)\nlatency 16 0.5 us\n"
                  "a warning of some library\nlatency eight 1 us\n\n")
        self.assertEqual(measure.parse_points(output), {("latency", 8): (0.271, "us"), ("latency", 16): (0.5, "us")})

    def test_library(self):
        self.assertEqual(measure.parse_library("noise\n# library: MPICH Version:\t4.0.2\n"), "MPICH Version: 4.0.2")
        self.assertIsNone(measure.parse_library("latency 8 1 us\n"))

    def test_extra_implementation(self):
        self.assertEqual(implementations.parse_extra("new=sh -x,sh"), ("new", ("sh", "-x"), ("sh",)))
        for bad in ("new", "new=sh", "=sh,sh", "new=,sh", "new=sh,no-such-program-anywhere"):
            with self.subTest(bad), self.assertRaisesRegex(implementations.CompareError, "--mpi"):
                implementations.parse_extra(bad)

    def test_family(self):
        self.assertEqual(implementations.family_of("mpirun (Open MPI) 5.0.1"), "openmpi")
        self.assertEqual(implementations.family_of("mpiexec.openmpi (OpenRTE) 4.1.4"), "openmpi")
        self.assertEqual(implementations.family_of("HYDRA build details:"), "mpich")
        self.assertEqual(implementations.family_of("mpiexec (Bowline) 0.1"), "bowline")


class Ending(unittest.TestCase):
    def test_a_launcher_that_has_ended_by_itself_meanwhile(self):
        """Otherwise the error would take the place of the interruption, and the measurement would go on."""
        launcher = subprocess.Popen(["true"], start_new_session=True)
        launcher.wait()
        implementations.end(launcher)


class Turns(unittest.TestCase):
    def test_every_round_begins_with_another_one(self):
        self.assertEqual([measure.rotated("ABC", by) for by in range(4)],
                         [["A", "B", "C"], ["B", "C", "A"], ["C", "A", "B"], ["A", "B", "C"]])
        self.assertEqual(measure.rotated([], 3), [])

    def test_launch_binds_unless_there_are_more_ranks_than_cores(self):
        one = implementations.Implementation("X", ("mpicc",), ("mpiexec",), "openmpi")
        self.assertEqual(one.launch(2, 2, ["a"]), ["mpiexec", "--bind-to", "core", "-n", "2", "a"])
        self.assertEqual(one.launch(8, 2, ["a"]), ["mpiexec", "--oversubscribe", "--bind-to", "none", "-n", "8", "a"])
        self.assertEqual(one.launch(2, 2, ["a"], realtime=True)[:3], list(implementations.REALTIME))
        self.assertEqual(one.launch(8, 2, ["a"], realtime=True)[0], "mpiexec")
        self.assertEqual(one.launch(2, 2, ["a"], False, realtime=True)[0], "mpiexec")
        self.assertEqual(one.launch(2, 2, ["a"], False), ["mpiexec", "--bind-to", "none", "-n", "2", "a"])


class Steadiness(unittest.TestCase):
    """Session with made-up programs: the bounces come from a list."""

    def turn(self, bounces, repeat_until=float("inf")):
        one = implementations.Implementation("X", ("mpicc",), ("mpiexec",), "bowline")
        session = measure.Session([one], {"X": {"latency": "program"}}, None, 2)
        session.repeat_until = repeat_until
        remaining = iter(bounces)
        session._bounce = lambda job: next(remaining)
        session._job = lambda one, job: {("latency", 8): (1.0, "us"), ("latency", 4096): (2.0, "us")}
        session._turn(jobs.Job("latency", 2), 0)
        return session, len(list(remaining))

    def test_a_steady_turn_is_kept_at_once_with_its_raw_cost(self):
        session, left = self.turn([0.25, 0.375, 9.0, 9.0])
        self.assertEqual((session.unsteady, left), (0, 2))
        self.assertEqual(session.samples.values["latency", 8], {"X": {0: 1.0}, "raw": {0: 0.3125}})
        self.assertEqual(session.samples.values["latency", 4096], {"X": {0: 2.0}})

    def test_a_turn_in_which_the_cores_moved_is_repeated(self):
        session, left = self.turn([0.025, 0.25, 0.25, 0.25])
        self.assertEqual((session.unsteady, left), (0, 0))

    def test_when_time_is_up_no_turn_is_repeated(self):
        session, left = self.turn([0.025, 0.25, 0.25, 0.25], repeat_until=0.0)
        self.assertEqual((session.unsteady, left), (1, 2))

    def test_a_turn_that_never_becomes_steady_is_counted(self):
        session, left = self.turn([0.025, 0.25] * measure.ATTEMPTS)
        self.assertEqual((session.unsteady, left), (1, 0))
        self.assertIn("X", session.samples.values["latency", 8])


class Figures(unittest.TestCase):
    def test_median_and_best_peer_where_less_is_better(self):
        table = summary_of({("latency", 8): {"Bowline": [3.0, 1.0, 2.0], "Open MPI": [4.0], "MPICH": [5.0]}})
        self.assertEqual(table.value("latency", 8, "Bowline"), 2.0)
        self.assertEqual(table.best_peer("latency", 8), "Open MPI")

    def test_ratio_is_taken_within_each_round(self):
        table = summary_of({("latency", 8): {"Bowline": [1.0, 20.0, 1.0], "MPICH": [2.0, 40.0, 50.0]}})
        self.assertEqual(table.ratio("latency", 8, "MPICH"), 0.5)

    def test_a_round_that_one_of_them_lacks_has_no_ratio(self):
        table = summary_of({("latency", 8): {"Bowline": [1.0, 9.0], "MPICH": [2.0]}})
        self.assertEqual(table.ratio("latency", 8, "MPICH"), 0.5)

    def test_ratio_where_more_is_better(self):
        table = summary_of({("bandwidth", 8): {"Bowline": [10.0], "Open MPI": [4.0], "MPICH": [5.0]}})
        self.assertEqual(table.best_peer("bandwidth", 8), "MPICH")
        self.assertEqual(table.ratio("bandwidth", 8, "MPICH"), 2.0)

    def test_more_threads_are_better_and_more_time_for_locks_is_worse(self):
        for metric, best in (("thread_scaling", "MPICH"), ("lock_cost", "Open MPI")):
            table = summary_of({(metric, 8): {"Bowline": [1.5], "Open MPI": [1.0], "MPICH": [1.25]}})
            self.assertEqual(table.best_peer(metric, 8), best)

    def test_no_ratio_without_peer_or_subject(self):
        table = summary_of({("latency", 8): {"Bowline": [1.0]}, ("latency", 1): {"MPICH": [1.0]}})
        self.assertIsNone(table.best_peer("latency", 8))
        self.assertIsNone(table.ratio("latency", 8, None))
        self.assertIsNone(table.ratio("latency", 1, "MPICH"))

    def test_numbers_and_sizes_as_text(self):
        self.assertEqual([summary.figure(value) for value in (None, 0.1234, 12.345, 123.45, 12345.6)],
                         ["-", "0.123", "12.35", "123.5", "12346"])
        self.assertEqual([summary.describe(metric) for metric in ("barrier_8", "match_posted_slope", "memory_16")],
                         ["barrier, 8 ranks", "match behind N receives: N = 10000 by N = 10",
                          "memory of an idle rank, 16 ranks"])
        self.assertEqual([summary.size_text(size) for size in (0, 64, 1000, 1024, 65536, 1 << 20)],
                         ["0", "64", "1000", "1 KiB", "64 KiB", "1 MiB"])


class Tables(unittest.TestCase):
    def test_rows_and_markdown(self):
        table = summary_of({("latency", 8): {"Bowline": [0.5], "Open MPI": [1.0], "MPICH": [2.0]},
                            ("barrier_8", 0): {"Bowline": [20.0], "Open MPI": [10.0]}})
        header, body = summary.rows(table, ["latency", "barrier_8"])
        self.assertEqual(header, ["what", "size", "unit", "raw", "Bowline", "Open MPI", "MPICH", "to best peer"])
        self.assertEqual(body, [["latency", "8", "us", "-", "0.500", "1.000", "2.000", "0.50"],
                                ["barrier, 8 ranks", "", "us", "-", "20.00", "10.00", "-", "2.00"]])
        self.assertIn("| latency | 8 | us | - | 0.500 | 1.000 | 2.000 | 0.50 |", summary.markdown_table(header, body))

    def test_replaces_only_what_stands_between_the_marks(self):
        page = f"a\n{summary.BEGIN_MARK}\nold\n{summary.END_MARK}\nb\n"
        self.assertEqual(summary.replace_between_marks(page, "new"),
                         f"a\n{summary.BEGIN_MARK}\nnew\n{summary.END_MARK}\nb\n")
        self.assertIsNone(summary.replace_between_marks("no marks", "new"))
        self.assertIsNone(summary.replace_between_marks(f"{summary.END_MARK}{summary.BEGIN_MARK}", "new"))


def without_slurm(environment):
    """As outside of an allocation, wherever the tests run."""
    return {name: value for name, value in environment.items() if not name.startswith("SLURM_")}


class Command(unittest.TestCase):
    """perf/compare as a user starts it, with made-up MPIs: a compiler and a launcher that are shell scripts."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)

    def script(self, name, body):
        path = self.directory / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def without_peers(self):
        """An environment that hides the installed peers: they would cost time and prove nothing here."""
        for family in ("openmpi", "mpich"):
            self.script(f"mpicc.{family}", "echo no such compiler >&2; exit 1")
            self.script(f"mpiexec.{family}", "exit 1")
        return os.environ | {"PATH": f"{self.directory}:/usr/bin:/bin"}

    def compare(self, *arguments):
        return subprocess.run([sys.executable, str(PERF / "compare"), *map(str, arguments)],
                              env=without_slurm(self.without_peers()),
                              text=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)

    def test_a_failing_mpi_is_named_and_the_rest_goes_on(self):
        (self.directory / "bin").mkdir()
        mpicc = self.script("bin/mpicc", 'while [ "$1" != -o ]; do shift; done; : > "$2"')
        self.script("bin/mpiexec", 'echo "# library: Fake 1"; echo "barrier 0 1.5 us"')
        good = self.script("good", 'echo "barrier 0 3 us"')
        crash = self.script("crash", "echo boom >&2; exit 9")
        fast = self.script("fast", 'echo "barrier 0 1 us"')
        result = self.compare("--quick", "--only", "barrier", "--rounds", "1", "--bowline", self.directory,
                              "--mpi", f"Good={mpicc},{good}", "--mpi", f"Crash={mpicc},{crash}",
                              "--mpi", f"Fast={mpicc},{fast}")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("Open MPI: coll does not compile: '", result.stderr)
        self.assertIn("no such compiler", result.stderr)
        self.assertRegex(result.stderr, r"Crash: barrier: '.*' failed with exit status 9\n    boom")
        self.assertRegex(result.stdout, r"barrier +us +- +1\.500 +- +- +3\.000 +- +1\.000 +1\.50\n")
        self.assertRegex(result.stdout, r"\nbehind at .*\nbarrier +us +1\.500 +1\.000 +Fast +1\.50 +1 of 1\n"
                                        r"barrier, 4 ranks .*\nbarrier, 8 ranks .*\n\Z")

    def test_when_it_is_ended_nothing_stays_behind(self):
        (self.directory / "bin").mkdir()
        self.script("bin/mpicc", 'while [ "$1" != -o ]; do shift; done; : > "$2"')
        self.script("bin/mpiexec", f"echo $$ > {self.directory}/new && mv {self.directory}/new {self.directory}/pid\n"
                                   "exec sleep 100")
        temporary = self.directory / "tmp"
        temporary.mkdir()
        command = [sys.executable, str(PERF / "compare"), "--only", "barrier", "--bowline", str(self.directory)]
        with subprocess.Popen(command, env=self.without_peers() | {"TMPDIR": str(temporary)}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as compare:
            deadline = time.monotonic() + 60
            while not (self.directory / "pid").exists() and time.monotonic() < deadline:
                time.sleep(0.01)
            job = int((self.directory / "pid").read_text())
            compare.terminate()
            _, errors = compare.communicate(timeout=30)
        self.assertEqual(compare.returncode, 130, errors)
        self.assertIn("interrupted", errors)
        # It has been ended; whoever inherited it may still have to collect it.
        deadline = time.monotonic() + 10
        while pathlib.Path(f"/proc/{job}").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertFalse(pathlib.Path(f"/proc/{job}").exists())
        self.assertEqual(list(temporary.iterdir()), [])

    def test_bad_arguments_end_with_status_2_before_anything_is_measured(self):
        page = self.directory / "page.md"
        page.write_text("no marks\n")
        for arguments, sentence in ((["--bowline", self.directory / "nowhere"], "there is no bin/mpicc"),
                                    (["--mpi", "x"], "--mpi takes NAME=MPICC,MPIEXEC"),
                                    (["--only", "speed"], "'speed' is no benchmark"),
                                    (["--rounds", "0"], "at least 1 is needed"),
                                    (["--markdown", page], "which enclose the table"),
                                    (["--json", self.directory / "a" / "b.json"], "its directory does not exist"),
                                    (["--html", self.directory], "this is a directory: give the name of a file"),
                                    (["--against", self.directory / "no.json"], "it cannot be read: No such file"),
                                    (["--from", page], "it is no JSON"),
                                    (["--from", page, "--only", "latency"], "--only says how to measure, and --from"),
                                    (["--ranks-per-node", "2"], "says nothing without --nodes N"),
                                    (["--nodes", "2", "--realtime"], "cannot reach the ranks that srun starts"),
                                    (["--nodes", "2"], "this is no Slurm allocation")):
            with self.subTest(arguments):
                result = self.compare(*arguments)
                self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
                self.assertIn(sentence, result.stderr)


if __name__ == "__main__":
    unittest.main()
