# SPDX-License-Identifier: BSD-3-Clause
"""perf/sim as its users run it. Environment: SIM is the program."""

import csv
import json
import os
import pathlib
import subprocess
import tempfile
import unittest


def sim(*arguments):
    return subprocess.run([os.environ["SIM"], *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=120, check=False)


class Simulator(unittest.TestCase):
    def rows(self, *arguments):
        done = sim(*arguments, "--csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        return list(csv.DictReader(done.stdout.splitlines()))

    def refused(self, *arguments):
        done = sim(*arguments)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        return done.stderr

    def test_every_listed_algorithm_runs_on_odd_machines(self):
        listed = sim("--list").stdout.splitlines()
        self.assertGreater(len(listed), 20)
        for operation in sorted({line.split()[0] for line in listed}):
            for arguments in (["--nodes", "1,5", "--ppn", 3], ["--nodes", 7, "--ppn", 2, "--placement", "cyclic"]):
                with self.subTest(operation):
                    names = {line.split()[1] for line in listed if line.split()[0] == operation}
                    rows = self.rows("--op", operation, "--algorithm", "all", "--bytes", "8,20000", *arguments)
                    self.assertLessEqual({row["algorithm"] for row in rows}, names)
                    self.assertTrue(rows)

    def test_a_tree_sends_one_message_less_than_there_are_ranks(self):
        for topology in ("fat_tree", "dragonfly"):
            row, = self.rows("--op", "bcast", "--algorithm", "binomial", "--bytes", 100, "--nodes", 3000, "--ppn", 4,
                             "--switches", topology)
            self.assertEqual(sum(int(value) for name, value in row.items()
                                 if name.endswith("_messages") and name != "adapter_messages"), 11999)
            self.assertGreater(float(row["time_us"]), 0)

    def test_it_chooses_what_the_library_would_choose(self):
        row, = self.rows("--op", "allreduce", "--bytes", 8, "--nodes", 2, "--ppn", 2)
        self.assertIn(row["algorithm"], sim("--list").stdout)

    def test_stages_take_the_algorithm_that_is_asked_for(self):
        arguments = ["--op", "gather", "--algorithm", "hierarchical", "--nodes", 2, "--ppn", 16, "--known", "node"]
        deep, = self.rows(*arguments, "--stage", "gather:node=binomial")
        flat, = self.rows(*arguments, "--stage", "gather:node=linear")
        self.assertNotEqual(deep["node_messages"], flat["node_messages"])

    def test_a_machine_is_read_back_as_it_was_printed(self):
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory) / "machine.json"
            machine = json.loads(sim("--print-machine").stdout)
            machine["node"]["latency"] = 12345
            path.write_text(json.dumps(machine), encoding="utf-8")
            self.assertEqual(json.loads(sim("--print-machine", "--machine", path).stdout), machine)
            for name, value in (("nonsense", 1), ("copy", "fast"), ("nodes_per_switch", 0), ("switches", "ring")):
                path.write_text(json.dumps({name: value}), encoding="utf-8")
                self.assertIn(name, self.refused("--print-machine", "--machine", path))
            path.write_text("{", encoding="utf-8")
            self.assertIn("JSON", self.refused("--print-machine", "--machine", path))

    def test_wrong_arguments_are_named(self):
        self.assertIn("--op", self.refused())
        self.assertIn("'dance'", self.refused("--op", "dance"))
        self.assertIn("binomial", self.refused("--op", "bcast", "--algorithm", "dance"))
        self.assertIn("0 to 3", self.refused("--op", "bcast", "--ppn", 4, "--root", 4))
        self.assertIn("--stage", self.refused("--op", "bcast", "--stage", "binomial"))
        self.assertIn("'roof'", self.refused("--op", "bcast", "--known", "roof"))


if __name__ == "__main__":
    unittest.main()
