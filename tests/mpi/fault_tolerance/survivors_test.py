# SPDX-License-Identifier: BSD-3-Clause
"""Jobs in which ranks die and the others go on, over each way of communicating."""
import os
import unittest

from surviving_case import SurvivingCase

WAYS = {"shared memory": {},
        "messages in shared memory": {"BOWLINE_COLL_SLOTS_LIMIT": "0"},
        "copied twice": {"BOWLINE_CROSS_MEMORY_ATTACH": "0"},
        "a progress thread": {"BOWLINE_PROGRESS_THREAD": "1"},
        "compared collectives": {"BOWLINE_CHECK_COLLECTIVES": "1"},
        "several lanes": {"BOWLINE_LANES": "4"}}


class Survivors(SurvivingCase):
    def over_each_way(self, ranks, program, *words):
        for way, settings in WAYS.items():
            with self.subTest(way=way):
                done = self.run_job(("--keep-going",), ranks, (os.environ[program], *words), settings)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("checks passed", done.stdout)

    def test_receives_from_any_source(self):
        self.over_each_way(3, "wildcards")

    def test_operations_that_name_the_lost_rank(self):
        self.over_each_way(4, "named")

    def test_revoked_communicators(self):
        self.over_each_way(5, "revoked")

    def test_agreements(self):
        self.over_each_way(5, "agreements")

    def test_shrunk_communicators(self):
        self.over_each_way(6, "shrunk")

    def test_communicators_windows_and_files_of_a_lost_rank(self):
        self.over_each_way(4, "damaged")

    def test_the_example(self):
        done = self.run_job(("--keep-going",), 8, (os.environ["stencil"],), {})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 of 8 ranks are lost; as many are started", done.stdout)
        self.assertIn("on 8 ranks; they differ from those of one process by 0\n", done.stdout)

    def test_handlers_that_throw(self):
        self.over_each_way(4, "handlers", "throw")

    def test_handlers_that_jump(self):
        self.over_each_way(4, "handlers", "jump")


if __name__ == "__main__":
    unittest.main()
