# SPDX-License-Identifier: BSD-3-Clause
"""Random messages and collectives between ranks on four nodes, all contents checked, while messages are held back,
overtaken and refused (BOWLINE_INJECT_FAULTS), or packets are lost and delayed.

How it goes is written while it goes, with the seed of each part. SOAK_SEED=N gives the first part this seed, and the
others the numbers after it. SOAK_SECONDS=N says how long each part is to take.
"""
import os
import random
import subprocess
import sys
import unittest

from rig_case import PATIENCE, RigCase, command, main, words

RIG = f"soak-{os.getpid()}"
SOAK = os.environ["SOAK"]
SEED = int(os.environ.get("SOAK_SEED") or random.randrange(1, 1 << 30))
NODES = 4

# Ranks of each node, and the settings under which they talk.
WAYS = (
    (1, {}),
    (2, {}),
    (1, {"BOWLINE_UCX_REMOTE_MEMORY": "get", "BOWLINE_UCX_REMOTE_FROM": "16K"}),
    (1, {"BOWLINE_UCX_REMOTE_MEMORY": "put", "BOWLINE_UCX_REMOTE_FROM": "0"}),
    (2, {"BOWLINE_NETWORK_REACH": "everywhere"}),
    (2, {"BOWLINE_PROGRESS_THREAD": "1"}),
)


class SoakCase(RigCase):
    SLURM = ()  # lines more in slurm.conf

    def setUp(self):
        lines = [word for line in self.SLURM for word in ("--slurm-conf", line)]
        self.up(RIG, "-n", NODES, "--replace", *lines)

    def soak(self, seconds, each, seed, settings):
        seconds = int(os.environ.get("SOAK_SECONDS") or seconds)
        print(f"{seconds} s with {each} ranks on each of {NODES} nodes, seed {seed}", *map("=".join, settings.items()),
              file=sys.stderr, flush=True)
        done = subprocess.run(words("run", RIG, "--", "timeout", seconds + 2 * PATIENCE, "srun", "--mpi=pmix",
                                    "--kill-on-bad-exit=1", "--overcommit", f"-N{NODES}", f"--ntasks-per-node={each}",
                                    SOAK, f"{seconds}s", seed),
                              stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False,
                              env=os.environ | {"BOWLINE_HANG_SECONDS": "1"} | settings)  # no wait is a deadlock
        self.assertEqual(done.returncode, 0, f"seed {seed}")


class Short(SoakCase):
    def test_random_traffic(self):
        self.soak(20, 2, SEED, {"BOWLINE_INJECT_FAULTS": str(SEED)})


class HalfHour(SoakCase):
    def test_random_traffic(self):
        for number, (each, settings) in enumerate(WAYS):
            seed = SEED + number
            with self.subTest(seed=seed, **settings):
                self.soak(30 * 60 // len(WAYS), each, seed, settings | {"BOWLINE_INJECT_FAULTS": str(seed)})


class Lossy(SoakCase):
    """On a machine whose kernel can do that (sch_netem), such as tests/guest makes. It is slow, and Slurm must not
    take that for a failure."""
    SLURM = ("SlurmdTimeout=300", "MessageTimeout=60")

    def test_random_traffic(self):
        nodes = [f"n{number + 1}" for number in range(NODES)]
        for node in nodes:
            done = command("link", RIG, "impair", node, "loss 1% delay 5ms 5ms")
            self.assertEqual(done.returncode, 0, done.stderr)
        self.soak(60, 1, SEED, {})
        for node in nodes:
            told = command("run", RIG, "--on", node, "--", "tc", "-s", "qdisc", "show", "dev", "eth0").stdout
            print(node, told.strip(), file=sys.stderr)
            self.assertRegex(told, r"dropped [1-9]")


if __name__ == "__main__":
    main()
