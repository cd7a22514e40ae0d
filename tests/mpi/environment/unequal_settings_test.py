# SPDX-License-Identifier: BSD-3-Clause
"""Ranks that were started with other values of settings that must be equal do not wait for each other for ever."""
import os
import subprocess
import unittest

MPIEXEC, PROGRAM = os.environ["MPIEXEC"], os.environ["PROGRAM"]
NETWORK = ["-genv", "BOWLINE_NETWORK_REACH", "everywhere", "-genv", "UCX_TLS", "tcp,self", "-genv", "UCX_NET_DEVICES",
           "lo"]


class UnequalSettings(unittest.TestCase):
    def run_job(self, first, second, *words):
        """Two ranks, each with settings of its own."""
        command = [MPIEXEC, "--timeout", "60", *words]
        for settings, end in ((first, [":"]), (second, [])):
            command += ["-n", "1"]
            for name, value in settings.items():
                command += ["-env", name, value]
            command += [PROGRAM, "0.1", *end]
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=90,
                              check=False)

    def assert_refused(self, done, value):
        self.assertNotIn(done.returncode, (0, 124), done.stderr)
        self.assertRegex(done.stderr, r"rank [01] runs with other settings than this process, which has (none of them "
                                      rf"set|{value}): BOWLINE_CHECK_COLLECTIVES, [^\n]* must be the same at all ranks")

    def test_on_a_node(self):
        self.assert_refused(self.run_job({"BOWLINE_COLL_REPRODUCIBLE": "1"}, {}), "BOWLINE_COLL_REPRODUCIBLE=1")
        self.assert_refused(self.run_job({}, {"BOWLINE_COLLECTIVES": "bcast=chain"}), "BOWLINE_COLLECTIVES=bcast=chain")

    @unittest.skipIf(os.environ["UCX"] == "0" or os.environ["SANITIZED"] == "1",
                     "without UCX, or with sanitizers, which name its memory after a failure")
    def test_over_a_network(self):
        self.assert_refused(self.run_job({"BOWLINE_COLL_COMPARE": "0"}, {}, *NETWORK), "BOWLINE_COLL_COMPARE=0")

    def test_what_may_differ(self):
        done = self.run_job({"BOWLINE_WAIT_SPINS": "10", "BOWLINE_COLL_COMPARE": "1"}, {"BOWLINE_SHM_RING_SIZE": "64K"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
