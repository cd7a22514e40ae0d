# SPDX-License-Identifier: BSD-3-Clause
"""Programs end that do not call MPI_Finalize, with a progress thread and without one."""
import os
import subprocess
import unittest

MPIEXEC = os.environ["MPIEXEC"]
PROGRAM = os.environ["PROGRAM"]


def run(ranks, way, progress_thread):
    """Alone, without a launcher, if there are no ranks."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PMIX_", "SLURM_", "PMI_"))}
    launched = [MPIEXEC, "--timeout", "30", "-n", str(ranks)] if ranks > 0 else []
    return subprocess.run([*launched, PROGRAM, way], env=inherited | {"BOWLINE_PROGRESS_THREAD": progress_thread},
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)


class Ending(unittest.TestCase):
    def check(self, way, status, ranks):
        for progress_thread in ("0", "1"):
            for count in ranks:
                with self.subTest(way=way, ranks=count, progress_thread=progress_thread):
                    done = run(count, way, progress_thread)
                    self.assertEqual(done.returncode, status, done.stderr)

    def test_after_sessions(self):
        self.check("sessions", 0, (0, 1, 2))

    def test_by_exit(self):
        self.check("exit", 7, (0, 1, 2))

    def test_by_exit_in_an_operator(self):
        self.check("operator", 7, (2,))

    def test_a_forked_process_ends(self):
        self.check("fork", 0, (0, 1, 2))


if __name__ == "__main__":
    unittest.main()
