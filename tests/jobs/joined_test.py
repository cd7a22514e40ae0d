# SPDX-License-Identifier: BSD-3-Clause
"""Two jobs that are joined by hand talk over shared memory and networks; they end together, or one of them leaves."""
import os
import subprocess
import tempfile
import unittest

UCX = {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "lo"}
VERBS = {"LD_LIBRARY_PATH": os.environ["FABRIC"], "BOWLINE_NETWORK": "verbs"}
ALWAYS = {"BOWLINE_NETWORK_REACH": "everywhere"}
PATIENCE = 100


class Joined(unittest.TestCase):
    maxDiff = None

    def joins(self, ending, *words, **environment):
        """Job A has three ranks, job B two."""
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PMIX_", "SLURM_", "PMI_", "BOWLINE_"))}
        with tempfile.TemporaryDirectory(prefix="bowline-joined-") as folder:
            jobs = [subprocess.Popen([os.environ["MPIEXEC"], "--timeout", str(PATIENCE - 10), "-n", ranks,
                                      os.environ["JOINED"], folder, job, ending, *words],
                                     env=inherited | {"FABRIC_ID": os.path.basename(folder)} | environment, text=True,
                                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                    for job, ranks in (("A", "3"), ("B", "2"))]
            said = [job.communicate(timeout=PATIENCE)[0] for job in jobs]
            self.assertEqual(([job.returncode for job in jobs], said), ([0, 0], ["", ""]))

    def test_on_one_node(self):
        for ending in "together", "parts":
            self.joins(ending)

    def test_a_network_is_loaded_for_the_other_job(self):
        for ending in "together", "parts":
            self.joins(ending, "elsewhere", **UCX)

    def test_a_network_everywhere(self):
        for ending in "together", "parts":
            self.joins(ending, **UCX, **ALWAYS)

    def test_adapters(self):
        for ending in "together", "parts":
            self.joins(ending, **VERBS, **ALWAYS)
        self.joins("parts", "elsewhere", **VERBS)


if __name__ == "__main__":
    unittest.main()
