# SPDX-License-Identifier: BSD-3-Clause
"""What the wire-up finds out under srun: who is where, what others have published, and at what cost."""
import os
import re
import subprocess
import unittest

from rig_case import PATIENCE, command, end_hanging_srun, main, words

RIG = os.environ["RIG"]
CLIENT = os.environ["CLIENT"]
TRANSPORT = os.environ.get("UCX") == "1"  # between nodes
SMALL, LARGE = ("-N2", "--ntasks-per-node=2"), ("-N8", "--ntasks-per-node=8")


def srun(*words, mpi="pmix"):
    return command("run", RIG, "--", "srun", f"--mpi={mpi}", "--kill-on-bad-exit=1", *words)


def srun_parts(*rest):
    """Runs a heterogeneous job, again if only srun hangs."""
    for _ in range(5):
        with subprocess.Popen(words("run", RIG, "--", "srun", "--mpi=pmix", "--kill-on-bad-exit=1", *rest), text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as job:
            try:
                output, errors = job.communicate(timeout=PATIENCE / 4)
                return subprocess.CompletedProcess(job.args, job.returncode, output, errors)
            except subprocess.TimeoutExpired:
                hangs = end_hanging_srun(RIG, CLIENT)
                job.kill()
                if not hangs:
                    raise
    raise AssertionError("srun of a heterogeneous job hangs each time")


class Places(unittest.TestCase):
    def ranks(self, *words, start=srun):
        """What the ranks of a job say, in order."""
        done = start(*words)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        found = sorted((int(rank), int(size), int(node), int(nodes), switches.split()) for rank, size, node, nodes,
                       switches in re.findall(r"rank (\d+) of (\d+) on node (\d+) of (\d+), switches(.*)", done.stdout))
        self.assertEqual([line[0] for line in found], list(range(found[0][1])), done.stdout)
        return found

    def nodes(self, *words, **options):
        return [line[2] for line in self.ranks(*words, CLIENT, **options)]

    def test_blocks(self):
        self.assertEqual(self.nodes("-N4", "--ntasks-per-node=2"), [0, 0, 1, 1, 2, 2, 3, 3])

    def test_one_node(self):
        self.assertEqual(self.nodes("-N1", "-n4"), [0] * 4)

    def test_one_rank(self):
        self.assertEqual(self.nodes("-N1", "-n1"), [0])

    def test_uneven(self):
        self.assertEqual(sorted(set(self.nodes("-N3", "-n7"))), [0, 1, 2])

    def test_dealt_out(self):
        self.assertEqual(self.nodes("-N3", "-n6", "--ntasks-per-node=2", "--distribution=cyclic"),
                         [0, 1, 2, 0, 1, 2])

    def test_heterogeneous_job(self):
        self.assertEqual(self.nodes("-N1", "-n2", CLIENT, ":", "-N2", "-n4", "--ntasks-per-node=2",
                                    start=srun_parts),
                         [0, 0, 1, 1, 2, 2])

    def test_switches(self):
        found = [switches for *_, switches in self.ranks("-N8", "-n8", CLIENT)]
        self.assertEqual(found, [["s0.s1"]] * 4 + [["s0.s2"]] * 4)

    def test_a_rank_that_comes_late_is_waited_for(self):
        for late in (0, 3):
            self.assertEqual(len(self.ranks("-N2", "--ntasks-per-node=2", CLIENT, late)), 4)


class Costs(unittest.TestCase):
    """Calls to the PMIx server."""

    def calls(self, *words, program=(os.environ["QUIET"],)):
        done = srun(*words, "env", "BOWLINE_PMIX=" + os.environ["COUNTER"], *program)
        found = re.findall(r"pmix: (\d+) gets, (\d+) puts, (\d+) fences, (\d+) asks", done.stdout)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(len(found), 0)
        return len(found), {tuple(map(int, counts)) for counts in found}

    def largest(self, *words, **settings):
        """The number of processes, and the most that any of them makes of each call."""
        processes, counts = self.calls(*words, **settings)
        return processes, tuple(map(max, zip(*counts)))

    def test_init_and_finalize_cost_no_more_in_large_jobs(self):
        for words, ranks in ((SMALL, 4), (LARGE, 64)):
            processes, (gets, puts, fences, asks) = self.largest(*words)
            self.assertEqual(processes, ranks)
            self.assertLessEqual(gets, 8 + 3)  # at the end of a job a rank has three neighbours at most
            self.assertLessEqual(puts, 4)
            self.assertEqual(fences, 1)  # within the node, at the start
            self.assertEqual(asks, 0)

    def test_collectives_cost_first_contacts_only(self):
        """Switches are known on this rig; that of another node is not asked for."""
        if not TRANSPORT:
            self.skipTest("built without UCX: ranks of different nodes cannot talk")
        for nodes, contacts in ((2, 1), (8, 6)):  # three peers are sent to, and three send, in three rounds
            processes, (gets, puts, fences, _) = self.largest(
                f"-N{nodes}", "--ntasks-per-node=2", program=(os.environ["TRAFFIC"], "bcast", "8", "1"))
            self.assertEqual(processes, 2 * nodes)
            self.assertLessEqual(gets, 8 + 3 + contacts)
            self.assertLessEqual(puts, 3)
            self.assertEqual(fences, 1)

    def test_ranks_alone_on_their_nodes_make_no_fence(self):
        self.assertEqual({fences for _, _, fences, _ in self.calls("-N4", "-n4")[1]}, {0})

    def test_ranks_alone_on_their_nodes_ask_where_the_next_one_is(self):
        self.assertEqual({asks for *_, asks in self.calls("-N4", "-n4")[1]}, {1 if TRANSPORT else 0})


class Warnings(unittest.TestCase):
    def test_srun_without_pmix(self):
        done = srun("-N2", "-n4", os.environ["QUIET"], mpi="none")
        lines = [line for line in done.stderr.splitlines() if "SLURM_NTASKS" in line]
        self.assertEqual((done.returncode, len(lines)), (0, 1), done.stderr)
        self.assertRegex(lines[0], r"4 jobs of one rank .*srun --mpi=pmix")

    def test_by_hand_in_an_allocation(self):
        done = command("run", RIG, "--", "salloc", "-N2", "-n4", os.environ["QUIET"])
        lines = [line for line in done.stderr.splitlines() if "SLURM_NTASKS" in line]
        self.assertEqual((done.returncode, len(lines)), (0, 1), done.stderr)
        self.assertIn("by hand", lines[0])


if __name__ == "__main__":
    main()
