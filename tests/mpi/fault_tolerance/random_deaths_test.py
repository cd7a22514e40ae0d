# SPDX-License-Identifier: BSD-3-Clause
"""JOBS jobs whose ranks are killed at random moments. SEED: of the first one; the others count from there."""
import os
import random
import unittest

from surviving_case import SurvivingCase

JOBS = int(os.environ["JOBS"])
FIRST = int(os.environ.get("SEED") or random.randrange(1_000_000))
WAYS = ({}, {"BOWLINE_COLL_SLOTS_LIMIT": "0"}, {"BOWLINE_PROGRESS_THREAD": "1"}, {"BOWLINE_CROSS_MEMORY_ATTACH": "0"})


class RandomDeaths(SurvivingCase):
    def test_those_who_live_agree_and_compute(self):
        print(f"SEED={FIRST}", flush=True)
        for seed in range(FIRST, FIRST + JOBS):
            settings, ranks, rate = WAYS[seed % len(WAYS)], 3 + seed % 7, 5 + seed % 20
            with self.subTest(SEED=seed, ranks=ranks, settings=settings):
                done = self.run_job(("--chaos", f"{seed},kinds=kill,rate={rate}"), ranks,
                                    (os.environ["random_deaths"], "0.4"), settings)
                self.assertEqual(done.returncode, 0, done.stderr)
                own = [line for line in done.stderr.splitlines() if not line.startswith("mpiexec")]
                self.assertEqual(own, [])
                self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main()
