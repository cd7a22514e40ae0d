# SPDX-License-Identifier: BSD-3-Clause
"""Standard input goes to rank 0 alone: from files, pipes and terminals, in the foreground and in the background."""
import os
import pty
import signal
import subprocess
import sys
import unittest

from launcher_case import LauncherCase, MPIEXEC, PATIENCE, eventually

COUNT = "echo $PMIX_RANK $(wc -c)"


class Input(LauncherCase):
    def test_rank_0_alone(self):
        done = self.run_mpiexec("-n", 3, "sh", "-c", COUNT, stdin=None, input="hello\n")
        self.assertEqual(sorted(done.stdout.splitlines()), ["0 6", "1 0", "2 0"])

    def test_any_bytes_from_a_file(self):
        content = os.urandom(2 << 20)
        (self.directory / "in").write_bytes(content)
        with open(self.directory / "in", "rb") as file:
            done = self.run_mpiexec("-n", 2, "cat", stdin=file, text=False)
        self.assertEqual(done.stdout, content)

    def test_pipe_that_stays_open(self):
        """Ranks that do not read end; nobody waits for an end of the input."""
        job = self.start_mpiexec("-n", 2, "true", stdin=subprocess.PIPE)
        job.wait(timeout=PATIENCE)
        self.assertEqual(job.returncode, 0)

    def test_dialogue(self):
        job = self.start_mpiexec("-n", 2, "sh", "-c", "while read x; do echo got $x; done", stdin=subprocess.PIPE)
        for word in ("one", "two"):
            job.stdin.write(word + "\n")
            job.stdin.flush()
            self.assertEqual(job.stdout.readline(), f"got {word}\n")
        job.stdin.close()
        job.wait(timeout=PATIENCE)
        self.assertEqual(job.returncode, 0)

    def test_input_that_no_rank_reads_stays(self):
        """A loop over the lines of a file keeps its lines."""
        done = subprocess.run(["sh", "-c", '(for i in 1 2; do "$MPIEXEC" -n 2 true; done; cat)'], input="a\nb\n",
                              env=self.environment, capture_output=True, text=True, timeout=30, check=False)
        self.assertEqual(done.stdout, "a\nb\n")

    def test_writer_learns_that_rank_0_is_gone(self):
        job = self.start_mpiexec("-n", 2, "sh", "-c", "[ $PMIX_RANK = 0 ] || sleep 60", stdin=subprocess.PIPE)
        os.set_blocking(job.stdin.fileno(), False)

        def broken():
            try:
                os.write(job.stdin.fileno(), b"x" * 1000)
            except BlockingIOError:
                pass
            except BrokenPipeError:
                return True
            return False
        # The process that the user sees holds its own standard input as long as it lives, as any program does.
        self.assertFalse(broken())
        job.terminate()
        self.assertTrue(eventually(broken))


class Terminal(LauncherCase):
    """mpiexec in a session with a terminal of its own, in the fore- or background of a shell that does job control."""

    def setUp(self):
        super().setUp()
        self.seen = b""  # on the terminal, after what was waited for last
        self.master, slave = pty.openpty()
        self.addCleanup(os.close, self.master)
        self.slave = slave
        self.addCleanup(os.close, slave)

    def start(self, script):
        """A shell with job control as the leader of the terminal's session."""
        environment = self.environment | {"MPIEXEC": MPIEXEC, "PS1": ""}
        code = ("import fcntl, os, sys, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
                "os.execvp('bash', ['bash', '--norc', '--noprofile', '-m', '-c', sys.argv[1]])")
        shell = subprocess.Popen([sys.executable, "-c", code, script], stdin=self.slave, stdout=self.slave,
                                 stderr=self.slave, env=environment, cwd=self.directory)
        self.addCleanup(self.stop, shell)
        os.set_blocking(self.master, False)
        return shell

    def read_until(self, text, seconds=PATIENCE):
        def found():
            try:
                self.seen += os.read(self.master, 4096)
            except (BlockingIOError, OSError):
                pass
            return text.encode() in self.seen
        self.assertTrue(eventually(found, seconds), self.seen)
        self.seen = self.seen.partition(text.encode())[2]

    def type(self, text):
        os.write(self.master, text.encode())

    def test_typed_lines_and_end_of_file(self):
        shell = self.start('"$MPIEXEC" -n 2 sh -c \'while read x; do echo "<$x>"; done; echo end $PMIX_RANK\'')
        self.read_until("end 1")
        self.type("hello\n")
        self.read_until("<hello>")
        self.type("\x04")
        self.read_until("end 0")
        self.assertEqual(shell.wait(timeout=PATIENCE), 0)

    def test_prompt_is_shown_before_its_line_ends(self):
        shell = self.start('"$MPIEXEC" -n 2 sh -c '
                           '\'[ $PMIX_RANK = 1 ] && exit; printf "name? "; read x; echo "you: $x"\'')
        self.read_until("name? ")
        self.type("me\n")
        self.read_until("you: me")
        self.assertEqual(shell.wait(timeout=PATIENCE), 0)

    def test_background_neither_stops_nor_steals(self):
        shell = self.start('"$MPIEXEC" -n 2 sh -c "touch here.\\$PMIX_RANK; cat; sleep 60" & '
                           'echo shell reads; read line; echo "shell got $line"; kill %1; wait %1; echo status $?')
        self.read_until("shell reads")
        self.wait_for_files("here.0", "here.1")
        self.wait_until_quiet()
        self.type("for the shell\n")
        self.read_until("shell got for the shell")
        self.read_until("status 143")
        shell.wait(timeout=PATIENCE)

    def test_background_job_ends_by_itself(self):
        shell = self.start('"$MPIEXEC" -n 2 sleep 0.2 & wait %1; echo status $?')
        self.read_until("status 0")
        shell.wait(timeout=PATIENCE)

    def test_control_c_once(self):
        shell = self.start('"$MPIEXEC" -n 2 sh -c "touch here.\\$PMIX_RANK; exec sleep 60"; echo status $?')
        self.wait_for_files("here.0", "here.1")
        self.type("\x03")
        shell.wait(timeout=PATIENCE)
        self.assert_nothing_left()

    def test_control_z_stops_ranks_and_fg_goes_on(self):
        shell = self.start('"$MPIEXEC" -n 2 sh -c "touch here.\\$PMIX_RANK; sleep 60 & wait"; echo stopped $?; '
                           'touch stopped; read x; kill -CONT %1; touch continued; '
                           'read x; kill -INT %1; fg; echo over $?')
        self.wait_for_files("here.0", "here.1")
        ranks = [pid for pid in self.processes() if self.is_rank(pid)]
        self.assertEqual(len(ranks), 2)
        self.type("\x1a")
        self.wait_for_files("stopped")
        self.assertTrue(eventually(lambda: all(self.state(pid) == "T" for pid in ranks)))
        self.type("\n")
        self.wait_for_files("continued")
        self.assertTrue(eventually(lambda: all(self.state(pid) in "SR" for pid in ranks)))
        self.type("\n")
        self.read_until("over 130")
        shell.wait(timeout=PATIENCE)

    def is_rank(self, pid):
        with open(f"/proc/{self.parent(pid)}/comm", encoding="utf-8") as file:
            return file.read() == "bowline-job\n"

    @staticmethod
    def state(pid):
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0]

    def test_terminal_that_closes(self):
        shell = self.start('"$MPIEXEC" -n 2 sh -c "touch here.\\$PMIX_RANK; exec sleep 60"; true')
        self.wait_for_files("here.0", "here.1")
        os.kill(shell.pid, signal.SIGHUP)  # what the kernel sends to the session's leader
        for pid in self.processes():
            if self.parent(pid) == shell.pid:
                os.kill(pid, signal.SIGHUP)
        self.assertTrue(eventually(lambda: not self.processes()))


if __name__ == "__main__":
    unittest.main()
