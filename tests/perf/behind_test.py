# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the list of points at which a peer is ahead."""

import unittest

from made_up import summary_of
from side_by_side import behind


class Behind(unittest.TestCase):
    def test_the_worst_comes_first_and_what_is_ahead_is_left_out(self):
        table = summary_of({("latency", 8192): {"Bowline": [4.0, 3.0, 6.0], "Open MPI": [4.0] * 3, "MPICH": [9.0] * 3},
                            ("latency", 24): {"Bowline": [3.0], "Open MPI": [2.0]},
                            ("latency", 64): {"Bowline": [1.0], "Open MPI": [2.0]},
                            ("bcast_8", 4): {"Bowline": [10.0, 18.0, 22.0], "MPICH": [12.0, 12.0, 11.0]}})
        header, body = behind.rows(table, ["latency", "bcast_8"])
        self.assertEqual(header, ["behind at", "size", "unit", "Bowline", "best peer", "peer", "times as bad",
                                  "rounds behind"])
        self.assertEqual(body, [["latency", "24", "us", "3.000", "2.000", "Open MPI", "1.50", "1 of 1"],
                                ["bcast, 8 ranks", "4", "us", "18.00", "12.00", "MPICH", "1.50", "2 of 3"]])

    def test_less_bandwidth_is_worse(self):
        table = summary_of({("bandwidth", 64): {"Bowline": [10.0], "Open MPI": [4.0], "MPICH": [5.0]},
                            ("bandwidth", 128): {"Bowline": [10.0], "Open MPI": [4.0], "MPICH": [15.0]}})
        self.assertEqual([(one.size, one.peer, one.factor) for one in behind.points(table, ["bandwidth"])],
                         [(128, "MPICH", 1.5)])

    def test_what_has_no_peer_or_is_a_ratio_is_left_out(self):
        table = summary_of({("latency", 8): {"Bowline": [9.0]}, ("latency", 16): {"MPICH": [1.0]},
                            ("latency", 32): {"Bowline": [9.0], "raw": [1.0]},
                            ("lock_cost", 8): {"Bowline": [9.0], "MPICH": [1.0]}})
        self.assertEqual(behind.points(table, ["latency", "lock_cost", "barrier"]), [])


if __name__ == "__main__":
    unittest.main()
