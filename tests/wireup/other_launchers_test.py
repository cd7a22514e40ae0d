# SPDX-License-Identifier: BSD-3-Clause
"""Programs under the launchers of other MPI libraries: Hydra, MPICH's mpiexec, by PMI; Open MPI's mpirun by PMIx.

The variables P2P, COLLECTIVES and so on name programs of tests/mpi.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

PATIENCE = 60  # seconds after which anything counts as hanging
HYDRA = shutil.which("mpiexec.hydra")
MPIRUN = shutil.which("mpirun.openmpi")
TWO_NODES = ("-bootstrap", "fork", "-hosts", "127.0.0.1:1,127.0.0.2:1")  # so Hydra says; they are this one


def run(*words, **options):
    outer = ("PMIX_", "PMI_", "SLURM_", "OMPI_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(outer)}
    environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return subprocess.run([str(word) for word in words], **{
        "stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "timeout": PATIENCE, "check": False,
        "env": environment} | options)


class Launched(unittest.TestCase):
    def assert_passes(self, done, size):
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertRegex(done.stdout, rf"\Arank 0 of {size}: \d+ checks passed\n\Z")
        self.assertEqual(done.stderr, "")


@unittest.skipUnless(HYDRA, "there is no mpiexec.hydra: install MPICH (scripts/setup check)")
class Hydra(Launched):
    def test_programs(self):
        for program in ("COLLECTIVES", "P2P"):
            with self.subTest(program=program):
                self.assert_passes(run(HYDRA, "-n", 3, os.environ[program]), 3)

    def test_its_port(self):
        done = run(HYDRA, "-pmi-port", "-n", 3, os.environ["HELLO"])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(sorted(done.stdout.splitlines()), [f"Hello world from process {rank}/3" for rank in range(3)])

    @unittest.skipUnless(os.environ.get("NETWORK") == "1", "built without UCX: ranks of different nodes cannot talk")
    def test_two_nodes(self):
        self.assert_passes(run(HYDRA, *TWO_NODES, "-n", 2, os.environ["P2P"]), 2)

    def test_one_rank_and_programs_in_a_row(self):
        done = run(HYDRA, "-n", 1, "sh", "-c", '"$1" && "$1"', "sh", os.environ["HELLO"])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "Hello world from process 0/1\n" * 2)

    def test_the_second_program_of_two_ranks_is_told_why_it_cannot_start(self):
        done = run(HYDRA, "-n", 2, "sh", "-c", '"$1"; "$1"', "sh", os.environ["HELLO"])
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(sorted(done.stdout.splitlines()), [f"Hello world from process {rank}/2" for rank in (0, 1)])
        self.assertIn("another program has used the connection before", done.stderr)

    @unittest.skipUnless(os.path.exists(os.environ["FOR_MPICH"]), "MPICH's mpicc was not there when this was built")
    def test_a_program_that_was_built_for_mpich(self):
        done = run(HYDRA, "-n", 3, "env", "LD_LIBRARY_PATH=" + os.environ["FRONT"], os.environ["FOR_MPICH"])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"\A\d+ checks hold\n\Z")

    def test_abort(self):
        done = run(HYDRA, "-n", 3, os.environ["ABORT"], 7)
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertRegex(done.stderr, r"\Abowline: rank 2 on .*: MPI_Abort was called on MPI_COMM_WORLD with code 7")

    def test_a_rank_that_dies_ends_the_job(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="hydra-test-"))
        self.addCleanup(shutil.rmtree, folder)
        with subprocess.Popen([HYDRA, "-n", "3", os.environ["DEAD_RANK"], "receive"], cwd=folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as job:
            try:
                ready = [folder / f"ready.{rank}" for rank in range(3)]
                deadline = time.monotonic() + PATIENCE
                while not all(path.exists() for path in ready) and time.monotonic() < deadline:
                    time.sleep(0.01)
                ranks = [int(path.read_text(encoding="utf-8")) for path in ready]
                os.kill(ranks[1], signal.SIGKILL)
                self.assertEqual(job.wait(PATIENCE), signal.SIGKILL)
                self.assertEqual([pid for pid in ranks if pathlib.Path(f"/proc/{pid}/exe").exists()], [])
            finally:
                job.kill()

    def test_spawn(self):
        self.assert_passes(run(HYDRA, "-n", 2, os.environ["OFFSPRING"]), 2)

    @unittest.skipUnless(os.environ.get("NETWORK") == "1", "built without UCX: ranks of different nodes cannot talk")
    def test_spawn_from_several_nodes_is_refused(self):
        done = run(HYDRA, *TWO_NODES, "-n", 2, os.environ["OFFSPRING"])
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("MPI_Comm_spawn: this job runs on several nodes under a launcher that speaks PMI", done.stderr)


@unittest.skipUnless(MPIRUN, "there is no mpirun.openmpi: install Open MPI (scripts/setup check)")
class OpenMpi(Launched):
    def test_programs(self):
        self.assert_passes(run(MPIRUN, "--oversubscribe", "-n", 3, os.environ["COLLECTIVES"]), 3)


if __name__ == "__main__":
    unittest.main()
