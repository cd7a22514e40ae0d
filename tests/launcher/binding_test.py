# SPDX-License-Identifier: BSD-3-Clause
"""Which cores ranks run on, on this machine. What larger machines would get is in tests/unit/launcher."""
import contextlib
import os
import pathlib
import re
import socket
import subprocess
import unittest

from launcher_case import LauncherCase, eventually

USABLE = sorted(os.sched_getaffinity(0))
SHOW = "import os; print(os.environ['PMIX_RANK'], sorted(os.sched_getaffinity(0)))"


class Binding(LauncherCase):
    def cpus(self, *options, ranks=2, **keywords):
        done = self.run_mpiexec("-n", ranks, *options, "grep", "Cpus_allowed_list", "/proc/self/status", **keywords)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [self.expand(line.split()[1]) for line in done.stdout.splitlines()], done.stderr

    @staticmethod
    def expand(text):
        cpus = []
        for part in text.split(","):
            first, _, last = part.partition("-")
            cpus += range(int(first), int(last or first) + 1)
        return cpus

    def test_none(self):
        for cpus in self.cpus("--bind-to", "none")[0]:
            self.assertEqual(cpus, USABLE)

    def test_single_rank_is_not_bound(self):
        self.assertEqual(self.cpus(ranks=1)[0], [USABLE])

    def test_more_ranks_than_cores_are_not_bound(self):
        for cpus in self.cpus(ranks=len(USABLE) + 1)[0]:
            self.assertEqual(cpus, USABLE)

    @unittest.skipIf(len(USABLE) < 2, "one usable CPU: nothing to choose")
    def test_cores(self):
        cpus, _ = self.cpus("--bind-to", "core")
        self.assertEqual(len(cpus), 2)
        self.assertFalse(set(cpus[0]) & set(cpus[1]) and len(USABLE) > 2)
        for rank in cpus:
            self.assertTrue(set(rank) < set(USABLE) or len(USABLE) == 1)

    def test_only_usable_cores(self):
        last = USABLE[-1]
        cpus, _ = self.cpus("--bind-to", "core", preexec_fn=lambda: os.sched_setaffinity(0, {last}))
        self.assertEqual(cpus, [[last], [last]])

    def cores(self):
        """The names under which jobs claim the cores of this machine: sockets without a file."""
        topology = (pathlib.Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list") for cpu in USABLE)
        return {f"bowline-core-{self.expand(siblings.read_text('ascii'))[0]}" for siblings in topology}

    def wait_for_cores(self):
        """Until no job of another test has a core: takes each one as soon as it is free, and gives all back at once."""
        with contextlib.ExitStack() as taken:
            for name in self.cores():
                claim = taken.enter_context(socket.socket(socket.AF_UNIX))

                def take(name=name, claim=claim):
                    with contextlib.suppress(OSError):
                        claim.bind(f"\0{name}")
                        return True
                self.assertTrue(eventually(take), f"a job of others has {name} all the time")

    def claimed(self):
        """The cores that jobs of this test have claimed."""
        sockets = set()
        for pid in self.processes():
            with contextlib.suppress(OSError):  # it has ended meanwhile
                for descriptor in pathlib.Path(f"/proc/{pid}/fd").iterdir():
                    with contextlib.suppress(OSError):  # closed meanwhile
                        sockets.add(os.readlink(descriptor))
        lines = pathlib.Path("/proc/net/unix").read_text(encoding="utf-8").splitlines()
        rows = (line.split() for line in lines[1:])
        return {row[-1].lstrip("@") for row in rows if f"socket:[{row[-2]}]" in sockets} & self.cores()

    def start_on_all_cores(self):
        """A job that has all cores for itself. Where a job of another test gets one of them first, another one."""
        for attempt in range(50):
            self.wait_for_cores()
            job = self.start_mpiexec("-n", len(USABLE), "--bind-to", "core", "sh", "-c",
                                     f"touch here.{attempt}.$PMIX_RANK; sleep 60")
            self.wait_for_files(*(f"here.{attempt}.{rank}" for rank in range(len(USABLE))))
            if self.claimed() == self.cores():
                return job
            job.terminate()
            self.assert_ends(job)
        return self.fail("jobs of others are first each time")

    @unittest.skipIf(len(USABLE) < 2, "one usable CPU: nothing to claim")
    def test_two_jobs_do_not_share_cores(self):
        """The second job finds the cores taken and stays unbound rather than stack its ranks on them."""
        first = self.start_on_all_cores()
        for cpus in self.cpus()[0]:
            self.assertEqual(cpus, USABLE)
        first.terminate()
        self.assert_ends(first)

    def test_threads_are_not_stacked(self):
        """OpenMP threads want a core each; where there are too few, nobody is bound."""
        many = self.environment | {"OMP_NUM_THREADS": str(len(USABLE))}
        for cpus in self.cpus(env=many)[0]:
            self.assertEqual(cpus, USABLE)

    def test_report(self):
        cpus, err = self.cpus("--bind-to", "core", "--report-bindings")
        lines = err.splitlines()
        self.assertRegex(lines[0], r"^mpiexec: binding: each rank to 1 core")
        reported = [re.fullmatch(r"mpiexec: rank (\d) on \S+, process \d+: CPUs ([\d,-]+)", line) for line in lines[1:]]
        self.assertEqual([int(match[1]) for match in reported], [0, 1])
        self.assertEqual(sorted(self.expand(match[2]) for match in reported), sorted(cpus))
        _, err = self.cpus("--bind-to", "none", "--report-bindings")
        self.assertIn("rank 1", err)
        self.assertIn("not bound", err)

    def test_every_choice_works_here(self):
        for bind_to in ("core", "numa", "socket", "none"):
            for map_by in ("slot", "core", "numa", "socket"):
                for cpus in self.cpus("--bind-to", bind_to, "--map-by", map_by, ranks=3)[0]:
                    self.assertTrue(set(cpus) <= set(USABLE))


if __name__ == "__main__":
    unittest.main()
