# SPDX-License-Identifier: BSD-3-Clause
"""The programs of the lecture notes behave under mpiexec as the notes say."""
import os
import re
import subprocess
import tempfile
import unittest

import at_once

MPIEXEC = os.environ["MPIEXEC"]
PROGRAMS = os.environ["PROGRAMS"]


class Seeds(unittest.TestCase):
    def run_ranks(self, ranks, name, *arguments, stdin=""):
        """The lines that a program prints; it must end well and say nothing on standard error."""
        done = subprocess.run([MPIEXEC, "-n", str(ranks), os.path.join(PROGRAMS, "seeds_" + name), *arguments],
                              input=stdin, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout.splitlines()

    def test_hello(self):
        for ranks in (1, 4, 7):
            expected = [f"Hello world from process {rank}/{ranks}" for rank in range(ranks)]
            self.assertCountEqual(self.run_ranks(ranks, "hello"), expected)

    def test_input(self):
        expected = ["0: t = 1, x = 42"] + [f"{rank}: t = -1, x = 0" for rank in (1, 2, 3)]
        self.assertCountEqual(self.run_ranks(4, "input", stdin="42\n43\n44\n45\n"), expected)

    def test_input_without_any(self):
        self.assertCountEqual(self.run_ranks(3, "input"), [f"{rank}: t = -1, x = 0" for rank in range(3)])

    def test_hello_comm(self):
        expected = [f'Message from {rank}: "Hello world from {rank}" (len = 19)' for rank in range(1, 6)]
        self.assertCountEqual(self.run_ranks(6, "hello_comm"), expected)

    def events(self, count, when):
        """When each event of send.c happened, in nanoseconds."""
        with tempfile.TemporaryDirectory() as directory:
            lines = self.run_ranks(2, "send", str(count), directory, when)
        return {event: int(time) for time, event in (re.fullmatch(r"(\d+) (.*)", line).groups() for line in lines)}

    def test_send_small_is_gone_before_it_is_received(self):
        events = self.events(100, "before")
        self.assertIn("1: saw the send finished", events)
        self.assertLess(events["0: send finished"], events["1: recv started"])
        self.assertIn("1: recv finished", events)

    def test_send_large_waits_for_its_receiver(self):
        events = self.events(10000, "after")
        self.assertIn("1: saw no end of the send", events)
        self.assertLess(events["0: send started"], events["1: recv started"])
        self.assertLess(events["1: recv started"], events["0: send finished"])
        self.assertIn("1: recv finished", events)

    def test_complex_product(self):
        for ranks in (1, 2, 5, 8):
            expected = []
            for i in range(100):
                product = 1
                for rank in range(ranks):
                    product *= complex(1 + i % 3, rank % 2)
                expected.append(product)
            found = [complex(*map(float, line.split())) for line in self.run_ranks(ranks, "complex_product")]
            self.assertEqual(found, expected, ranks)

    def test_order(self):
        self.assertEqual(self.run_ranks(2, "order"), ["buf1: 5", "buf2: 8"])

    def test_parallel_io(self):
        for ranks in (1, 3, 4):
            with tempfile.TemporaryDirectory() as directory:
                lines = self.run_ranks(ranks, "parallel_io", os.path.join(directory, "numbers"))
                self.assertEqual(os.listdir(directory), [])
            expected = [100 * rank + 2 * tile + i for tile in range(3) for rank in range(ranks) for i in range(2)]
            self.assertEqual(lines, [" ".join(map(str, expected))])

    def test_groups(self):
        expected = ["0: 0 of 2, sum 5", "5: 1 of 2, sum 5", "1: 0 of 2, sum 3", "2: 1 of 2, sum 3",
                    "4: 0 of 1, sum 4", "3: none"]
        self.assertCountEqual(self.run_ranks(6, "groups"), expected)

    def test_torus(self):
        neighbours = {(0, 0): (4, 2, -1, 1, 1), (0, 1): (5, 3, 0, -1, 1), (1, 0): (0, 4, -1, 3, 5),
                      (1, 1): (1, 5, 2, -1, 5), (2, 0): (2, 0, -1, 5, 9), (2, 1): (3, 1, 4, -1, 9)}
        expected = [f"({x},{y}) of 3x2: up {up} down {down} left {left} right {right} row {row}"
                    for (x, y), (up, down, left, right, row) in neighbours.items()]
        self.assertCountEqual(self.run_ranks(6, "torus"), expected)

    def test_progress(self):
        self.assertEqual(self.run_ranks(2, "progress"), ["buf1: 8", "buf2: 5"])

    def test_moves(self):
        for ranks in (1, 2, 5, 8):
            self.assertEqual(self.run_ranks(ranks, "moves"), [f"example 4.{i}" for i in range(1, 15)])

    def test_reductions(self):
        def a(i):
            return i % 3 + 1

        for ranks in (1, 3, 6):
            lines = self.run_ranks(ranks, "reductions")
            rows = range(4 * ranks)
            product = " ".join(str(sum(a(i) * (i + j) for i in rows)) for j in range(5))
            expected = [f"0: scalar product {sum(a(i) * i for i in rows)}", f"0: vector times matrix {product}"]
            expected += [f"{rank}: vector times matrix {product}" for rank in range(ranks)]
            for i in range(30):
                values = [(rank * 7 + i) % 5 for rank in range(ranks)]
                expected.append(f"{i}: largest {max(values)} of {values.index(max(values))}")
            value, rank, place = min(((i * 13 + rank * 29) % 997 + 10, rank, i)
                                     for rank in range(ranks) for i in range(1000))
            expected.append(f"smallest {value} of {rank} at {place}")
            self.assertCountEqual(lines, expected)

    def test_nondeterministic(self):
        lines = self.run_ranks(3, "nondeterministic")
        self.assertEqual(len(lines), 100)
        self.assertLessEqual(set(lines), {"0 then 2", "2 then 0"})

    def check_dependent(self, name, expected, cycle, *waits):
        """A wrong program: it ends as if nothing were wrong, or is told. Where collectives synchronize, as they do
        while they are compared, it is a deadlock: no rank comes to the end, and the page says who waits for whom."""
        begun = [f"{rank} begins" for rank in range(len(expected))]

        def check(synchronizes):
            done = subprocess.run([MPIEXEC, "--timeout", "60", "-n", str(len(expected)),
                                   os.path.join(PROGRAMS, "seeds_dependent"), name],
                                  env=os.environ | {"BOWLINE_CHECK_COLLECTIVES": str(int(synchronizes)),
                                                    "BOWLINE_HANG_SECONDS": "1"},
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=90, check=False)
            lines = done.stdout.splitlines()
            if not synchronizes and done.returncode == 0:
                self.assertCountEqual(lines, begun + expected)
                return
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("mpiexec: deadlock: all ", done.stderr)
            if synchronizes:
                self.assertCountEqual(lines, begun)
                self.assertIn(f"mpiexec: {cycle}\n", done.stderr)
                for rank, wait in enumerate(waits):
                    self.assertRegex(done.stderr, rf"mpiexec: rank {rank} on \S+: in {wait} \(.*dependent.*\), for \d")

        at_once.for_each(check, (False,), (True,))

    def test_cyclic_broadcasts(self):
        self.check_dependent("cycle", [f"{rank} ends with {rank + 10} and {(rank + 2) % 3 + 10}" for rank in range(3)],
                             "rank 0 waits for rank 1, rank 1 for rank 2, rank 2 for rank 0",
                             *(rf"MPI_Bcast on a communicator .*, awaiting rank .*{(rank + 1) % 3}\b.*"
                               for rank in range(3)))

    def test_message_behind_a_broadcast(self):
        self.check_dependent("message", [f"{rank} ends with 10 and 20" for rank in range(2)],
                             "rank 0 waits for rank 1, rank 1 for rank 0",
                             "MPI_Bcast on MPI_COMM_WORLD, operation 1, awaiting rank 1",
                             "MPI_Recv on MPI_COMM_WORLD from rank 0, tag 0")


if __name__ == "__main__":
    unittest.main()
