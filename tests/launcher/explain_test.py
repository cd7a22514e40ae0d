# SPDX-License-Identifier: BSD-3-Clause
"""mpiexec --explain says what mpiexec would do, and does nothing."""
import os
import pathlib
import re
import subprocess
import unittest

from launcher_case import MPIEXEC, LauncherCase

USABLE = sorted(os.sched_getaffinity(0))
UNKNOWN = "needs no MPI library, or loads one later, as interpreters do"


class Explain(LauncherCase):
    def explained(self, *arguments, **variables):
        """The rows of the table, as pairs of the topic and what is said of it."""
        done = self.run_mpiexec("--explain", *arguments, env=self.environment | variables)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        first, *rows = done.stdout.splitlines()
        self.assertRegex(first, r"^mpiexec would .*\. Nothing has been started\.$")
        return first, [(row[2:14].strip(), row[15:]) for row in rows]

    def said(self, rows, topic):
        return [what for name, what in rows if name == topic]

    def test_nothing_is_started_or_made(self):
        left = self.directory / "left"
        first, rows = self.explained("-n", 3, "--output-dir", self.directory / "new", "touch", left)
        self.assertIn("start 3 ranks here", first)
        self.assertIn(f"ranks 0 to 2: touch {left} ({UNKNOWN})", self.said(rows, "program"))
        self.assertFalse(left.exists() or (self.directory / "new").exists())

    def test_cores_are_those_of_a_job(self):
        _, rows = self.explained("-n", 1, "--bind-to", "user:" + str(USABLE[-1]), "true")
        self.assertEqual(self.said(rows, "rank 0"), [f"CPUs {USABLE[-1]}"])
        self.assertEqual(self.said(rows, "messages"), ["none: there is one rank"])
        _, rows = self.explained("-n", len(USABLE) + 70, "true")
        self.assertTrue(any("more ranks than cores" in what for what in self.said(rows, "")))
        self.assertEqual(self.said(rows, "rank 63"), ["any of these CPUs"])
        self.assertEqual(self.said(rows, "..."), [f"and {len(USABLE) + 6} more: --report-bindings lists all"])

    def test_programs_and_their_variables(self):
        script = self.directory / "it's"
        script.write_text("#!/bin/sh\n", encoding="utf-8")
        script.chmod(0o755)
        _, rows = self.explained("-n", 2, "-x", "A=b c", "./it's", "a b", ":", "-n", 1, "--wdir", "/", "true",
                                 BOWLINE_LOG_LEVEL="2")
        self.assertEqual(self.said(rows, "program"),
                         ["ranks 0 to 1: './it'\\''s' 'a b' (is a script for /bin/sh, and names no program that needs "
                          "an MPI library)",
                          f"rank 2: true, in / ({UNKNOWN})"])
        self.assertIn("A=b c", self.said(rows, "variable"))
        self.assertEqual(self.said(rows, "setting"), ["BOWLINE_LOG_LEVEL=2"])

    def test_input_output_and_end(self):
        _, rows = self.explained("-n", 2, "--stdin", "none", "--timeout", 7, "--outfile-pattern", "/tmp/o%r",
                                 "--keep-going", "true")
        self.assertEqual(self.said(rows, "input"), ["no rank reads the standard input"])
        self.assertEqual(self.said(rows, "output"), ["to files: /tmp/o%r"])
        self.assertEqual(self.said(rows, "end"), ["the job goes on if a rank is killed"])
        self.assertIn("after 7 s (--timeout)", self.said(rows, ""))

    def test_another_launcher(self):
        first, rows = self.explained("-n", 4, "prog", "a b", SLURM_JOB_ID="7", SLURM_JOB_NUM_NODES="2",
                                     SLURM_JOB_CPUS_PER_NODE="4(x2)", PATH=str(self.directory))
        self.assertIn("4 ranks on several nodes", first)
        command = self.said(rows, "command")[0]
        self.assertTrue(command.startswith("srun --mpi=pmix ") and command.endswith(" -- prog 'a b'"), command)
        self.assertIn("PATH has no srun: add its directory", self.said(rows, ""))
        self.assertEqual(self.said(rows, "program"),
                         ["ranks 0 to 3: prog 'a b' (is not on this machine, so its ABI is not known)"])

    def test_networks(self):
        """Between nodes they are those that bowline-info lists, with the variables of the ranks."""
        _, rows = self.explained("-n", 2, "true")
        self.assertEqual(self.said(rows, "network"), ["none: all ranks are on this machine"])
        info = pathlib.Path(MPIEXEC).with_name("bowline-info")
        for words, variables in ([], {}), (["-x", "BOWLINE_NETWORK=ucx"], {"BOWLINE_NETWORK": "ucx"}):
            listed = subprocess.run([info, "--transports"], env=self.environment | variables, capture_output=True,
                                    text=True, check=True).stdout.splitlines()
            networks = [re.sub(r"^ +(\S+) +(\S)", r"\1: \2", line) for line in listed
                        if re.match("  (verbs|ucx) ", line)]
            self.assertEqual(len(networks), 2, listed)
            for place in ({"BOWLINE_NETWORK_REACH": "everywhere"},
                          {"SLURM_JOB_ID": "7", "SLURM_JOB_NUM_NODES": "2", "SLURM_JOB_CPUS_PER_NODE": "4(x2)"}):
                _, rows = self.explained(*words, "-n", 4, "true", **place)
                self.assertEqual([row for row in self.said(rows, "network") if row in networks], networks)

    def test_what_would_fail_fails(self):
        done = self.run_mpiexec("--explain", "-n", 2, "no-such-program")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("no such program", done.stderr)
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = self.run_mpiexec("--explain", "true", stdout=full, capture_output=False,
                                    stderr=subprocess.PIPE)
        self.assertIn("cannot write to standard output", done.stderr)
        self.assertNotEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
