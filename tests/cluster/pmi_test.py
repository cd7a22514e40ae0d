# SPDX-License-Identifier: BSD-3-Clause
"""Jobs under a Slurm that offers PMI instead of PMIx: srun --mpi=pmi2. And jobs of one rank, which need neither."""
import os
import pathlib
import re
import shutil
import tempfile
import unittest

from rig_case import command, eventually, main, read

RIG = os.environ["RIG"]
HELLO = os.environ["HELLO"]
TRANSPORT = os.environ.get("UCX") == "1"  # between nodes
PMI = ("srun", "--mpi=pmi2", "--kill-on-bad-exit=1", "--overcommit")


def on_login(*words):
    return command("run", RIG, "--", "env", "BOWLINE_WAIT_SPINS=24", *words)


class Places(unittest.TestCase):
    def nodes(self, *words):
        """The node of each rank; each of them has looked up what all others have published."""
        done = on_login(*PMI, *words, os.environ["CLIENT"])
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertEqual(done.stderr, "")
        found = sorted((int(rank), int(node)) for rank, node in re.findall(r"rank (\d+) of \d+ on node (\d+) of",
                                                                           done.stdout))
        self.assertEqual([rank for rank, _ in found], list(range(len(found))))
        return [node for _, node in found]

    def test_blocks(self):
        self.assertEqual(self.nodes("-N4", "--ntasks-per-node=2"), [0, 0, 1, 1, 2, 2, 3, 3])

    def test_dealt_out(self):
        self.assertEqual(self.nodes("-N3", "-n6", "--ntasks-per-node=2", "--distribution=cyclic"), [0, 1, 2, 0, 1, 2])

    def test_uneven(self):
        self.assertEqual(sorted(set(self.nodes("-N3", "-n7"))), [0, 1, 2])

    def test_one_node(self):
        self.assertEqual(self.nodes("-N1", "-n4"), [0] * 4)

    def test_many_ranks(self):
        self.assertEqual(self.nodes("-N8", "--ntasks-per-node=8"), [node for node in range(8) for _ in range(8)])


@unittest.skipUnless(TRANSPORT, "built without UCX: ranks of different nodes cannot talk")
class Programs(unittest.TestCase):
    def assert_passes(self, ranks, *words):
        done = on_login(*PMI, *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertRegex(done.stdout, rf"\Arank 0 of {ranks}: \d+ checks passed\n\Z")

    def test_collectives(self):
        self.assert_passes(4, "-N2", "--ntasks-per-node=2", os.environ["COLLECTIVES"])

    def test_messages(self):
        self.assert_passes(2, "-N2", "-n2", os.environ["P2P"])

    def test_spawn(self):
        self.assert_passes(2, "-N2", "-n2", os.environ["OFFSPRING"])

    def test_abort(self):
        """Slurm takes no status with the abort of PMI."""
        done = on_login(*PMI, "-N2", "-n2", os.environ["ABORT"], 7)
        self.assertEqual(done.returncode, 137, done.stderr)
        self.assertRegex(done.stderr, r"(?m)^bowline: rank 1 on n\d: MPI_Abort was called on .* with code 7 ")


class OneRank(unittest.TestCase):
    def assert_one_rank(self, *words, times=1):
        done = on_login(*words)
        self.assertEqual((done.returncode, done.stdout), (0, "Hello world from process 0/1\n" * times), done.stderr)
        self.assertNotIn("bowline:", done.stderr)

    def test_srun_of_every_kind(self):
        for kind in ("none", "pmi2", "pmix"):
            with self.subTest(kind=kind):
                self.assert_one_rank("srun", f"--mpi={kind}", "-n1", HELLO)

    def test_a_shell_that_srun_has_started(self):
        self.assert_one_rank("srun", "--mpi=pmi2", "-n1", "sh", "-c", '"$1" && "$1"', "sh", HELLO, times=2)

    def test_by_hand_in_an_allocation(self):
        self.assert_one_rank("salloc", "--quiet", "-n1", HELLO)

    def test_by_hand_in_a_batch_script(self):
        """One rank of an allocation of four tasks says that there could be more."""
        folder = tempfile.mkdtemp(prefix="bowline-batch-", dir="/var/tmp")  # all nodes see it
        self.addCleanup(shutil.rmtree, folder)
        output = pathlib.Path(folder) / "output"
        done = command("run", RIG, "--", "sbatch", "--quiet", "-N2", "-n4", f"--output={output}", f"--wrap={HELLO}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(eventually(lambda: "Hello" in read(output)), read(output))
        lines = sorted(read(output).splitlines())
        self.assertEqual((len(lines), lines[0]), (2, "Hello world from process 0/1"), lines)
        self.assertIn("was started by hand in a Slurm shell", lines[1])


if __name__ == "__main__":
    main()
