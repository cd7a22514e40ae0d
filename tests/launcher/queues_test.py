# SPDX-License-Identifier: BSD-3-Clause
"""bowline-ps --queues tells the receives, messages and sends that are pending in ranks and in their core files."""
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import unittest

import at_once
from launcher_case import LauncherCase, eventually

PS, PROGRAM = os.environ["PS"], os.environ["QUEUE_RANKS"]
SANITIZED = os.environ["SANITIZED"] not in ("", "0", "OFF", "FALSE")
LONG = 1 << 20


class Queues(LauncherCase):
    def ps(self, *arguments, status=0, **options):
        done = subprocess.run([PS, "--queues", *map(str, arguments)], capture_output=True, text=True, timeout=60,
                              check=False, **options)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout if status == 0 else done.stderr

    def ranks(self, *arguments):
        return json.loads(self.ps("--json", *arguments))["ranks"]

    def start(self, what, ranks=3, settings=None, **options):
        environment = self.environment | {"BOWLINE_HANG": "off"} | (settings or {})
        job = self.start_mpiexec("-n", ranks, PROGRAM, what, env=environment, **options)
        ready = sorted(job.stdout.readline() for _ in range(ranks))
        self.assertEqual(ready, [f"rank {rank} ready\n" for rank in range(ranks)])
        return job

    @staticmethod
    def short(queues, kind):
        """Each message as rank, process, tag, bytes and state."""
        partner = "destination" if kind == "sends" else "source"
        return [(m[partner], m["process"], m["tag"], m["bytes"], m["state"]) for m in queues[kind]]

    def test_pending_operations(self):
        job = self.start("pending")
        first, second, third = self.ranks(job.pid)
        self.assertEqual([(r["rank"], r["ranks"], r["state"]) for r in (first, second, third)],
                         [(rank, 3, "read") for rank in range(3)])
        world, turned, bridge = sorted(first["communicators"], key=lambda c: (c["size"] != 3, c["name"]))
        self.assertEqual({k: world[k] for k in ("name", "for", "context", "rank", "size", "freed")},
                         {"name": "MPI_COMM_WORLD", "for": "messages", "context": 0, "rank": 0, "size": 3,
                          "freed": False})
        self.assertEqual(self.short(world, "receives"), [(1, 1, 11, 40, "posted")])
        self.assertEqual(sorted(self.short(world, "unexpected")),
                         [(1, 1, 21, 8, "eager"), (2, 2, 22, LONG, "announced")])
        self.assertEqual(sorted(m["moved"] for m in world["unexpected"]), [0, 8])
        self.assertEqual(sorted(self.short(world, "sends")),
                         [(1, 1, 31, LONG, "announced"), (2, 2, 32, 5, "delivered")])
        self.assertEqual((turned["name"], turned["rank"], turned["size"]), ("turned\nround", 2, 3))
        self.assertEqual(self.short(turned, "receives"), [(None, None, None, 24, "posted")])
        self.assertEqual((bridge["rank"], bridge["size"], bridge["remote_size"]), (0, 1, 2))
        self.assertEqual(self.short(bridge, "receives"), [(1, 2, 12, 1, "posted")])
        unexpected = {c["name"]: self.short(c, "unexpected") for c in second["communicators"]}
        self.assertEqual(unexpected, {"MPI_COMM_WORLD": [(0, 0, 31, LONG, "announced")],
                                      "turned\nround": [(0, 2, 34, LONG, "announced")]})
        sends = {c["name"]: self.short(c, "sends") for c in third["communicators"]}
        self.assertEqual(sends, {"MPI_COMM_WORLD": [(0, 0, 22, LONG, "announced")],
                                 "turned\nround": [(1, 1, 34, LONG, "announced")]})
        self.kill_mpiexec(job)

    def test_words(self):
        job = self.start("pending")
        process = self.ranks(job.pid)[0]["process"]
        text = self.ps(process)
        lines = re.sub(r"context \d+", "context N", text).splitlines()
        self.assertCountEqual(lines, f"""\
rank 0 of 3, process {process}
  MPI_COMM_WORLD (rank 0 of 3, context N)
    receive from rank 1, tag 11, up to 40 bytes: no message has matched it
    message from rank 1, tag 21, 8 bytes: no receive has matched it; the data are here
    message from rank 2, tag 22, 1048576 bytes: no receive has matched it; the data are at the sender
    send to rank 1, tag 31, 1048576 bytes: announced; the receiver has not taken all data yet
    send to rank 2, tag 32, 5 bytes: synchronous; the data have left, and no receive has matched them yet
  turned?round (rank 2 of 3, context N)
    receive from any rank, any tag, up to 24 bytes: no message has matched it
  a communicator without a name (rank 0 of 1, with 2 remote ranks, context N)
    receive from rank 1 (2 of MPI_COMM_WORLD), tag 12, up to 1 byte: no message has matched it
""".splitlines())
        self.assertEqual([line for line in lines if "from any rank" in line], lines[lines.index(
            "  turned?round (rank 2 of 3, context N)") + 1:][:1], "each below its communicator")
        self.assertEqual(self.ps(job.pid).count("\nrank "), 2)
        self.assertIn(text, self.ps_or_error(), "without a process all jobs of the machine are told")
        self.kill_mpiexec(job)

    def test_data_that_are_under_way(self):
        job = self.start("moving", 2, {"BOWLINE_LONG_MESSAGES": "short_pieces"})
        sender, receiver = self.ranks(job.pid)
        freed, world = sorted(sender["communicators"], key=lambda c: c["name"])
        self.assertEqual(self.short(world, "sends"), [(1, 1, 41, 32 * LONG, "streaming")])
        self.assertLess(0, world["sends"][0]["moved"])
        self.assertLess(world["sends"][0]["moved"], 32 * LONG)
        self.assertEqual((freed["name"], freed["freed"]), ("", True))
        self.assertEqual(self.short(freed, "receives"), [(1, 1, 100 + i, 1, "posted") for i in range(25)])
        world, = receiver["communicators"]
        self.assertEqual(self.short(world, "receives"), [(0, 0, 41, 32 * LONG, "arriving")])
        self.assertLess(world["receives"][0]["moved"], sender["communicators"][0]["sends"][0]["moved"] + 1)
        lines = self.ps(sender["process"]).splitlines()
        self.assertEqual([line for line in lines if "more" in line], ["    and 5 more"])
        self.assertEqual(sum("no message has matched it" in line for line in lines), 20)
        self.assertRegex("\n".join(lines), r"a communicator without a name, freed \(rank 0 of 2, context \d+\)\n")
        self.assertRegex("\n".join(lines), r"send to rank 1, tag 41, 33554432 bytes: matched; \d+ of them have been s")
        self.kill_mpiexec(job)

    def test_nothing_is_pending(self):
        job = self.start("idle", 1)
        self.assertRegex(self.ps(job.pid), r"\Arank 0 of 1, process \d+: nothing is pending\n\Z")
        self.kill_mpiexec(job)

    def test_ranks_that_do_not_wait_for_the_reader(self):
        """Either the queues are told, or one sentence says that they change too fast."""
        job = self.start("busy")
        told = 0
        for _ in range(20):
            done = subprocess.run([PS, "--queues", "--json", str(job.pid)], capture_output=True, text=True, timeout=60,
                                  check=False)
            ranks = json.loads(done.stdout)["ranks"]
            self.assertEqual([rank["rank"] for rank in ranks], [0, 1, 2])
            problems = [rank["problem"] for rank in ranks if "problem" in rank]
            self.assertEqual(done.returncode, 1 if problems else 0, done.stderr)
            self.assertEqual(done.stderr.splitlines(), [f"bowline-ps: {problem}" for problem in problems])
            for problem in problems:
                self.assertRegex(problem, r"^process \d+ is too busy: .* changed during each of \d+ looks; ask again")
            told += len(ranks) - len(problems)
            for rank in ranks:
                for queues in rank.get("communicators", []):
                    for message in queues["receives"] + queues["unexpected"] + queues["sends"]:
                        told_in_part = message["state"] in ("arriving", "streaming", "putting")
                        whole = {1: 4, 2: LONG - 4}[message["tag"]]
                        self.assertLessEqual(message["bytes"], whole)
                        self.assertTrue(told_in_part or message["bytes"] == whole, message)
        self.assertGreater(told, 20)
        self.kill_mpiexec(job)

    def test_a_rank_before_init(self):
        job = self.start_mpiexec("-n", 1, PROGRAM, "before_init")
        self.assertTrue(eventually(lambda: "starting" in self.ps_or_error(job.pid)))
        self.kill_mpiexec(job)

    @staticmethod
    def ps_or_error(*processes):
        """Ranks of other jobs on the machine may be unreadable."""
        done = subprocess.run([PS, "--queues", *map(str, processes)], capture_output=True, text=True, timeout=60,
                              check=False)
        return done.stdout + done.stderr

    def test_a_core_file(self):
        pattern = pathlib.Path("/proc/sys/kernel/core_pattern").read_text(encoding="utf-8").strip()
        if SANITIZED or "/" in pattern or pattern.startswith("|"):
            self.skipTest(f"core files go elsewhere (core_pattern is {pattern}), or are of all memory of a sanitizer")
        if resource.getrlimit(resource.RLIMIT_CORE)[1] != resource.RLIM_INFINITY:
            self.skipTest("core files are limited")
        unlimited = (resource.RLIM_INFINITY,) * 2
        job = self.start("pending", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, unlimited))
        live = self.ranks(job.pid)[0]
        os.kill(live["process"], signal.SIGABRT)
        job.communicate()
        cores = list(self.directory.glob("core*"))
        self.assertEqual(len(cores), 1, cores)
        dead, = self.ranks(cores[0])
        self.assertEqual(dead, live | {"core": str(cores[0])})
        self.assertIn(f"rank 0 of 3, process {live['process']}, {cores[0]}\n", self.ps(cores[0]))
        whole = cores[0].stat().st_size
        for part in (whole // 2, 4096, 100):
            with self.subTest(part):
                os.truncate(cores[0], part)
                told = self.ps(cores[0], status=1)
                self.assertRegex(told, r"\Abowline-ps: [^\n]+\n\Z")
                self.assertIn("core", told)
                if part > 4096:
                    self.assertIn(f"the core file is truncated, to {part} of {whole} bytes", told)

    def test_what_is_wrong(self):
        text = self.directory / "text"
        text.write_text("no core file", encoding="utf-8")
        for arguments, words, status in (
                ([os.getpid()], f"process {os.getpid()} has no message queues of Bowline", 1),
                ([text], f"{text} is no core file of a 64-bit process", 1),
                ([self.directory / "gone"], f"{self.directory}/gone cannot be read: No such file", 1),
                ([self.directory], f"{self.directory} is no core file", 1),
                ([PS], f"{PS} is no core file", 1),
                ([4194304 + 1], "there is no process 4194305 here", 1),
                (["0"], '"0" is no process id', 2),
                (["--groups", os.getpid()], "--groups", 2),
                (["--watch", os.getpid()], "--watch", 2)):
            with self.subTest(words):
                told = self.ps(*arguments, status=status)
                self.assertRegex(told, r"\Abowline-ps: [^\n]+\n\Z")
                self.assertIn(words, told)
        document = json.loads(subprocess.run([PS, "--queues", "--json", text], capture_output=True, text=True,
                                             timeout=60, check=False).stdout)
        self.assertEqual(document["ranks"][0]["state"], "unreadable")

    @unittest.skipUnless(os.geteuid() == 0, "only root can be another user")
    def test_another_user(self):
        nobody = 65534
        try:
            told = self.ps(os.getpid(), status=1, user=nobody, group=nobody, extra_groups=[])
        except PermissionError as refused:
            self.skipTest(f"another user cannot run the program: {refused}")
        self.assertEqual(told, f"bowline-ps: process {os.getpid()} belongs to user 0: only that user and root may read "
                               "its memory\n")


if __name__ == "__main__":
    at_once.main()
