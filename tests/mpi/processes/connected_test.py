# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that were started apart connect over a port and use everything of MPI together: two mpiexecs, a mpiexec and a
process without a launcher, two such processes. CONNECTED is the program of connected.cpp."""
import os
import subprocess
import tempfile
import unittest

MPIEXEC = os.environ["MPIEXEC"]
CONNECTED = os.environ["CONNECTED"]
PATIENCE = 90


class Jobs(unittest.TestCase):
    def check_connected(self, server_ranks, client_ranks, **settings):
        """A number of ranks of 0: a process without a launcher."""
        with tempfile.TemporaryDirectory() as folder:
            jobs = [self.start(ranks, folder, role, settings)
                    for ranks, role in ((server_ranks, "server"), (client_ranks, "client"))]
            for job, ranks in zip(jobs, (server_ranks, client_ranks)):
                self.check_end(job, max(ranks, 1))

    def check_end(self, job, ranks):
        out, err = job.communicate(timeout=PATIENCE)
        self.assertEqual(job.returncode, 0, out + err)
        self.assertRegex(out, rf"\Arank 0 of {ranks}: \d+ checks passed\n\Z")
        self.assertEqual(err, "")

    def start(self, ranks, folder, role, settings, before=()):
        launcher = [MPIEXEC, "--timeout", str(PATIENCE - 10), "-n", str(ranks)] if ranks else []
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PMIX_", "SLURM_", "PMI_"))}
        job = subprocess.Popen([*before, *launcher, CONNECTED, folder, role], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=inherited | settings)
        self.addCleanup(self.stop, job)
        return job

    @staticmethod
    def stop(job):
        job.kill()
        job.communicate()

    def test_two_jobs(self):
        self.check_connected(2, 3)

    def test_jobs_of_one_rank(self):
        self.check_connected(1, 1)

    def test_a_process_without_a_launcher(self):
        self.check_connected(0, 2)
        self.check_connected(2, 0)

    def test_two_processes_without_a_launcher(self):
        self.check_connected(0, 0)

    def test_without_single_copy(self):
        self.check_connected(2, 2, BOWLINE_CROSS_MEMORY_ATTACH="0")

    def test_another_user_is_refused(self):
        other = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
        if os.geteuid() != 0 or subprocess.run([*other, "test", "-x", CONNECTED], check=False).returncode != 0:
            self.skipTest("needs root, and a build that other users may read")
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            server = self.start(0, folder, "server", {})
            _, err = self.start(0, folder, "client", {}, other).communicate(timeout=PATIENCE)
            self.assertRegex(err, "MPI_Comm_connect: the other process belongs to the user with the number 0, this one "
                                  "to 65534: processes of different users cannot be connected")
            self.check_end(self.start(0, folder, "client", {}), 1)
            self.check_end(server, 1)

    def test_checked(self):
        self.check_connected(2, 1, BOWLINE_CHECK="all")


if __name__ == "__main__":
    unittest.main()
