# SPDX-License-Identifier: BSD-3-Clause
"""How jobs that ranks have started end, and that nothing is left of them."""
import os
import pathlib
import re
import signal
import socket
import unittest

from launcher_case import CLIENT, PATIENCE, eventually
from spawn_case import SPAWNER, STAYS, THEN, SpawnCase

HOST = socket.gethostname()


class Lifetimes(SpawnCase):
    def test_mpiexec_waits_for_the_children(self):
        process = self.start(("spawn", "--", 1, "sh", "-c", "touch there; until [ -e go ]; do sleep 0.01; done; "
                                                            "echo late"))
        self.wait_for_files("there")
        self.assertTrue(eventually(lambda: not self.spawners()))
        self.assertIsNone(process.poll())
        self.touch("go")
        self.assertEqual(self.finish(process, 0), ["spawn: ok", "late"])

    def test_a_child_that_fails_ends_its_own_children_only(self):
        process = self.start(
            ("spawn", "--", 1, *STAYS, "sibling"),
            ("spawn", "--", 1, SPAWNER, "spawn", "--", 1, *STAYS, "grandchild", "/then", "await", "grandchild", "/then",
             "exit", 4), ("end",), ("touch", "ended"), ("await", "go"), ("exit", 0))
        self.wait_for_files("ended", "sibling")
        left = self.left()
        self.assertEqual([sum(words.endswith(name) for words in left) for name in ("sibling", "grandchild")], [1, 0])
        self.touch("go")  # exits without PMIx_Finalize: that is a failure, which ends the sibling
        out = self.finish(process, 1, f"job 2: rank 0 on {HOST} exited with status 4",
                          "job 3: is ended, because job 2, which has spawned it, has failed",
                          f"rank 0 on {HOST} exited without MPI_Finalize",
                          "job 1: is ended, because job 0, which has spawned it, has failed")
        self.assertEqual(out[-1], f"end: ok 4 rank 0 on {HOST} exited with status 4 without MPI_Finalize")

    def test_an_abort_ends_children_of_jobs_that_have_ended(self):
        """The middle job ends well before, and its child is the first job's then."""
        process = self.start(
            ("spawn", "--", 1, SPAWNER, "spawn", "--", 1, *STAYS, "grandchild"), ("end",), ("await", "grandchild"),
            ("abort", 9))
        self.finish(process, 9, f"rank 0 on {HOST} called MPI_Abort with code 9: enough",
                    "job 2: is ended, because job 0, which has spawned it, has failed")

    def test_a_job_can_outlive_the_one_that_has_spawned_it(self):
        process = self.start(("spawn", "bowline.outlive=true", "--", 1, "sh", "-c",
                              "touch there; until [ -e go ]; do sleep 0.01; done; echo late"), ("await", "there"),
                             ("exit", 3))
        self.wait_for_files("there")
        self.assertTrue(eventually(lambda: not self.spawners()))
        self.touch("go")
        self.assertEqual(self.finish(process, 3, f"rank 0 on {HOST} exited with status 3")[-1], "late")

    def test_an_abort_of_another_rank_while_a_job_starts(self):
        for _ in range(5):
            process = self.start_mpiexec(
                "-n", 1, SPAWNER, "touch", "now", THEN, "spawn", "--", 30, "sleep", 60, THEN, "await", "never", ":",
                "-n", 1, "sh", "-c", f"until [ -e now ]; do :; done; exec {SPAWNER}", ":",
                "-n", 1, "sh", "-c", "until [ -e now ]; do :; done; exit 6")
            got, _, err = self.assert_ends(process)
            self.assertEqual(got, 6, err)
            self.assert_nothing_left()
            (self.directory / "now").unlink()

    def test_a_spawner_that_is_killed_while_it_waits(self):
        process = self.start(("touch", "there"), ("lookup", "never", "wait"))
        self.wait_for_files("there")
        self.wait_until_quiet()
        [spawner] = self.spawners()
        os.kill(spawner, signal.SIGKILL)
        self.finish(process, 137, f"rank 0 on {HOST} was killed by signal 9")

    def start_with_children(self, *options):
        process = self.start(("spawn", "--", 2, "sh", "-c", "touch child.$PMIX_RANK; sleep 60"),
                             ("spawn", "--", 1, SPAWNER, "spawn", "bowline.outlive=true", "--", 1, *STAYS, "deep",
                              "/then", "end"), ("end",), options=(*options, "-n", 1))
        self.wait_for_files("child.0", "child.1", "deep")
        return process

    def test_signals_and_the_time_limit_hold_for_all(self):
        process = self.start_with_children()
        process.send_signal(signal.SIGINT)
        self.assertEqual(self.assert_ends(process)[0], 130)
        self.assert_nothing_left()
        for file in self.directory.glob("*"):
            if file.is_file():
                file.unlink()
        process = self.start_with_children("--timeout", 2)
        self.assertEqual(self.assert_ends(process)[0], 124)
        self.assert_nothing_left()

    def test_nothing_is_left_when_either_process_of_mpiexec_is_killed(self):
        for of_job in (False, True):
            process = self.start_with_children()
            os.kill(self.job_process(process) if of_job else process.pid, signal.SIGKILL)
            process.communicate(timeout=PATIENCE)
            self.assertTrue(eventually(lambda: not self.left() and not os.listdir(self.temporary)))
            for name in ("child.0", "child.1", "deep"):
                (self.directory / name).unlink()


class Many(SpawnCase):
    def footprint(self, job):
        """Its descriptors and threads, the files of the job, and its memory in KiB."""
        proc = pathlib.Path(f"/proc/{job}")
        size = int(re.search(r"VmRSS:\s*(\d+)", (proc / "status").read_text(encoding="utf-8"))[1])
        entries = (len(list(each)) for each in ((proc / "fd").iterdir(), (proc / "task").iterdir(),
                                                self.temporary.rglob("*")))
        return (*entries, size)

    def test_one_after_the_other(self):
        number = 300
        process = self.start(("storm", 20, "true"), ("touch", "warm"), ("await", "go"), ("storm", number, "true"),
                             ("touch", "done"), ("await", "end"))
        self.wait_for_files("warm")
        job = self.job_process(process)
        before = self.footprint(job)
        self.touch("go")
        self.wait_for_files("done")
        self.assertTrue(eventually(lambda: self.footprint(job)[:3] == before[:3]), f"{self.footprint(job)} > {before}")
        after = self.footprint(job)
        if os.environ["SANITIZED"] == "0":
            self.assertLess(after[3] - before[3], 8 * number)
        self.touch("end")
        self.assertEqual(self.finish(process, 0), ["jobs: ok", "jobs: ok"])

    def test_at_once(self):
        self.assertEqual(self.commands(("burst", 40, "true"), ("burst", 10, CLIENT, "init")), ["jobs: ok", "jobs: ok"])

    def test_from_several_ranks_at_once(self):
        done = self.run_mpiexec("-n", 1, SPAWNER, "burst", 20, "true", ":", "-n", 1, "sh", "-c",
                                f"{SPAWNER} & wait", *[":", "-n", 1, SPAWNER] * 2)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
