# SPDX-License-Identifier: BSD-3-Clause
"""Jobs under srun that grow: steps that connect, also with a process that nobody has launched, and steps that start
further ones. CONNECTED, BY_SOCKET, SPAWN and OFFSPRING are programs of tests/mpi/processes, FAMILY is that of
family.cpp, COMPUTING that of computing_receivers.cpp."""
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import time
import unittest

from rig_case import PATIENCE, command, eventually, first_nodes, main, words

RIG = os.environ["RIG"]
CONNECTED, BY_SOCKET, SPAWN, FAMILY, OFFSPRING, COMPUTING = (
    os.environ[name] for name in ("CONNECTED", "BY_SOCKET", "SPAWN", "FAMILY", "OFFSPRING", "COMPUTING"))
SRUN = ("timeout", PATIENCE, "srun", "--mpi=pmix")


def on_login(*what, **options):
    return command("run", RIG, "--", *what, **({"timeout": 2 * PATIENCE} | options))


def family_members():
    """On the nodes of the test: what ps says of processes of FAMILY, and of srun."""
    text = ""
    for node in ("n1", "n2"):
        text += command("run", RIG, "--on", node, "--", "ps", "-eo", "pid,args").stdout
    return [line for line in text.splitlines() if re.search(rf"{re.escape(FAMILY)}|srun ", line)]


def steps():
    return on_login("squeue", "--steps", "--noheader", "--format=%i").stdout.split()


class Connecting(unittest.TestCase):
    def check_connected(self, server, client, program=CONNECTED):
        """Runs both command lines, which may be empty, at once in an allocation of two nodes."""
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:  # all nodes see it
            ends = [shlex.join(map(str, (*launcher, program, folder, role)))
                    for launcher, role in ((server, "server"), (client, "client"))]
            done = on_login("salloc", *first_nodes(2), "--ntasks-per-node=4",
                            "sh", "-c", f"{ends[0]} & {ends[1]} && wait $!")
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertEqual(len(re.findall(r"^rank 0 of \d: \d+ checks passed$", done.stdout, re.MULTILINE)), 2, done)

    def test_steps_on_different_nodes(self):
        self.check_connected((*SRUN, "-N1", "-n2", "-w", "n1"), (*SRUN, "-N1", "-n3", "-w", "n2"))

    def test_steps_that_share_nodes(self):
        self.check_connected((*SRUN, "--overlap", "-N2", "-n2"), (*SRUN, "--overlap", "-N2", "-n3"))

    def test_over_a_socket_of_the_program(self):
        self.check_connected((*SRUN, "-N1", "-n1", "-w", "n1"), (*SRUN, "-N1", "-n1", "-w", "n2"), BY_SOCKET)

    def test_a_process_without_a_launcher(self):
        self.check_connected((*SRUN, "-N2", "-n3"), ("timeout", PATIENCE, "env", "-u", "SLURM_JOB_ID"))


class Spawning(unittest.TestCase):
    def tearDown(self):
        self.assertTrue(eventually(lambda: not family_members() and not steps(), 20), (family_members(), steps()))

    def test_all_of_mpi_from_one_rank(self):
        done = on_login(*SRUN, "-N1", "-n1", SPAWN)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\Arank 0 of 1: \d+ checks passed\n\Z")
        self.assertNotIn("bowline:", done.stderr)

    def test_all_of_mpi_from_two_nodes(self):
        done = on_login(*SRUN, "-N2", "-n2", SPAWN)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\Arank 0 of 2: \d+ checks passed\n\Z")
        self.assertNotIn("bowline:", done.stderr)

    def test_what_children_and_parents_know(self):
        done = on_login(*SRUN, "-N2", "-n2", OFFSPRING)
        self.assertRegex(done.stdout, r"\Arank 0 of 2: \d+ checks passed\n\Z", done.stderr)

    def test_children_that_compute_accept_connections(self):
        """By their progress threads, though their job has no network before it connects to its parents."""
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:  # all nodes see it
            done = on_login("salloc", *first_nodes(2), "--ntasks-per-node=3", "env", "BOWLINE_PROGRESS_THREAD=1", *SRUN,
                            *first_nodes(1), "-n3", COMPUTING, folder, "n2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(re.findall(r"(?m)^rank 0 of 3: \d+ checks passed$", done.stdout)), 2, done.stdout)

    def test_a_process_without_a_launcher_in_an_allocation(self):
        done = on_login("salloc", *first_nodes(2), "--ntasks-per-node=2", "timeout", PATIENCE, FAMILY, "many", "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(done.stdout.splitlines()),
                         ["child 0 on n1", "child 1 on n1", "child 2 on n2", "parent 0 on login"])

    def test_children_that_have_parted_harm_nobody(self):
        done = on_login(*SRUN, "-N1", "-n1", SPAWN, "parted")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\Arank 0 of 1: \d+ checks passed\n\Z")
        self.assertIn("MPI_Abort was called", done.stderr)
        self.assertRegex(done.stderr, r"srun: error: n\d: task 0: Exited with exit code 7")

    def family(self, *arguments, nodes=2):
        done = on_login(*SRUN, *first_nodes(nodes), f"-n{nodes}", FAMILY, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return sorted(done.stdout.splitlines()), done.stderr

    def test_more_processes_than_cpus(self):
        out, _ = self.family("many", 9, nodes=1)
        self.assertEqual(out, [f"child {rank} on n1" for rank in range(9)] + ["parent 0 on n1"])

    def test_the_universe_is_the_allocation(self):
        done = on_login("salloc", "-N2", "--ntasks-per-node=3", *SRUN, "-n2", FAMILY, "universe")
        self.assertEqual(done.stdout, "universe 6\n" * 2, done.stderr)

    def test_hosts(self):
        parents = ["parent 0 on n1", "parent 1 on n2"]
        self.assertEqual(self.family("many", 1, "n2")[0], ["child 0 on n2", *parents])
        self.assertEqual(self.family("many", 4, "n2:2,n1")[0],
                         [f"child {rank} on {host}" for rank, host in enumerate(("n2", "n2", "n1", "n2"))] + parents)

    def test_a_host_outside_of_the_allocation(self):
        out, err = self.family("fail", 1, "n3")
        self.assertEqual(len(out), 2)
        for line in out:
            self.assertRegex(line, r"^error: .*srun has ended with status 1 .* says why on standard error: .*"
                                   "ask Slurm for more of them$")
        self.assertIn("Requested node configuration is not available", err)

    def test_no_srun(self):
        done = on_login(*SRUN, *first_nodes(1), "-n1", "env", "PATH=/no/such/folder", FAMILY, "fail", 1)
        self.assertRegex(done.stdout, r"\Aerror: .* there is none in PATH on n1: add its directory to PATH\n\Z")

    def waiting_family(self, how="wait"):
        """A step of two parents and the step of their two children, on two nodes, which all wait; and the name of the
        parents' step. The allocation lasts until the input of the job ends, so it is not its end that ends them."""
        step = shlex.join(map(str, (*SRUN, "-N2", "-n2", FAMILY, how, 2)))
        script = f"{step} </dev/null; echo over $?; read end"
        job = subprocess.Popen(words("run", RIG, "--", "salloc", *first_nodes(2), "--ntasks-per-node=2",
                                     "sh", "-c", script),
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(job.communicate)
        self.addCleanup(job.kill)
        said = sorted(job.stdout.readline() for _ in range(4))
        self.assertEqual(said, ["child 0 on n1\n", "child 1 on n2\n", "parent 0 on n1\n", "parent 1 on n2\n"])
        running = sorted(steps())
        self.assertEqual([step.partition(".")[2] for step in running], ["0", "1"])
        return job, running[0]

    def assert_all_end(self, job):
        self.assertRegex(job.stdout.readline(), r"^over [1-9]\d*$")
        self.assertTrue(eventually(lambda: not family_members() and not steps(), 20), (family_members(), steps()))
        self.assertTrue(on_login("squeue", "--noheader").stdout)  # the allocation is still there
        job.communicate(timeout=PATIENCE)

    def test_the_end_of_the_parents_step_ends_the_children(self):
        for signal in ((), ("--signal=TERM",), ("--signal=KILL",)):
            with self.subTest(signal=signal):
                job, parents = self.waiting_family()
                on_login("scancel", *signal, parents)
                self.assert_all_end(job)

    def test_children_outlive_their_parents(self):
        job, parents = self.waiting_family("outlive")
        on_login("scancel", "--signal=KILL", parents)
        self.assertRegex(job.stdout.readline(), r"^over [1-9]\d*$")
        time.sleep(4)  # others get two seconds and a SIGTERM
        (children,) = steps()
        self.assertEqual(len([line for line in family_members() if "srun" not in line]), 2, family_members())
        on_login("scancel", children)
        self.assertTrue(eventually(lambda: not family_members() and not steps(), 20), (family_members(), steps()))
        job.communicate(timeout=PATIENCE)

    def test_parents_that_are_killed_end_the_children(self):
        job, _ = self.waiting_family()
        for node in ("n1", "n2"):  # children have no number of children among their arguments
            done = command("run", RIG, "--on", node, "--", "pkill", "-KILL", "-f", f"^{FAMILY} wait 2$")
            self.assertEqual(done.returncode, 0, node)
        self.assert_all_end(job)


if __name__ == "__main__":
    main()
