# SPDX-License-Identifier: BSD-3-Clause
"""A rank dies unseen by the launcher, while others are in collective operations with it: these end with an error."""
import os
import shutil
import subprocess
import tempfile
import unittest

import at_once

MPIEXEC, PROGRAM = os.environ["MPIEXEC"], os.environ["DEAD_MEMBER"]
VICTIM = 1
# mpiexec sees a shell, which outlives the victim until the others are through.
HIDDEN = '"$0" "$@" && exit; until [ "$(ls over.* 2>/dev/null | wc -l)" = $((RANKS - 1)) ]; do sleep 0.05; done'


class DeadMember(unittest.TestCase):
    def check(self, ranks, count, **settings):
        directory = tempfile.mkdtemp(prefix="bowline-dead-member-")
        self.addCleanup(shutil.rmtree, directory, ignore_errors=True)
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PMIX_", "SLURM_", "PMI_"))}
        done = subprocess.run([MPIEXEC, "--timeout", "90", "-n", str(ranks), "sh", "-c", HIDDEN, PROGRAM, str(count)],
                              env=inherited | settings | {"RANKS": str(ranks)}, cwd=directory,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100, check=False)
        said = sorted(line for line in done.stdout.splitlines() if "is through" in line)
        self.assertEqual(said, [f"rank {rank} is through, 0 checks failed" for rank in range(ranks) if rank != VICTIM],
                         done.stderr)

    def test_through_shared_memory(self):
        at_once.for_each(self.check, (2, 1), (2, 100_000), (4, 1), (4, 100_000))

    def test_by_messages(self):
        """A rank that waits for one which has failed hears of that: it does not wait for the victim itself."""
        def check(ranks, count):
            self.check(ranks, count, BOWLINE_COLL_SLOTS_LIMIT="0")
        at_once.for_each(check, (2, 1), (2, 100_000), (5, 1), (5, 100_000))

    def test_under_a_progress_thread(self):
        self.check(3, 1, BOWLINE_PROGRESS_THREAD="1")


if __name__ == "__main__":
    at_once.main()
