# SPDX-License-Identifier: BSD-3-Clause
"""perf/tune from the command line to rules that bowline-info chooses by. Environment: BUILD is the build tree."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

from made_up import PERF

BUILD = pathlib.Path(os.environ["BUILD"])
BRIEF = ["--build", str(BUILD), "--batches", "4", "--batch-ms", "1", "--apart", "0"]


def python_with_matplotlib():
    """An interpreter that has it, or None."""
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import matplotlib"], capture_output=True, check=False).returncode == 0:
            return python
    return None


def tune(*arguments, python=sys.executable, **variables):
    return subprocess.run([python, str(PERF / "tune"), *map(str, arguments)], env=os.environ | variables,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)


def info(rules, *arguments):
    done = subprocess.run([BUILD / "launcher/bowline-info", "--collectives", *map(str, arguments)],
                          env=os.environ | {"BOWLINE_COLLECTIVES_FILE": str(rules)}, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=30, check=False)
    return done.returncode, done.stdout, done.stderr


def children(pid):
    """The processes that it has started."""
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return [int(word) for word in found.stdout.split()]


class Tune(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="bowline-tune-test-")
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.rules = self.directory / "machine.rules"

    def test_what_it_writes_is_what_bowline_info_chooses(self):
        python = python_with_matplotlib()
        plots = ["--svg", self.directory / "plots"] if python else []
        # The user's own rules play no part while it measures, not even wrong ones.
        done = tune(*BRIEF, "--op", "bcast,allgather", "--ranks", "2,3", "--sizes", "8,64K", "--segments", "8K",
                    "--output", self.rules, "--json", self.directory / "samples.json", *plots,
                    python=python or sys.executable, BOWLINE_COLLECTIVES="nonsense")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertRegex(done.stderr, r"tune: 4 jobs, about \d+ s; ")
        self.assertRegex(done.stderr, r"  0% +0 s  bcast of 2 ranks, \d+ ways; about \d+ s left")
        rules = [line for line in self.rules.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
        for rule in rules:
            self.check_rule(rule)
        samples = json.loads((self.directory / "samples.json").read_text(encoding="utf-8"))
        expected = {(op, ranks, size) for op in ("bcast", "allgather") for ranks in (2, 3) for size in (8, 65536)}
        first = [one for one in samples if one["measurement"] == 1]
        self.assertEqual({(one["operation"], one["ranks"], one["bytes"]) for one in first}, expected)
        self.assertLessEqual({"default", "slots", "chain:8K"}, {one["variant"] for one in samples})
        self.assertTrue(all(value > 0 for one in samples for value in one["us"]))
        if python is None:
            self.skipTest("its plots: no interpreter here has matplotlib (apt-get install python3-matplotlib)")
        for name in ("bcast_2", "bcast_3", "allgather_2", "allgather_3"):
            xml.etree.ElementTree.parse(self.directory / "plots" / f"{name}.svg")

    def check_rule(self, rule):
        form = re.fullmatch(r"(\w+)(?: bytes.=\w+)* ranks>=\d+ ranks<=(\d+) .* = (\S+)", rule)
        operation, ranks, variant = form.groups()
        crowd = ["--oversubscribed"] if " oversubscribed" in rule else []
        length = re.search(r"bytes<=(\w+)", rule)
        status, output, errors = info(self.rules, "--op", operation, "--ranks", ranks, "--bytes", length[1], *crowd)
        self.assertEqual((status, errors), (0, ""))
        self.assertIn(variant, output.split())

    def test_chosen_rules_are_read_back(self):
        sys.path.insert(0, str(PERF))
        from side_by_side import tuning
        situation = tuning.Situation(4, "shared-memory", True)
        lines = tuning.rules("bcast", situation, *[{8: "chain:8K", 64: "default", 512: "knomial"}] * 2, 3)
        self.rules.write_text("\n".join(lines), encoding="utf-8")
        for size, expected in ((1, "chain:8K"), (8, "chain:8K"), (9, "slots"), (64, "slots"), (512, "knomial"),
                               (513, "slots")):
            status, output, errors = info(self.rules, "--op", "bcast", "--ranks", 4, "--bytes", size,
                                          "--oversubscribed")
            self.assertEqual((status, output.splitlines()[-1].split()[2:], errors), (0, [expected], ""))
        for elsewhere in ([4], [5, "--oversubscribed"], [4, "--several-nodes"]):
            output = info(self.rules, "--op", "bcast", "--bytes", 8, "--ranks", *elsewhere)[1]
            self.assertNotIn("chain", output)

    def test_a_check_finds_what_rules_make_slower(self):
        self.rules.write_text("reduce bytes<=64K ranks<=2 = chain:8 # piece by piece\nbcast=slots\n", encoding="utf-8")
        words = ["--ranks", "2", "--sizes", "1K,64K", "--check", self.rules]
        done = tune(*BRIEF, *words)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^reduce of 2 ranks, 64K bytes: [\d.]+, [\d.]+, [\d.]+ x the default's time")
        # Which others are slower is the machine's to say; the last line counts those that the lines before it name.
        *named, summary = done.stdout.splitlines()
        self.assertTrue(all(" x the default's time" in line for line in named), done.stdout)
        self.assertTrue(summary.startswith(f"{len(named)} of 6 points are slower with these rules in each of 3 jobs; "),
                        done.stdout)
        self.assertIn("of 3 points are slower", tune(*BRIEF, *words, "--op", "bcast").stdout)

    def test_a_check_of_nothing_is_one_sentence(self):
        self.rules.write_text("bcast ranks>=64 = slots\n", encoding="utf-8")
        empty = self.directory / "empty.rules"
        empty.write_text("# nothing\n", encoding="utf-8")
        for arguments, words in (([self.rules], "it has no rules for such operations and numbers of ranks"),
                                 ([self.rules, "--op", "dance"], "'dance' is no operation; there are barrier, "),
                                 ([empty], "there are no rules in it"),
                                 (["/nowhere"], "--check /nowhere cannot be read")):
            done = tune(*BRIEF, "--ranks", "2", "--check", *arguments)
            self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1), done.stderr)
            self.assertIn(words, done.stderr)

    def test_an_interrupt_keeps_what_has_been_measured(self):
        words = [sys.executable, str(PERF / "tune"), *BRIEF, "--batch-ms", "20", "--op", "barrier,alltoall", "--ranks",
                 "2", "--sizes", "4,8,16,32,64,128,256", "--output", str(self.rules)]
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            said = []
            for line in process.stderr:
                said.append(line)
                if "alltoall of 2 ranks" in line:
                    break
            started = children(process.pid)
            process.send_signal(signal.SIGINT)
            errors = "".join(said) + process.stderr.read()
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("tune: interrupted after 1 of 2 jobs", errors)
        self.assertIn("Written by perf/tune", self.rules.read_text(encoding="utf-8"))
        self.assertNotIn("Traceback", errors)
        for pid in started:
            self.assertFalse(os.path.exists(f"/proc/{pid}"), f"process {pid} goes on")

    def test_wrong_arguments_are_one_sentence(self):
        for arguments, words in ((["--op", "dance"], "--op takes operations, not 'dance'; there are barrier, "),
                                 (["--op", "neighbor_alltoall"], "not 'neighbor_alltoall'"),
                                 (["--op", ""], "not ''"),
                                 (["--ranks", "1"], "'1' is no whole number from 2 to "),
                                 (["--ranks", "100000000"], "'100000000' is no whole number from 2 to "),
                                 (["--sizes", "4,,8"], "'' is no whole number from 4 to 1G"),
                                 (["--sizes", "3"], "'3' is no whole number"),
                                 (["--segments", "8X"], "'8X' is no whole number"),
                                 (["--segments", "1,2,3,4,5,6,7,8,9"], "9 values are too many, at most 8"),
                                 (["--apart", "-1"], "'-1' is no whole number from 0 to "),
                                 (["--batches", "3"], "'3' is no whole number from 4 to 500"),
                                 (["--batch-ms", "1.5"], "'1.5' is no whole number from 1 to 1000"),
                                 (["--output", "/nowhere/x"], "'/nowhere/x' cannot be written"),
                                 (["--json", str(self.directory)], "cannot be written"),
                                 (["--svg", "/dev/null/x"], "the folder '/dev/null/x' cannot be made"),
                                 (["--build", "/nowhere"], "--build /nowhere: there is no "),
                                 (["--bowline", "/nowhere"], "not allowed with argument --build"),
                                 (["--sizes"], "--sizes: expected one argument"),
                                 (["--fast"], "unrecognized arguments: --fast"), (["fast"], "unrecognized arguments")):
            with self.subTest(arguments):
                done = tune(*BRIEF, *arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertTrue(done.stderr.startswith("tune: "), done.stderr)
                self.assertIn(words, done.stderr)
        done = tune("--bowline", "/nowhere")
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
        self.assertIn("--bowline /nowhere: there is no bin/mpicc", done.stderr)

    def test_what_does_not_fit_into_memory_is_left_out_with_a_word(self):
        done = tune(*BRIEF, "--op", "alltoall", "--ranks", "2", "--sizes", "4,1G", "--segments", "1K")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("tune: alltoall of 2 ranks is measured up to 4 only", done.stderr)


if __name__ == "__main__":
    unittest.main()
