# SPDX-License-Identifier: BSD-3-Clause
"""A rank dies while others have epochs with it: the job ends, or the calls that need it fail and name it."""
import os
import shutil
import subprocess
import tempfile
import unittest

import at_once

MPIEXEC, PROGRAM = os.environ["MPIEXEC"], os.environ["WIN_DEAD"]
VICTIM = 1
# mpiexec sees a shell, which outlives the victim until the others are through.
HIDDEN = '"$0" "$@" && exit; until [ "$(ls over.* 2>/dev/null | wc -l)" = $((RANKS - 1)) ]; do sleep 0.05; done'


class WinDead(unittest.TestCase):
    def run_program(self, *command, **settings):
        directory = tempfile.mkdtemp(prefix="bowline-win-dead-")
        self.addCleanup(shutil.rmtree, directory, ignore_errors=True)
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PMIX_", "SLURM_", "PMI_"))}
        return subprocess.run([MPIEXEC, "--timeout", "60", *command], env=inherited | settings, cwd=directory,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=70, check=False)

    def check_silently(self, ranks, **settings):
        done = self.run_program("-n", str(ranks), "sh", "-c", HIDDEN, PROGRAM, "silently",
                                **settings | {"RANKS": str(ranks)})
        said = sorted(line for line in done.stdout.splitlines() if "is through" in line)
        self.assertEqual(said, [f"rank {rank} is through, 0 checks failed" for rank in range(ranks) if rank != VICTIM],
                         done.stderr)

    def test_calls_fail(self):
        at_once.for_each(self.check_silently, (2,), (4,))

    def test_calls_fail_by_messages(self):
        def check(ranks):
            self.check_silently(ranks, BOWLINE_RMA_PATH="messages")
        at_once.for_each(check, (2,), (4,))

    def test_the_job_ends(self):
        for path in ("auto", "messages"):
            with self.subTest(path=path):
                done = self.run_program("-n", "3", PROGRAM, "openly", BOWLINE_RMA_PATH=path)
                self.assertEqual(done.returncode, 128 + 9, done.stderr)
                self.assertRegex(done.stderr, r"rank 1 on \S+ was killed by signal 9")


if __name__ == "__main__":
    at_once.main()
