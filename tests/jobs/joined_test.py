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

    def run_all(self, lines, environment):
        """Runs these command lines at the same time, each to a good end without a word."""
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PMIX_", "SLURM_", "PMI_", "BOWLINE_"))}
        started = [subprocess.Popen(line, env=inherited | environment, text=True, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for line in lines]
        said = [each.communicate(timeout=PATIENCE)[0] for each in started]
        self.assertEqual(([each.returncode for each in started], said), ([0] * len(lines), [""] * len(lines)))

    def joins(self, ending, *words, launchers=1, **environment):
        """Job A has three ranks, job B two."""
        limit = ["--timeout", str(PATIENCE - 10)]
        with tempfile.TemporaryDirectory(prefix="bowline-joined-") as folder:
            jobs = [[*limit, "-n", ranks, os.environ["JOINED"], folder, job, ending, *words]
                    for job, ranks in (("A", "3"), ("B", "2"))]
            lines = ([[os.environ["SEVERAL_JOBS"], *jobs[0], ":", *jobs[1]]] if launchers == 1
                     else [[os.environ["MPIEXEC"], *job] for job in jobs])
            self.run_all(lines, {"FABRIC_ID": os.path.basename(folder)} | environment)

    def test_on_one_node(self):
        for ending in "together", "parts":
            self.joins(ending)
            self.joins(ending, launchers=2)

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
