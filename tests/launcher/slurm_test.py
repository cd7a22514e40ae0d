# SPDX-License-Identifier: BSD-3-Clause
"""In a Slurm allocation of several nodes mpiexec becomes srun; here a script that prints its arguments plays srun."""
import os
import socket
import unittest

from launcher_case import LauncherCase

ALLOCATION = {"SLURM_JOB_ID": "77", "SLURM_JOB_NUM_NODES": "2", "SLURM_JOB_CPUS_PER_NODE": "4(x2)"}
ALWAYS = ["--mpi=pmix", "--kill-on-bad-exit=1", "--input=0"]


class Slurm(LauncherCase):
    def setUp(self):
        super().setUp()
        fake = self.directory / "bin" / "srun"
        fake.parent.mkdir()
        fake.write_text("#!/bin/sh\n[ \"$*\" != --mpi=list ] || { echo \"$PLUGINS\"; exit; }\n"
                        "printf '%s\\n' \"$@\"\nexit ${FAKE_STATUS-0}\n", encoding="utf-8")
        fake.chmod(0o755)
        self.environment["PATH"] = f"{fake.parent}:{os.environ['PATH']}"

    def srun(self, *arguments, **variables):
        done = self.run_mpiexec(*arguments, env=self.environment | ALLOCATION | variables)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def test_plain(self):
        self.assertEqual(self.srun("-n", 8, "prog", "-n", "arg"), [*ALWAYS, "--ntasks=8", "--", "prog", "-n", "arg"])
        self.assertEqual(self.srun("prog"), [*ALWAYS, "--", "prog"])  # as many as the allocation's tasks

    def test_a_slurm_without_pmix(self):
        """Its srun lists its plugins, one a line."""
        for plugins, used in (("\tnone\n\tpmi2\n", "pmi2"), ("\tnone\n", "pmix"), ("srun: none\nsrun: pmi2\n", "pmi2"),
                              ("\tpmi2\n\tpmix\nspecific pmix plugin versions available: pmix_v4\n", "pmix")):
            self.assertEqual(self.srun("-n", 2, "a", ":", "b", PLUGINS="MPI plugin types are...\n" + plugins),
                             [f"--mpi={used}", *ALWAYS[1:], "--ntasks=2", "--", "a", ":", f"--mpi={used}", "--", "b"])

    def test_options(self):
        for options, translated in (
                (["--wdir", "/tmp"], ["--chdir=/tmp"]),
                (["--bind-to", "core"], ["--cpu-bind=cores"]),
                (["--bind-to", "numa"], ["--cpu-bind=ldoms"]),
                (["--bind-to", "socket"], ["--cpu-bind=sockets"]),
                (["--bind-to", "none", "--report-bindings"], ["--cpu-bind=verbose,none"]),
                (["--report-bindings"], ["--cpu-bind=verbose"]),
                (["--map-by", "socket"], ["--distribution=block:cyclic"]),
                (["--map-by", "core"], ["--distribution=block:block"]),
                (["--tag-output"], ["--label"]),
                (["-l"], ["--label"]),
                (["--host", "a,b:3"], ["--nodelist=a,b", "--distribution=arbitrary"]),
                (["--host", "a,b"], ["--nodes=2", "--nodelist=a,b"]),
                (["-H", "a:1,b:1,c"], ["--nodes=2", "--nodelist=a,b,c"]),
                (["--bind-to", "hwthread"], ["--cpu-bind=threads"]),
                (["--bind-to", "user:0+2,5"], ["--cpu-bind=mask_cpu:0x5,0x20"]),
                (["--map-by", "ppr:2:socket"], ["--ntasks-per-socket=2"]),
                (["--map-by", "ppr:1:node"], ["--nodes=2", "--ntasks-per-node=1"]),
                (["--map-by", "socket:PE=3"], ["--cpus-per-task=3", "--distribution=block:cyclic"]),
                (["--use-hwthread-cpus"], ["--hint=multithread"]),
                (["--stdin", "none"], ["--input=none"]),
                (["--keep-going"], ["--kill-on-bad-exit=0", "--no-kill", "env", "BOWLINE_KEEP_GOING=1"]),
                (["--with-ft", "mpi"], ["--kill-on-bad-exit=0", "--no-kill"]),
                (["--with-ft", "no"], ["--kill-on-bad-exit=1"]),
                (["--stream-buffering", "line"], ["--unbuffered"]),
                (["-genvnone", "-genv", "A", "1"],
                 ["--export=HOME,LANG,LOGNAME,PATH,SHELL,TERM,TMPDIR,USER", "env", "A=1"]),
                (["-outfile-pattern", "/tmp/o%r.%h"], ["--output=/tmp/o%t.%N"]),
                (["--output-dir", "/tmp/o"], ["--output=/tmp/o/rank.%t.out", "--error=/tmp/o/rank.%t.err"]),
                (["-N", "2"], ["--nodes=1", "--ntasks-per-node=2"]),
                (["--initial-errhandler", "mpi_errors_return"],
                 ["env", "BOWLINE_INITIAL_ERRHANDLER=mpi_errors_return"]),
                (["-x", "A=b c"], ["--", "env", "A=b c", "prog"])):
            command = self.srun("-n", 2, *options, "prog")
            for word in translated:
                self.assertIn(word, command, options)

    def test_hostfile(self):
        (self.directory / "hosts").write_text("a slots=2\nb slots=2\n", encoding="utf-8")
        for ranks, hosts in ((3, "a,a,b"), (5, "a,a,b,b,a")):
            command = self.srun("-n", ranks, "--hostfile", "hosts", "prog")
            self.assertIn(f"--nodelist={hosts}", command)
            self.assertIn("--distribution=arbitrary", command)
        self.assertIn("--nodelist=a,a,b,b", self.srun("--hostfile", "hosts", "prog"))

    def test_only_the_named_hosts(self):
        """Slurm would spread the ranks over all nodes of the allocation."""
        many = {"SLURM_JOB_NUM_NODES": "5"}
        self.assertEqual(self.srun("-n", 4, "-H", "a,b", "prog", **many),
                         [*ALWAYS, "--nodes=2", "--nodelist=a,b", "--ntasks=4", "--", "prog"])
        self.assertEqual(self.srun("-H", "a,b", "prog", **many),
                         [*ALWAYS, "--nodes=2", "--ntasks=2", "--nodelist=a,b", "--", "prog"])
        self.assertEqual(self.srun("-N", 3, "-H", "a,b", "prog", **many),
                         [*ALWAYS, "--nodelist=a,b", "--nodes=2", "--ntasks-per-node=3", "--ntasks=6", "--", "prog"])

    def test_hosts_in_an_allocation_of_one_node(self):
        self.assertIn("--nodelist=a,b", self.srun("-n", 2, "-H", "a,b", "prog", SLURM_JOB_NUM_NODES="1"))

    def test_what_srun_lacks_and_the_job_can_do_without(self):
        for words, named in ((["--bind-to", "l3cache"], "l3cache"), (["--rank-by", "core"], "--rank-by"),
                             (["--map-by", "ppr:1:l2cache"], "l2cache"), (["--display-map"], "--report-bindings"),
                             (["--mca", "btl", "tcp"], "--mca btl tcp"), (["--merge-stderr-to-stdout"], "merge")):
            done = self.run_mpiexec("-n", 2, *words, "prog", env=self.environment | ALLOCATION)
            self.assertEqual(done.returncode, 0)
            self.assertRegex(done.stderr, r"\Ampiexec: [^\n]+\n\Z")
            self.assertIn(named, done.stderr)

    def test_ranks_per_node(self):
        for option in ("-N", "--ppn", "-ppn", "-npernode", "-perhost"):
            self.assertEqual(self.srun("-n", 5, option, 3, "prog"),
                             [*ALWAYS, "--nodes=2", "--ntasks-per-node=3", "--ntasks=5", "--", "prog"])
        again = self.srun("-n", 8, "-ppn", 3, "prog")  # more than three on each: dealt out again
        self.assertEqual(again, [*ALWAYS, "--nodes=2", "--ntasks=8", "--", "prog"])
        self.assertEqual(self.srun("-N", 3, "prog"),
                         [*ALWAYS, "--nodes=2", "--ntasks-per-node=3", "--ntasks=6", "--", "prog"])

    def test_what_srun_lacks_is_refused(self):
        for words, named in ((["--grace", "3", "-n", 2, "prog"], ["--grace 3", "KillWait"]),
                             (["-N", 2, "-n", 2, "a", ":", "-n", 1, "b"], ["-N 2", "several programs"]),
                             (["--chaos", 9, "prog"], ["--chaos 9", "srun", "leave the option out"]),
                             (["--usize", 9, "prog"], ["--usize", "leave it out"])):
            done = self.run_mpiexec(*words, env=self.environment | ALLOCATION)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, r"\Ampiexec: [^\n]+\n\Z")
            for word in named:
                self.assertIn(word, done.stderr)

    def test_ranks_per_node_on_one_node(self):
        done = self.run_mpiexec("-N", 3, "echo", "here")
        self.assertEqual((done.returncode, done.stdout), (0, "here\n" * 3))
        done = self.run_mpiexec("-N", 2, "-n", 3, "true")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"\Ampiexec: -N 2: 3 ranks [^\n]+ one node[^\n]*\n\Z")

    def test_more_ranks_than_cpus(self):
        self.assertNotIn("--overcommit", self.srun("-n", 8, "prog"))
        self.assertIn("--overcommit", self.srun("-n", 9, "prog"))

    def test_cpus_per_task_are_not_lost(self):
        self.assertIn("--cpus-per-task=4", self.srun("-n", 2, "prog", SLURM_CPUS_PER_TASK="4"))

    def test_inside_a_step(self):
        self.assertIn("--overlap", self.srun("-n", 2, "prog", SLURM_STEP_ID="0"))

    def test_several_programs(self):
        command = self.srun("-n", 2, "a", "x", ":", "-n", 3, "b")
        self.assertEqual(command, [*ALWAYS, "--ntasks=2", "--", "a", "x", ":", "--mpi=pmix", "--ntasks=3", "--", "b"])

    def test_verbose_says_the_command(self):
        done = self.run_mpiexec("-v", "-n", 2, "prog", env=self.environment | ALLOCATION)
        self.assertEqual(done.stderr, "mpiexec: srun " + " ".join(done.stdout.split()) + "\n")

    def test_status_is_passed_on(self):
        done = self.run_mpiexec("-n", 2, "prog", env=self.environment | ALLOCATION | {"FAKE_STATUS": "17"})
        self.assertEqual(done.returncode, 17)

    def test_timeout(self):
        (self.directory / "bin" / "srun").write_text("#!/bin/sh\n[ \"$*\" = --mpi=list ] || exec sleep 60\n",
                                                         encoding="utf-8")
        done = self.run_mpiexec("--timeout", "0.3", "-n", 2, "prog", env=self.environment | ALLOCATION)
        self.assertEqual(done.returncode, 124)

    def test_other_number_of_nodes(self):
        old = {"SLURM_JOB_NUM_NODES": None, "SLURM_NNODES": "3"}
        environment = {k: v for k, v in (self.environment | ALLOCATION | old).items() if v is not None}
        self.assertIn("--ntasks=2", self.run_mpiexec("-n", 2, "prog", env=environment).stdout)

    def test_one_node_or_none_runs_here(self):
        for variables in ({"SLURM_JOB_ID": "77", "SLURM_JOB_NUM_NODES": "1"}, {"SLURM_JOB_NUM_NODES": "2"}):
            done = self.run_mpiexec("-n", 2, "echo", "here", env=self.environment | variables)
            self.assertEqual(done.stdout, "here\n" * 2)

    def test_this_host_alone_runs_here(self):
        done = self.run_mpiexec("--host", socket.gethostname(), "-n", 1, "echo", "here",
                                env=self.environment | ALLOCATION)
        self.assertEqual(done.stdout, "here\n")

    def test_no_srun(self):
        done = self.run_mpiexec("-n", 2, "true", env=self.environment | ALLOCATION | {"PATH": "/no/such/place"})
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"\Ampiexec: [^\n]*2 nodes[^\n]*srun[^\n]*PATH[^\n]*\n\Z")

    def test_bad_input_is_found_before(self):
        done = self.run_mpiexec("-n", "0", "prog", env=self.environment | ALLOCATION)
        self.assertEqual((done.returncode, done.stdout), (2, ""))


if __name__ == "__main__":
    unittest.main()
