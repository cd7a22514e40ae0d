# SPDX-License-Identifier: BSD-3-Clause
"""Worlds of processes that nobody has launched: they meet by BOWLINE_RENDEZVOUS, talk, and end in every way."""
import os
import re
import shutil
import signal
import socket
import subprocess
import unittest
import uuid

import at_once

MET, LINE, MPIEXEC = os.environ["MET"], os.environ["LINE"], os.environ["MPIEXEC"]
VARIABLE = "BOWLINE_RENDEZVOUS"
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(("PMIX_", "SLURM_", "PMI_", "BOWLINE_"))}
PLACE = re.compile(r"rank (\d+) of (\d+), (\d+) here, universe (\d+), consumed\n")


def line_for(size, *arguments):
    words = [LINE, "-n", str(size), "--host", "127.0.0.1", *arguments]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


class Case(unittest.TestCase):
    def start(self, line, *arguments, before=(), program=(MET,), **settings):
        started = subprocess.Popen([*before, *program, *arguments], env=CLEAN | {VARIABLE: line} | settings, text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(started.communicate)
        self.addCleanup(started.kill)
        return started

    def started(self, size, *arguments, **settings):
        line = line_for(size)
        return [self.start(line, *arguments, **settings) for _ in range(size)]

    @staticmethod
    def connect(line):
        """To a process that is about to serve."""
        host, port = line.partition("/")[0].split(":")
        while True:
            try:
                return socket.create_connection((host, int(port)), timeout=30)
            except ConnectionRefusedError:
                continue

    def end(self, process):
        """(status, output, errors)"""
        said, wrong = process.communicate(timeout=90)
        return process.returncode, said, wrong

    def rank_of(self, process):
        """Waits until the process has talked to all others."""
        said = process.stdout.readline()
        place = PLACE.fullmatch(said)
        if place is None:
            self.fail(said + process.stderr.read())
        return int(place[1])

    def by_rank(self, processes):
        ranks = {self.rank_of(each): each for each in processes}
        self.assertEqual(sorted(ranks), list(range(len(processes))))
        return [ranks[rank] for rank in range(len(processes))]

    def check_world(self, processes, here=None):
        size = len(processes)
        found = set()
        for each in processes:
            status, said, wrong = self.end(each)
            self.assertEqual((status, wrong), (0, ""), said)
            place = PLACE.fullmatch(said)
            self.assertIsNotNone(place, said)
            found.add(int(place[1]))
            self.assertEqual([int(place[i]) for i in (2, 3, 4)], [size, here or size, size])
        self.assertEqual(found, set(range(size)))


class Worlds(Case):
    def test_of_several_sizes(self):
        for size in (1, 2, 3, 5, 8):
            with self.subTest(size=size):
                self.check_world(self.started(size))

    def test_one_after_the_other_at_one_port(self):
        line = line_for(3)
        for _ in range(4):
            self.check_world([self.start(line) for _ in range(3)])

    def test_two_programs_in_each_process(self):
        """The first ranks of the second world come while others of the first one still run."""
        line = line_for(4)
        twice = ["sh", "-c", f"{MET} && {MET}"]
        for each in [self.start(line, program=twice) for _ in range(4)]:
            status, said, wrong = self.end(each)
            self.assertEqual((status, wrong), (0, ""), said)
            self.assertEqual(len(PLACE.findall(said)), 2)

    def test_wanted_ranks(self):
        line = line_for(3)
        processes = [self.start(f"{line},{rank}") for rank in (2, 0, 1)]
        self.assertEqual([self.rank_of(each) for each in processes], [2, 0, 1])

    def test_a_line_that_the_program_gives(self):
        line = line_for(2)
        self.check_world([self.start("", "talk", line) for _ in range(2)])

    def test_exit_codes_are_those_of_the_processes(self):
        for rank, each in enumerate(self.by_rank(self.started(3, "status"))):
            self.assertEqual(self.end(each)[0], 10 + rank)

    def test_under_a_launcher_the_variable_has_no_effect(self):
        done = subprocess.run([MPIEXEC, "-n", "2", MET], env=CLEAN | {VARIABLE: line_for(5)}, capture_output=True,
                              text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(PLACE.findall(done.stdout)), 2)
        self.assertEqual(done.stderr.count(f"{VARIABLE} has no effect"), 1, done.stderr)


class Refusals(Case):
    def refusal(self, line, *arguments, **settings):
        status, said, wrong = self.end(self.start(line, *arguments, **settings))
        self.assertNotEqual(status, 0)
        self.assertEqual(said, "")
        self.assertEqual(wrong.count("\n"), 1, wrong)
        return wrong

    def test_of_malformed_lines(self):
        self.assertIn("BOWLINE_RENDEZVOUS has a secret of 5 characters", self.refusal("h:1/short,2"))
        self.assertIn("MPIX_Rendezvous: line has a secret of 5 characters", self.refusal("", "talk", "h:1/short,2"))
        self.assertIn("has been initialized", self.refusal(line_for(1), "too_late", line_for(1)))

    def test_of_processes_that_do_not_belong_here(self):
        """The others meet all the same."""
        line = line_for(3)
        right = [self.start(f"{line},1")]
        place = line.partition("/")[0]
        self.connect(line).close()
        self.assertIn("the secret of this process", self.refusal(f"{place}/{'x' * 20},3"))
        self.assertIn("size 4", self.refusal(line.rpartition(",")[0] + ",4"))
        self.assertIn("wants rank 1, which process", self.refusal(f"{line},1"))
        silent = self.connect(line)
        right += [self.start(line) for _ in range(2)]
        self.check_world(right)
        silent.close()

    def test_of_too_few(self):
        line = line_for(3)
        for each in [self.start(line, BOWLINE_RENDEZVOUS_TIMEOUT="3") for _ in range(2)]:
            status, _, wrong = self.end(each)
            self.assertNotEqual(status, 0)
            self.assertIn("only 2 of the 3 processes have come in 3 s", wrong)

    def test_of_a_port_of_another_program(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            line = re.sub(r":\d+/", f":{other.getsockname()[1]}/", line_for(2))
            process = self.start(line)
            connection, _ = other.accept()
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            status, _, wrong = self.end(process)
            connection.close()
        self.assertNotEqual(status, 0)
        self.assertIn("another program", wrong)


class Ends(Case):
    def test_a_process_killed_before_the_start_may_be_replaced(self):
        for rank in (0, 1):  # that of the process that serves, and another one
            line = line_for(3)
            processes = [self.start(line)]
            self.connect(line).close()
            processes.append(self.start(line))
            killed = processes.pop(rank)
            killed.kill()
            killed.wait()
            processes += [self.start(line) for _ in range(2)]
            self.check_world(processes)

    def test_a_killed_process_is_lost(self):
        """Without the one that serves, rank 0, the others do not hear why a third one has ended."""
        for killed in range(3):
            line = line_for(3)
            processes = [self.start(f"{line},0", "wait")]
            self.connect(line).close()
            processes += [self.start(f"{line},{rank}", "wait") for rank in (1, 2)]
            self.by_rank(processes)
            processes.pop(killed).kill()
            for each in processes:
                status, _, wrong = self.end(each)
                self.assertNotEqual(status, 0)
                self.assertRegex(wrong, r"rank \d has ended" if killed == 0 else f"rank {killed} has ended")

    def test_abort_ends_processes_that_compute(self):
        for aborting in range(3):
            for rank, each in enumerate(self.by_rank(self.started(3, "abort", str(aborting), "7"))):
                status, _, wrong = self.end(each)
                self.assertEqual(status, 7, wrong)
                self.assertIn("MPI_Abort was called on MPI_COMM_WORLD with code 7", wrong)
                self.assertIn(f"rank {aborting} on ", wrong, rank)

    def test_finalize_waits_for_the_last(self):
        processes = self.by_rank(self.started(3, "late"))
        processes[-1].communicate("\n", timeout=90)
        for each in processes:
            self.assertEqual(self.end(each)[0], 0)


class Hosts(Case):
    """Each process has a host of its own: network, name and processes. They reach each other over a bridge."""

    HOSTS = 3

    def ip(self, *words, check=True):
        return subprocess.run(["ip", *words], capture_output=True, text=True, check=check)

    def setUp(self):
        if shutil.which("ip") is None or shutil.which("unshare") is None:
            self.skipTest("iproute2's ip or util-linux's unshare is not installed")
        if os.environ["NETWORK"] != "1":
            self.skipTest("there is no network between hosts in this build")
        self.tag = uuid.uuid4().hex[:6]
        made = self.ip("netns", "add", f"bw{self.tag}s", check=False)
        if made.returncode != 0:
            self.skipTest(f"network namespaces are not possible here: {made.stderr.strip()}")
        self.addCleanup(self.ip, "netns", "del", f"bw{self.tag}s", check=False)
        bridge = ["-n", f"bw{self.tag}s"]
        self.ip(*bridge, "link", "add", "br0", "type", "bridge")
        self.ip(*bridge, "link", "set", "br0", "up")
        for i in range(self.HOSTS):
            host = f"bw{self.tag}{i}"
            self.ip("netns", "add", host)
            self.addCleanup(self.ip, "netns", "del", host, check=False)
            self.ip(*bridge, "link", "add", f"v{i}", "type", "veth", "peer", "name", "eth0", "netns", host)
            self.ip(*bridge, "link", "set", f"v{i}", "master", "br0", "up")
            self.ip("-n", host, "address", "add", f"10.99.0.{i + 1}/24", "dev", "eth0")
            self.ip("-n", host, "link", "set", "eth0", "up")
            self.ip("-n", host, "link", "set", "lo", "up")

    def on_host(self, number):
        """A shell in the host sets its name, which makes it a node of its own."""
        return ["ip", "netns", "exec", f"bw{self.tag}{number}", "unshare", "--uts", "sh", "-c",
                f"hostname node{number}; exec \"$@\"", "sh"]

    def test_processes_of_several_hosts(self):
        """The second host serves, and each host has two processes."""
        line = line_for(2 * self.HOSTS).replace("127.0.0.1", "10.99.0.2")
        processes = [self.start(line, before=self.on_host(i // 2)) for i in range(2 * self.HOSTS)]
        self.check_world(processes, here=2)

    def test_ends(self):
        line = line_for(self.HOSTS).replace("127.0.0.1", "10.99.0.1")
        processes = [self.start(f"{line},{i}", "abort", "1", "6", before=self.on_host(i)) for i in range(self.HOSTS)]
        for each in processes:
            status, _, wrong = self.end(each)
            self.assertEqual(status, 6, wrong)
        processes = [self.start(f"{line},{i}", "wait", before=self.on_host(i)) for i in range(self.HOSTS)]
        self.by_rank(processes)
        processes[1].send_signal(signal.SIGKILL)
        for each in (processes[0], processes[2]):
            status, _, wrong = self.end(each)
            self.assertNotEqual(status, 0)
            self.assertIn("rank 1 ", wrong)


if __name__ == "__main__":
    at_once.main()
