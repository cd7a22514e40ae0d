# SPDX-License-Identifier: BSD-3-Clause
"""Worlds of processes that nobody has launched: they meet by BOWLINE_RENDEZVOUS, talk, and end in every way."""
import os
import re
import socket
import subprocess

import at_once

from rendezvous_case import CLEAN, LINE, MET, PLACE, VARIABLE, Case, line_for

MPIEXEC = os.environ["MPIEXEC"]


class Lines(Case):
    def test_have_what_is_asked_for(self):
        self.assertRegex(line_for(7), r"^127\.0\.0\.1:\d+/[0-9a-f]{32},7$")
        self.assertRegex(line_for(1, "--port", "7000"), r":7000/[0-9a-f]{32},1$")
        self.assertNotEqual(line_for(1, "--port", "7000"), line_for(1, "--port", "7000"))

    def test_wrong_options_are_one_sentence(self):
        for words, part in ((["-n", "0"], '-n is "0": give a number, 1 to'), (["--port", "x"], '--port is "x"'),
                            (["--host", "a/b"], '--host is "a/b"'), (["--size"], "bowline-rendezvous --help")):
            done = subprocess.run([LINE, *words], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            self.assertIn(part, done.stderr)


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


if __name__ == "__main__":
    at_once.main()
