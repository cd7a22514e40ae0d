# SPDX-License-Identifier: BSD-3-Clause
"""What slurm/ has for users and administrators: the batch examples, mpiexec in an allocation, signals, a rank that
dies, ranks that wait for each other, the epilog."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from rig_case import PATIENCE, TESTBED, RigCase, command, end_hanging_srun, eventually, first_nodes, main, words

RIG = os.environ["RIG"]
SLURM = TESTBED.parent
CLIENT, SIGNALS, MPIEXEC = os.environ["CLIENT"], os.environ["SIGNALS"], os.environ["MPIEXEC"]
WAITING_RANKS = os.environ["WAITING_RANKS"]
PS = pathlib.Path(MPIEXEC).with_name("bowline-ps")


def ranks(text):
    """(rank, size, node) of each rank of wireup_client."""
    return sorted(tuple(map(int, found)) for found in re.findall(r"rank (\d+) of (\d+) on node (\d+)", text))


class Batch(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="bowline-batch-", dir="/var/tmp"))  # all nodes see it
        self.addCleanup(subprocess.run, ["rm", "-rf", self.directory], check=False)

    def submit(self, script, *arguments):
        """The output of the job, which has ended well. sbatch --wait would look only every few seconds."""
        output = self.directory / "output"
        done = command("run", RIG, "--", "sbatch", "--parsable", "--output", output, SLURM / "examples" / script,
                       *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        job = done.stdout.strip()

        def states():
            told = command("run", RIG, "--", "squeue", "--noheader", "--states=all", f"--jobs={job}", "--format=%T")
            return set(told.stdout.split())
        running = {"PENDING", "CONFIGURING", "RUNNING", "COMPLETING"}
        if not eventually(lambda: not states() & running):
            if end_hanging_srun(RIG, CLIENT):
                return self.submit(script, *arguments)
            self.fail(f"job {job} is {states()}")
        text = output.read_text(encoding="utf-8") if output.exists() else ""
        self.assertEqual(states(), {"COMPLETED"}, text)
        return text

    def test_pure_mpi(self):
        self.assertEqual(ranks(self.submit("pure_mpi.sbatch", CLIENT)), [(r, 8, r // 4) for r in range(8)])

    def test_hybrid(self):
        script = f'echo "threads $OMP_NUM_THREADS"; exec {CLIENT}'
        text = self.submit("hybrid.sbatch", "sh", "-c", script)
        self.assertEqual(ranks(text), [(r, 4, r // 2) for r in range(4)])
        self.assertEqual(text.count("threads 2"), 4)

    def test_heterogeneous(self):
        self.assertEqual(ranks(self.submit("heterogeneous.sbatch", CLIENT, CLIENT)),
                         [(0, 5, 0), (1, 5, 1), (2, 5, 1), (3, 5, 2), (4, 5, 2)])


class Mpiexec(unittest.TestCase):
    """In an allocation of several nodes it becomes srun."""

    def mpiexec(self, *words):
        return command("run", RIG, "--", "salloc", "-N2", "--ntasks-per-node=4", MPIEXEC, *words)

    def test_ranks_per_node(self):
        script = f'echo "$GREETING"; exec {CLIENT}'
        done = self.mpiexec("-v", "-n", 4, "-N", 2, "-x", "GREETING=a b", "sh", "-c", script)
        self.assertEqual(ranks(done.stdout), [(0, 4, 0), (1, 4, 0), (2, 4, 1), (3, 4, 1)], done.stderr)
        self.assertEqual(done.stdout.count("a b\n"), 4)
        self.assertIn("mpiexec: srun --mpi=pmix", done.stderr)

    def test_directory(self):
        done = self.mpiexec("-n", 2, "-N", 1, "--wdir", "/usr", "pwd")
        self.assertEqual((done.returncode, done.stdout), (0, "/usr\n/usr\n"), done.stderr)

    def test_status(self):
        """Of a rank alone: srun ends the others of one that fails, and takes the greatest status of all."""
        self.assertEqual(self.mpiexec("-n", 1, "-N", 1, "sh", "-c", "exit 7").returncode, 7)

    def test_timeout(self):
        self.assertEqual(self.mpiexec("-n", 2, "--timeout", 2, "sleep", 60).returncode, 124)

    def test_a_rank_that_dies_ends_the_job(self):
        done = self.mpiexec("-n", 2, "-N", 1, SIGNALS, 1)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"n\d: task 1: Killed")


class Signals(unittest.TestCase):
    def start(self, *program):
        job = subprocess.Popen(words("run", RIG, "--", "srun", "--mpi=pmix", "-N2", "-n4", "--ntasks-per-node=2",
                                     "--job-name=signals", *program), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
        self.addCleanup(job.communicate)
        self.addCleanup(job.kill)
        return job

    def test_scancel_reaches_all_ranks(self):
        for signal, number in (("USR1", 10), ("TERM", 15)):
            job = self.start(SIGNALS)
            self.assertEqual(sorted(job.stdout.readline() for _ in range(4)), [f"ready {rank}\n" for rank in range(4)])
            command("run", RIG, "--", "scancel", f"--signal={signal}", "--name=signals")
            out, err = job.communicate(timeout=PATIENCE)
            self.assertEqual(sorted(out.splitlines()), [f"caught {number} by {rank}" for rank in range(4)], err)

    def test_a_rank_that_dies_ends_the_step(self):
        """Although the site has not set KillOnBadExit: another rank of its node is there, whose PMIx server notices."""
        job = self.start(SIGNALS, "1")
        _, err = job.communicate(timeout=PATIENCE)
        self.assertNotEqual(job.returncode, 0)
        self.assertRegex(err, r"srun: error: n\d: task 1: Killed")


class Asking(unittest.TestCase):
    """Ranks tell what they do when scancel sends them a signal."""

    def start(self):
        job = subprocess.Popen(words("run", RIG, "--", "srun", "--mpi=pmix", *first_nodes(2), "--ntasks-per-node=2",
                                     "--job-name=asked", WAITING_RANKS, "met_receive", "met_barrier", "met_compute",
                                     "met_receive"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(job.communicate)
        self.addCleanup(job.kill)
        return job

    def signal(self, name):
        command("run", RIG, "--", "scancel", f"--signal={name}", "--name=asked")

    def await_waits(self):
        """Three ranks wait for what will not come, and the fourth has passed the barrier before."""
        def told(node):
            return command("run", RIG, "--on", node, "--", PS).stdout
        for node, words in (("n1", "from rank 1, tag 7"), ("n1", "MPI_Barrier"), ("n2", "from rank 0, tag 7"),
                            ("n2", r"rank 2 +process \d+ +running")):
            if not eventually(lambda node=node, words=words: re.search(words, told(node))):
                self.fail("\n".join([f"not seen on {node}: {words}", told("n1"), told("n2"),
                                     command("run", RIG, "--", "squeue", "--steps").stdout]))

    def pages(self, job):
        """Of the four ranks, by rank: the node, what it says, its stack."""
        text = ""
        while text.count("\n  main ") < 4:
            text += job.stdout.readline() or self.fail(text)
        found = re.findall(r"^rank (\d) on (n\d) got SIGUSR1 while it (.*); its stack:\n((?:  .*\n)*)", text,
                           re.MULTILINE)
        return {int(page[0]): page[1:] for page in found}

    def test_sigusr1_and_sigterm(self):
        job = self.start()
        self.await_waits()
        self.signal("USR1")
        pages = self.pages(job)
        self.assertRegex(pages[0][1], r"waited for \d+\.\d s in MPI_Recv on MPI_COMM_WORLD from rank 1, tag 7")
        self.assertRegex(pages[0][2], r"MPI_Recv\n.*receive\(\) \(waiting_ranks.cpp:\d+\)")
        self.assertEqual(pages[2][:2], ("n2", "did not wait in MPI"))
        self.assertRegex(pages[2][2], r"compute\(\) \(waiting_ranks.cpp:\d+\)")
        self.signal("TERM")
        out, _ = job.communicate(timeout=PATIENCE)
        self.assertEqual(job.returncode, 128 + 15, out)
        # Rank 1 may end before rank 0 gets the signal, and so end the wait of rank 0.
        for rank, node, what in ((0, 1, r"(waited for \d+\.\d s in MPI_Recv on MPI_COMM_WORLD from rank 1, tag 7"
                                        "|did not wait in MPI)"),
                                 (1, 1, r"waited for \d+\.\d s in MPI_Barrier on .*"),
                                 (2, 2, "did not wait in MPI"), (3, 2, r"waited for \d+\.\d s in MPI_Recv on .*")):
            self.assertRegex(out, rf"rank {rank} on n{node} got SIGTERM while it {what} \(waiting_ranks.cpp:\d+\)\n")


@unittest.skipUnless(os.environ["UCX"] == "1", "this build has no transport between nodes")
class Deadlock(unittest.TestCase):
    def srun(self, *what):
        return command("run", RIG, "--", "timeout", PATIENCE, "srun", "--mpi=pmix", *first_nodes(2),
                       "--ntasks-per-node=2", WAITING_RANKS, *what, timeout=2 * PATIENCE,
                       env=os.environ | {"BOWLINE_HANG_SECONDS": "1"})

    def test_ranks_that_wait_for_each_other_end_the_step(self):
        done = self.srun("met_receive", "met_barrier", "met_send", "met_receive")
        self.assertEqual(done.returncode, 1, done.stderr)
        lines = [line for line in done.stderr.splitlines() if line.startswith("bowline: ")]
        self.assertRegex(lines[0], "^bowline: deadlock: every rank of the job waits")
        for number, what in enumerate(("Recv on MPI_COMM_WORLD from rank 1", "Barrier on MPI_COMM_WORLD, operation ",
                                       "Send on MPI_COMM_WORLD to rank 3", "Recv on MPI_COMM_WORLD from rank 0")):
            self.assertIn(f"bowline: rank {number} on n{number // 2 + 1}: in MPI_{what}", "\n".join(lines))


class Epilog(RigCase):
    def test_a_runaway_is_killed(self):
        rig = f"epilog-{os.getpid()}"
        parts = self.up(rig, "-n", 1, "--slurm-conf", f"Epilog={SLURM}/epilog")
        done = command("run", rig, "--", "srun", "sh", "-c",
                       "(setsid sleep 4242 >/dev/null 2>&1 &); until pgrep -f 'sleep 4242' >/dev/null; do :; done")
        self.assertEqual(done.returncode, 0, done.stderr)

        def left():
            return command("run", rig, "--on", "n1", "--", "pgrep", "-x", "sleep", "-a").stdout.count("4242")
        self.assertTrue(eventually(lambda: left() == 0, 20))
        state = command("run", rig, "--", "sinfo", "-h", "-o", "%T").stdout.strip()
        self.assertIn(state, ("idle", "completing"))
        self.assert_down_leaves_nothing(rig, parts)


if __name__ == "__main__":
    main()
