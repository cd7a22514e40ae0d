# SPDX-License-Identifier: BSD-3-Clause
"""bowline-sim as its users run it. Environment: SIM is the program."""

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
            for name, value in (("nonsense", 1), ("copy", "fast"), ("nodes_per_switch", 0), ("switches", "ring"),
                                ("cores_per_node", 1.5), ("cache", 5), ("copy", -1), ("copy", None)):
                path.write_text(json.dumps({name: value}), encoding="utf-8")
                self.assertIn(name, self.refused("--print-machine", "--machine", path))
            path.write_text("[]", encoding="utf-8")
            self.assertIn("the whole is not an object", self.refused("--print-machine", "--machine", path))
            path.write_text("{", encoding="utf-8")
            self.assertIn("JSON", self.refused("--print-machine", "--machine", path))

    def test_the_length_that_chooses_is_that_of_the_library(self):
        # Of a scattered reduction it is that of all blocks; where members know no lengths, 0.
        short, = self.rows("--op", "reduce_scatter_block", "--bytes", "1K", "--nodes", 3)
        long, = self.rows("--op", "reduce_scatter_block", "--bytes", "512K", "--nodes", 3)
        self.assertEqual((short["algorithm"], long["algorithm"]), ("recursive_halving", "pairwise"))
        self.assertEqual({row["algorithm"] for row in self.rows("--op", "gatherv", "--bytes", "1,1M", "--nodes", 3)},
                         {"linear"})

    def test_what_serves_no_call_is_said_and_counts_as_failure(self):
        done = sim("--op", "allgather", "--algorithm", "recursive_doubling", "--nodes", 3)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("allgather by recursive_doubling is left out: it does not serve 3 ranks", done.stderr)

    def test_wrong_arguments_are_named(self):
        bcast = ("--op", "bcast")
        for arguments, words in (
                ((), "--op is missing"), (("--op",), "--op: "), (("--op", "dance"), "no operation 'dance'"),
                ((*bcast, "--algorithm", "dance"), "it has binomial, knomial"),
                ((*bcast, "--algorithm", "slots"), "bcast by slots cannot be simulated, because it works in memory"),
                ((*bcast, "--bytes", "-1"), "--bytes: '-1' is no whole number from 0 to 1024G"),
                ((*bcast, "--bytes", "8,x"), "--bytes: 'x'"), ((*bcast, "--bytes"), "--bytes: "),
                ((*bcast, "--bytes", "99999999999999999999"), "is no whole number"),
                ((*bcast, "--nodes", "0"), "--nodes: '0' is no whole number from 1 to 16M"),
                ((*bcast, "--nodes", "16M", "--ppn", 2), "are too many ranks; at most 16777216"),
                ((*bcast, "--ppn", "1.5"), "--ppn: '1.5' is no whole number from 1 to 64K"),
                ((*bcast, "--ppn", 4, "--root", 4), "--root: '4' is no whole number from 0 to 3"),
                ((*bcast, "--root", "-1"), "--root: '-1'"),
                ((*bcast, "--segment", 0), "--segment: '0' is no whole number from 1"),
                ((*bcast, "--placement", "odd"), "--placement: 'odd' is not allowed; allowed are block and cyclic"),
                ((*bcast, "--switches", "ring"), "--switches: 'ring' is not allowed; allowed are fat_tree and "),
                ((*bcast, "--machine", "/nowhere"), "/nowhere: the file cannot be opened"),
                ((*bcast, "--machine", "/"), "/: the file cannot be opened"),
                ((*bcast, "--known", "roof"), "no level 'roof'"),
                ((*bcast, "--stage", "binomial"), "--stage binomial: "),
                ((*bcast, "--stage", "bcast:roof=binomial"), "no level 'roof'"),
                ((*bcast, "--stage", "bcast:node=slots"), "bcast by slots cannot be simulated"),
                ((*bcast, "--stage", "bcast:node=chain/x"), "--stage: 'x' is no whole number"),
                ((*bcast, "--fast"), "--fast; --help lists the options"), (("bcast",), "not expected: bcast")):
            with self.subTest(arguments):
                self.assertIn(words, self.refused(*arguments))


if __name__ == "__main__":
    unittest.main()
