# SPDX-License-Identifier: BSD-3-Clause
"""A job that needs UCX, and does not find it, ends with one sentence that says so and what to do."""
import os
import subprocess
import unittest


class Missing(unittest.TestCase):
    def run_job(self, **environment):
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PMIX_", "SLURM_", "PMI_", "BOWLINE_"))}
        return subprocess.run([os.environ["MPIEXEC"], "-n", "2", os.environ["PROGRAM"], "no"],
                              env=inherited | environment, capture_output=True, stdin=subprocess.DEVNULL, text=True,
                              timeout=60, check=False)

    def test_a_library_that_is_not_ucx(self):
        done = self.run_job(BOWLINE_NETWORK_REACH="everywhere", LD_LIBRARY_PATH=os.environ["EMPTY"])
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("ranks on different nodes talk through UCX 1.13 or newer, but "
                      f"{os.environ['EMPTY']}/libucp.so.0 has no function ucp_get_version; install UCX on every node",
                      done.stderr)

    def test_nobody_asks_for_it_on_one_node(self):
        done = self.run_job(LD_LIBRARY_PATH=os.environ["EMPTY"])
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
