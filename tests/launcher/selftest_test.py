# SPDX-License-Identifier: BSD-3-Clause
"""bowline-info --selftest: that it tries everything on this node, and finds what is broken. INFO names the program,
MPIEXEC the launcher, FLIPPED_BIT a library that makes data wrong."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

INFO, MPIEXEC, FLIPPED_BIT = os.environ["INFO"], os.environ["MPIEXEC"], os.environ["FLIPPED_BIT"]
COLLECTIVES = ("barrier bcast gather gatherv scatter scatterv allgather allgatherv alltoall alltoallv reduce allreduce "
               "reduce_scatter_block reduce_scatter scan exscan neighbor_allgather").split()
WORKS = ("cores", "shared memory", "a rank and itself", "a node: eager messages, 8 bytes",
         "a node: long messages, short pieces", "a node: long messages, long pieces",
         "a node: long messages, as chosen", "a node: window in shared memory",
         "a node: window of the program's memory", "a node: window by messages",
         "all ranks write one file", "all ranks read one file")


def info(*arguments, folder=None, command=(INFO,), **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("BOWLINE_", "SLURM_", "PMIX_"))} | variables
    return subprocess.run([*command, *arguments], env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=200, check=False, cwd=folder)


class Selftest(unittest.TestCase):
    def run_in_folder(self, **variables):
        """Runs the whole test; returns (status, {what: (grade, rest of the line)}, the verdict)."""
        with tempfile.TemporaryDirectory() as folder:
            done = info("--selftest", folder=folder, **variables)
            self.assertEqual(os.listdir(folder), [])
        table, blank, verdict = done.stdout.partition("\n\n")
        self.assertTrue(blank, done.stdout + done.stderr)
        self.assertEqual(done.stderr, "")
        found = {}
        for line in table.splitlines():
            if row := re.fullmatch(r"(ok|slow|FAILED) +(.+?)  +(\S.*)", line):
                found[row[2]] = row[1], row[3]
        return done.returncode, found, verdict

    def one(self, found, start):
        """The grade of the first line that starts so."""
        grades = [grade for what, (grade, _) in found.items() if what.startswith(start)]
        self.assertTrue(grades, (start, found))
        return grades[0]

    def test_everything_works(self):
        """How fast it is does not matter: others may use the machine."""
        status, found, verdict = self.run_in_folder()
        self.assertEqual(status, 0, verdict)
        for what in (*WORKS, *COLLECTIVES):
            self.assertIn(self.one(found, what), ("ok", "slow"), what)
        self.assertRegex(found["a node: eager messages, 8 bytes"][1], r"^\d\S* [um]?s( +of \d.* from core to core)?$")
        self.assertRegex(found["bcast, 64 KiB"][1], r" of \d.* that the simulator says$")
        self.assertRegex(verdict, r"\Averdict: ")
        self.assertNotIn("did not run", verdict)

    @unittest.skipIf(os.environ.get("SANITIZED") == "1", "a sanitizer's runtime must be loaded before other libraries")
    def test_what_is_broken_is_found_and_what_to_mend_is_said(self):
        status, found, verdict = self.run_in_folder(
            BOWLINE_CROSS_MEMORY_ATTACH="0", BOWLINE_IO_FAULTS="write:ENOSPC@0", LD_PRELOAD=FLIPPED_BIT)
        self.assertEqual(status, 1, verdict)
        self.assertEqual(self.one(found, "collectives of "), "FAILED")
        self.assertRegex(verdict, r"FAILED collectives .*:\n +scatter: byte 32768 of 65536 at rank \d+ is not what was "
                                  r"sent: do not compute here")
        self.assertEqual(found["a file that all ranks share"], ("FAILED", "an error"))
        self.assertRegex(verdict, r"writing fails: [^\n]*; is there room in /\S+, may you write there")
        self.assertEqual(found["a node: long messages, single copy, 1 MiB"], ("slow", "not possible"), verdict)
        self.assertRegex(verdict, r"slow .*a node: long messages, single copy, 1 MiB; .*\n"
                                  r" +.*BOWLINE_CROSS_MEMORY_ATTACH")

    def test_busy_cores_are_no_hang(self):
        """Each way of a cache line from core to core takes as long as the turns of others on these cores. The selftest
        gives a part 30 s."""
        cores = sorted(os.sched_getaffinity(0))[:2]
        for core in cores * 6:
            busy = subprocess.Popen(["taskset", "-c", str(core), "sh", "-c", "while :; do :; done"])
            self.addCleanup(busy.wait)
            self.addCleanup(busy.kill)
        with tempfile.TemporaryDirectory() as folder:
            done = info("machine", folder,
                        command=("timeout", "30", pathlib.Path(INFO).parent / "../lib/bowline/selftest_ranks"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual("time bounce" in done.stdout, len(cores) == 2, done.stdout)

    def test_a_short_one_says_what_did_not_run(self):
        with tempfile.TemporaryDirectory() as folder:
            done = info("--selftest", "--seconds", "1", folder=folder)
        self.assertIn("parts did not run: 1 s were over; give more with --seconds", done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_bad_input_is_one_sentence(self):
        for words, sentence in ((["--selftest", "--nodes", "3"], "this is no Slurm allocation .*salloc -N 3 "),
                                (["--selftest", "--nodes", "0"], "--nodes 0: must be a whole number from 1 "),
                                (["--seconds", "3"], "--seconds says nothing without --selftest"),
                                (["--nodes", "3"], "--nodes says nothing without --selftest")):
            with self.subTest(words):
                done = info(*words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(done.stderr, rf"\Abowline-info: .*{sentence}[^\n]*\n\Z")
        done = info("--selftest", command=(MPIEXEC, "-n", "1", INFO))
        self.assertRegex(done.stderr, "start it without mpiexec and srun")


if __name__ == "__main__":
    unittest.main()
