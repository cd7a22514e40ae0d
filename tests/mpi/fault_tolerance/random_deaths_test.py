# SPDX-License-Identifier: BSD-3-Clause
"""JOBS jobs whose ranks are killed at random moments, and fewer whose connections break. SEED: of the first one; the
others count from there."""
import os
import random
import re
import unittest

from surviving_case import SurvivingCase

JOBS = int(os.environ["JOBS"])
FIRST = int(os.environ.get("SEED") or random.randrange(1_000_000))
EVERYWHERE = {"BOWLINE_NETWORK_REACH": "everywhere"}
WAYS = [{}, {"BOWLINE_COLL_SLOTS_LIMIT": "0"}, {"BOWLINE_PROGRESS_THREAD": "1"}, {"BOWLINE_CROSS_MEMORY_ATTACH": "0"}]
SANITIZED = os.environ["SANITIZED"] == "1"
OVER_TCP = EVERYWHERE | {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo"}
HAS_TCP = os.environ["UCX"] == "1" and not SANITIZED
if HAS_TCP:
    WAYS.append(OVER_TCP)
if os.environ.get("FABRIC"):
    WAYS.append(EVERYWHERE | {"BOWLINE_NETWORK": "verbs", "LD_LIBRARY_PATH": os.environ["FABRIC"],
                              "FABRIC_ID": f"deaths-{os.getpid()}"})
# UCX 1.13 may abort a process whose peer ends while both connect to each other over TCP: a death like the others, but
# nobody may be left.
BROKEN = re.compile(r"broke the connection between ranks \d+ and \d+$", re.MULTILINE)
CRASH_OF_UCX = re.compile(r"\w+\.c:\d+\s+Assertion")


class RandomDeaths(SurvivingCase):
    def test_those_who_live_agree_and_compute(self):
        print(f"SEED={FIRST}", flush=True)
        if SANITIZED:
            print("without UCX: after a loss LeakSanitizer crashes in it, and names its memory", flush=True)
        for seed in range(FIRST, FIRST + JOBS):
            settings, ranks, rate = WAYS[seed % len(WAYS)], 3 + seed % 7, 5 + seed % 20
            with self.subTest(SEED=seed, ranks=ranks, settings=settings):
                done = self.run_chaos(seed, f"kinds=kill,rate={rate}", ranks, ("0.4",), settings)
                own = [line for line in done.stderr.splitlines() if not line.startswith("mpiexec")]
                if "UCX_TLS" not in settings or not CRASH_OF_UCX.search(done.stderr):
                    self.assertEqual(own, [])
                self.assert_nothing_left()

    @unittest.skipUnless(HAS_TCP, "no connections to break: built without UCX, or with sanitizers")
    def test_those_who_reach_each_other_go_on(self):
        broken = 0
        for seed in range(FIRST, FIRST + max(1, JOBS // 6)):
            ranks = 3 + seed % 5
            with self.subTest(SEED=seed, ranks=ranks):
                done = self.run_chaos(seed, "kinds=link,rate=5", ranks, ("0.6", "links"), OVER_TCP)
                broken += len(BROKEN.findall(done.stderr))
                self.assert_nothing_left()
        self.assertGreater(broken, 0, "no job had a connection to break")

    def run_chaos(self, seed, deeds, ranks, arguments, settings):
        for left in reversed(range(5)):
            done = self.run_job(("--chaos", f"{seed},{deeds}"), ranks, (os.environ["random_deaths"], *arguments),
                                settings)
            if done.returncode == 0 or left == 0 or not CRASH_OF_UCX.search(done.stderr):
                break
            print(f"UCX has aborted a rank; the job with SEED={seed} is run again", flush=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done


if __name__ == "__main__":
    unittest.main()
