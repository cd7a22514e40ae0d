# SPDX-License-Identifier: BSD-3-Clause
"""bowline-ps says what the ranks of running jobs do."""
import json
import os
import re
import socket
import subprocess
import unittest

import at_once
from launcher_case import LauncherCase, eventually

PS, PROGRAM = os.environ["PS"], os.environ["WAITING_RANKS"]
HOST = socket.gethostname()


class Ps(LauncherCase):
    def ps(self, *arguments, status=0):
        done = subprocess.run([PS, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout if status == 0 else done.stderr

    def start_waiting(self):
        """A job whose rank 0 receives from rank 1, which computes, like rank 2."""
        job = self.start_mpiexec("-n", 3, PROGRAM, "receive", "compute", "compute",
                                 env=self.environment | {"BOWLINE_HANG": "off"})
        waits = lambda: self.first_receives(self.ranks(job), "running", "running")
        self.assertTrue(eventually(waits), self.ranks(job))
        return job

    @staticmethod
    def first_receives(ranks, *others):
        """On a busy machine rank 0 also waits in MPI_Init, before."""
        return [rank["state"] for rank in ranks] == ["waiting", *others] and "in MPI_Recv" in ranks[0]["what"]

    def ranks(self, job):
        """None until mpiexec has made what the ranks share with it."""
        done = subprocess.run([PS, "--json", str(job.pid)], capture_output=True, text=True, timeout=60, check=False)
        if done.returncode != 0:
            return []
        jobs = json.loads(done.stdout)["jobs"]
        self.assertEqual([each["launcher"] for each in jobs], [job.pid])
        return jobs[0]["ranks"]

    def test_ranks(self):
        job = self.start_waiting()
        first, *lines = self.ps(job.pid).splitlines()
        self.assertRegex(first, rf"^{job.pid}: .*mpiexec -n 3 .*waiting_ranks receive compute compute \(3 ranks\)$")
        self.assertEqual(len(lines), 3)
        self.assertRegex(lines[0], r"^  rank 0 +process \d+ +waiting for \d+\.\d s in MPI_Recv on MPI_COMM_WORLD from "
                                   r"rank 1, tag 7 \(waiting_ranks\.cpp:\d+\)$")
        for rank in (1, 2):
            self.assertRegex(lines[rank], rf"^  rank {rank} +process \d+ +running$")
        self.kill_mpiexec(job)

    def test_groups(self):
        job = self.start_waiting()
        lines = self.ps("--groups", job.pid).splitlines()[1:]
        self.assertRegex(lines[0], rf"^  rank 0 on {re.escape(HOST)}: in MPI_Recv .*, for \d+\.\d s$")
        self.assertEqual(lines[1:], [f"  ranks 1 and 2 on {HOST}: not waiting in MPI"])
        self.kill_mpiexec(job)

    def test_json(self):
        job = self.start_waiting()
        waiting, running, _ = self.ranks(job)
        self.assertEqual(waiting["waits_for"], {"kind": "all", "ranks": [1], "more": False})
        self.assertEqual(set(waiting), {"rank", "process", "state", "what", "seconds", "place", "waits_for"})
        self.assertRegex(waiting["place"], r"^waiting_ranks\.cpp:\d+$")
        self.assertGreater(waiting["seconds"], 0)
        self.assertEqual(set(running), {"rank", "process", "state"})
        os.kill(running["process"], 19)
        self.assertTrue(eventually(lambda: self.ranks(job)[1]["state"] == "stopped"))
        os.kill(running["process"], 9)
        self.kill_mpiexec(job)

    def test_ranks_whose_launcher_makes_no_board(self):
        """As those that srun has started."""
        job = self.start_mpiexec("-n", 2, "env", "-u", "BOWLINE_WAIT_BOARD", PROGRAM, "receive", "compute",
                                 env=self.environment | {"BOWLINE_HANG": "off"})

        def found():
            told = subprocess.run([PS, "--json"], capture_output=True, text=True, timeout=60, check=False).stdout
            ranks = [each["ranks"] for each in json.loads(told or '{"jobs": []}')["jobs"] if "name" in each]
            return [each for each in ranks if self.job_process(job) in map(self.parent, (r["process"] for r in each))]
        waits = lambda: [self.first_receives(each, "running") for each in found()] == [True]
        self.assertTrue(eventually(waits), found())
        first, *lines = self.ps(found()[0][1]["process"]).splitlines()
        self.assertRegex(first, r"^\S+: .*waiting_ranks receive compute \(2 ranks\)$")
        self.assertRegex(lines[0], r"^  rank 0 +process \d+ +waiting for \d+\.\d s in MPI_Recv .*rank 1, tag 7")
        self.assertRegex(lines[1], r"^  rank 1 +process \d+ +running$")
        self.kill_mpiexec(job)

    def test_all_jobs_of_the_machine(self):
        jobs = [self.start_waiting(), self.start_waiting()]
        launchers = [job["launcher"] for job in json.loads(self.ps("--json"))["jobs"] if "launcher" in job]
        self.assertEqual(launchers, sorted(launchers))
        self.assertLessEqual({job.pid for job in jobs}, set(launchers))
        for job in jobs:
            job.kill()
            job.communicate()
        self.assert_gone()

    def test_a_job_without_mpi(self):
        job = self.start_mpiexec("-n", 1, "sleep", 60)
        self.assertTrue(eventually(lambda: [rank["state"] for rank in self.ranks(job)] == ["starting"]))
        self.kill_mpiexec(job)

    def test_watch_ends_with_the_job(self):
        job = self.start_waiting()
        watch = subprocess.Popen([PS, "--watch=0.1", str(job.pid)], stdout=subprocess.PIPE, text=True)
        for _ in range(2):  # looks
            self.assertIn("mpiexec", watch.stdout.readline())
            self.assertEqual([watch.stdout.readline().split()[:2] for _ in range(3)],
                             [["rank", str(rank)] for rank in range(3)])
        self.kill_mpiexec(job)
        watch.communicate(timeout=30)
        self.assertEqual(watch.returncode, 0)

    def test_what_is_wrong(self):
        self.assertIn(f"process {os.getpid()} is no mpiexec, and no rank", self.ps(os.getpid(), status=1))
        for arguments, words in ((["job"], '"job" is no process id'), (["-5"], "-5"), (["--wach"], "--wach"),
                                 (["--watch=0"], '--watch is "0": give seconds between two looks, 0.1 to 3600')):
            told = self.ps(*arguments, status=2)
            self.assertRegex(told, r"\Abowline-ps: [^\n]+\n\Z")
            self.assertIn(words, told)
        self.assertIn("--watch", self.ps("--help"))


if __name__ == "__main__":
    at_once.main()
