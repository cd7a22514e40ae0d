# SPDX-License-Identifier: BSD-3-Clause
"""perf/calibrate over benchmarks that print made-up times: what it tells the simulator, what it says of predictions."""

import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from made_up import PERF

# What the programs of the build tree print: "NAME SIZE VALUE UNIT (LOWEST to HIGHEST".
PRINTED = {
    "raw bounce": "bounce 64 0.21 us (0.2 to 0.3)",
    "raw": "bounce 64 0.21 us (0.2 to 0.3)\nmemcpy 65536 19000 MB/s (18000 to 20000)",
    "latency 8": "latency 8 0.55 us (0.5 to 0.9)",
    "latency 1024": "latency 1024 0.8 us (0.7 to 0.9)",
    "latency 8192": "latency 8192 2.2 us (2.1336 to 3)",
    "bandwidth 1048576": "bandwidth 1048576 9000 MB/s (8000 to 10000)",
    "message_rate": "message_rate 8 8 M/s (7 to 10)",
    "op": "op_sum_float 64 3000 MB/s (2000 to 4000)\nop_sum_float 65536 15000 MB/s (9000 to 16000)\n"
          "loop_op_sum_float 65536 80000 MB/s (70000 to 90000)",
    "coll 8": "bcast 8 0.1 us (0.05 to 0.2)",
    "coll 4": "bcast 4 3 us (1 to 4)",
}

# A program of the build tree: looks up what it prints by its name and the size, by its name and arguments, by its name.
PROGRAM = """#!/bin/sh
name=${0##*/}
name=${name#bowline-}
if [ $name = mpiexec ]; then shift 2; exec "$@"; fi
words=$*
size=
while [ $# -gt 0 ]; do
  if [ "$1" = --size ]; then size=$2; fi
  shift
done
for key in "$name $size" "$name $words" $name; do
  case $key in
{cases}
  esac
done
echo "$name of no such size" >&2
exit 1
"""


def predictions(*times):
    """What the simulator prints for bcast: [(bytes, algorithm, segment, microseconds)]."""
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(["op", "algorithm", "segment", "bytes", "time_us"])
    for size, algorithm, segment, microseconds in times:
        table.writerow(["bcast", algorithm, segment, size, microseconds])
    return text.getvalue().rstrip()


class Calibrate(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="bowline-calibrate-test-")
        self.addCleanup(directory.cleanup)
        self.build = pathlib.Path(directory.name)
        self.out = self.build / "out.json"

    def calibrate(self, *words, **printed):
        """Runs it over programs that print this, besides what all tests have."""
        known = PRINTED | {key.replace("_of_", " "): value for key, value in printed.items()}
        cases = "\n".join(f"  {key!r}) echo '{value}'; exit ;;" for key, value in known.items())
        for folder, names in (("perf", ("raw", "latency", "bandwidth", "message_rate", "op", "coll", "bowline-sim")),
                              ("launcher", ("mpiexec",))):
            (self.build / folder).mkdir(exist_ok=True)
            for name in names:
                program = self.build / folder / name
                program.write_text(PROGRAM.replace("{cases}", cases), encoding="utf-8")
                program.chmod(0o755)
        return subprocess.run([sys.executable, str(PERF / "calibrate"), "--build", str(self.build), *map(str, words)],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)

    def test_the_description_follows_from_the_fastest_batches(self):
        done = self.calibrate("--out", self.out)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        machine = json.loads(self.out.read_text(encoding="utf-8"))
        between = machine["node"]
        self.assertEqual(machine["socket"], between)
        self.assertAlmostEqual(between["latency"], 200)  # a bounce, in nanoseconds
        self.assertAlmostEqual(between["send"], 150)  # half of what a message takes beyond a bounce
        self.assertAlmostEqual(between["receive"], 150)
        self.assertAlmostEqual(between["copy_out"], 0.1)  # nanoseconds a byte at 10,000 MB/s
        self.assertAlmostEqual(between["copy_in"], 0.1)  # what is left of the slope from 1 to 8 KiB
        self.assertAlmostEqual(machine["cache"]["copy_in"], 0.05)  # on one core the sides copy in turns
        self.assertAlmostEqual(machine["combine"], 1e3 / 16000)
        self.assertAlmostEqual(machine["copy"], 1e3 / 20000)
        self.assertAlmostEqual(machine["call"], 50)
        self.assertAlmostEqual(machine["change"], 50)  # a turn of two on one core, by medians, less a message
        self.assertEqual(machine["cores_per_node"], len(os.sched_getaffinity(0)))

    def test_predictions_that_are_close_are_good(self):
        close = predictions((4, "binomial", 0, 1.9), (4, "chain", 8, 0.51))
        done = self.calibrate("--check", "--op", "bcast", "--ranks", 2, sim=close)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"bcast +2 +4  binomial +1\.00 +1\.90 +1\.90\n")
        self.assertRegex(done.stdout, r"bcast +2 +4  chain:8 +1\.00 +0\.51 +0\.51\n")
        self.assertIn("\n2 ranks: 2 of 2 within a factor of 2\n", done.stdout)

    def test_one_that_is_more_than_twice_off_is_named(self):
        for microseconds in (0.49, 2.1):
            with self.subTest(microseconds):
                done = self.calibrate("--check", "--op", "bcast", "--ranks", 2,
                                      sim=predictions((4, "binomial", 0, 1.0), (4, "chain", 0, microseconds)))
                self.assertEqual(done.returncode, 1)
                self.assertEqual(done.stderr,
                                 "calibrate: a prediction for ranks with a core each is more than 2x off\n")
                self.assertRegex(done.stdout, r"chain .* more than 2x off\n2 ranks: 1 of 2 within")

    def test_ranks_that_share_cores_are_compared_by_medians_and_decide_nothing(self):
        crowd = 2 * len(os.sched_getaffinity(0)) + 1
        if crowd > 64:
            self.skipTest(f"{crowd} ranks would be needed to share the cores, 64 are the most")
        done = self.calibrate("--check", "--op", "bcast", "--ranks", crowd, sim=predictions((4, "binomial", 0, 9)))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"binomial +3\.00 +9\.00 +3\.00  more than 2x off\n")

    def test_what_does_not_run_is_one_sentence(self):
        done = self.calibrate(latency_of_8192="nothing")
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
        self.assertIn("--size 8192' printed no time of latency with 8192 bytes: build ", done.stderr)
        done = self.calibrate("--check", "--op", "bcast", "--ranks", 2, sim=predictions((5, "binomial", 0, 1)))
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
        self.assertRegex(done.stderr, r"^calibrate: '.*/perf/coll .*' ended with status 1: coll of no such size\n")
        (self.build / "perf" / "raw").unlink()
        done = subprocess.run([sys.executable, str(PERF / "calibrate"), "--build", str(self.build)],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
        self.assertRegex(done.stderr, r"cannot be run \(No such file or directory\): build it with -DBOWLINE_PERF=ON")

    def test_wrong_arguments_are_one_sentence(self):
        for words, said in ((["--ranks", "1"], "argument --ranks: invalid choice: 1"),
                            (["--op", "dance"], "argument --op: invalid choice: 'dance'"),
                            (["--fast"], "unrecognized arguments: --fast")):
            with self.subTest(words):
                done = self.calibrate(*words)
                self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
                self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
