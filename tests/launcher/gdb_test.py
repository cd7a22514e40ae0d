# SPDX-License-Identifier: BSD-3-Clause
"""mpiexec --gdb and bowline-ps --attach run gdb for ranks, in tmux or in the terminal."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import unittest

from debugger_case import PROGRAM, PS, DebuggerCase
from launcher_case import MPIEXEC, eventually


class RealGdb(DebuggerCase):
    def setUp(self):
        super().setUp()
        self.need_gdb()

    def tmux(self, *words):
        return subprocess.run(["tmux", *words], env=self.environment, capture_output=True, text=True, timeout=60,
                              check=False).stdout

    def test_terminal(self):
        job, terminal = self.start_on_terminal(MPIEXEC, "--gdb=1", "-n", 2, PROGRAM, "end", "end")
        seen = self.read_until(terminal, "(rank 1) ")
        self.assertIn("main (", seen)
        os.write(terminal, b"bowline queues\n")
        self.assertIn("has no message queues of Bowline", self.read_until(terminal, "(rank 1) "))
        os.write(terminal, b"continue\n")
        self.assertIn("exited normally", self.read_until(terminal, "(rank 1) "))
        os.write(terminal, b"quit\n")
        self.assertEqual(job.wait(timeout=60), 0)

    def test_panes(self):
        if shutil.which("tmux") is None:
            self.skipTest("there is no tmux")
        self.addCleanup(self.tmux, "kill-server")
        job = self.start_mpiexec("--gdb=0,2", "-n", 3, PROGRAM, "end", "end", "end")
        session = re.search(r"gdb runs for 2 ranks in tmux; .*tmux attach -t (bowline-\d+)", job.stderr.readline())[1]
        for pane, rank in ((0, 0), (1, 2)):
            at = f"{session}:.{pane}"
            stands = lambda: f"(rank {rank})" in self.tmux("capture-pane", "-p", "-t", at)
            self.assertTrue(eventually(stands), self.tmux("capture-pane", "-p", "-t", at))
            self.tmux("send-keys", "-t", at, "continue", "Enter")
        self.assertEqual(self.assert_ends(job)[0], 0)
        self.tmux("kill-server")
        self.assert_gone()

    def test_job_that_is_ended_while_a_rank_stands_in_gdb(self):
        job, terminal = self.start_on_terminal(MPIEXEC, "--gdb", "--grace", "1", PROGRAM, "compute")
        self.read_until(terminal, "(rank 0) ")
        job.send_signal(signal.SIGTERM)
        self.assertEqual(job.wait(timeout=60), 128 + signal.SIGTERM)


class Fakes(DebuggerCase):
    """What the commands are, and where they run."""

    def setUp(self):
        super().setUp()
        self.folder = self.directory / "programs"
        self.folder.mkdir()
        self.log = self.directory / "log"
        self.environment["PATH"] = f"{self.folder}:{self.environment['PATH']}"
        self.fake("gdb")

    def fake(self, name, then="exit 0"):
        path = self.folder / name
        path.write_text(f'#!/bin/sh\nprintf \'%s\' {name} >> {self.log}\nprintf \'|%s\' "$@" >> {self.log}\n'
                        f"echo >> {self.log}\n{then}\n")
        path.chmod(0o755)

    def calls(self):
        return [line.split("|") for line in self.log.read_text().splitlines()] if self.log.exists() else []

    def only_fakes(self):
        """Programs that the tests need, and no others."""
        for name in ("sh", "env", "sleep"):
            (self.folder / name).symlink_to(shutil.which(name))
        self.environment["PATH"] = str(self.folder)

    def refusal(self, *words):
        done = self.run_mpiexec(*words, PROGRAM, "end", "end", "end")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(self.calls(), [])
        return done.stderr

    def test_window_of_this_tmux(self):
        self.fake("tmux", "echo @7")
        self.environment["TMUX"] = "/tmp/socket,1,0"
        job = self.start_mpiexec("--gdb", "-n", 3, PROGRAM, "end", "end", "end")
        self.assertTrue(eventually(lambda: len(self.calls()) == 5), self.calls())
        opened = [words for words in self.calls() if words[1] != "select-layout"]
        self.assertEqual([words[:4] for words in opened], [["tmux", "new-window", "-P", "-F"],
                                                           ["tmux", "split-window", "-t", "@7"],
                                                           ["tmux", "split-window", "-t", "@7"]])
        for rank, words in enumerate(opened):
            self.assertIn(f"set prompt (rank {rank}) ", words)
            process = int(words[words.index("-p") + 1])
            self.assertEqual(pathlib.Path(f"/proc/{process}/comm").read_text(), "bowline-rank\n")
            self.assertEqual(words[-6:],
                             ["-ex", "tbreak main", "-ex", "set breakpoint pending auto", "-ex", "continue"])
        self.kill_mpiexec(job)

    def test_no_room_for_a_pane(self):
        self.fake("tmux", '[ "$1" = split-window ] && exit 1; echo @7')
        self.environment["TMUX"] = "/tmp/socket,1,0"
        job = self.start_mpiexec("--gdb=0,2", "-n", 3, PROGRAM, "end", "end", "end")
        self.assertTrue(eventually(lambda: len(self.calls()) == 3), self.calls())
        self.assertEqual([words[1] for words in self.calls()], ["new-window", "split-window", "new-window"])
        self.kill_mpiexec(job)

    def test_tmux_that_fails(self):
        self.fake("tmux", "echo no server >&2; exit 1")
        done = self.run_mpiexec("--gdb", "-n", 2, PROGRAM, "end", "end")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr, "no server\nmpiexec: tmux cannot open a window for gdb on rank 0; see what it "
                                      "says above; the job goes on without gdb\n")

    def test_gdb_that_cannot_attach(self):
        job, _ = self.start_on_terminal(MPIEXEC, "--gdb=1", "-n", 2, PROGRAM, "end", "end")
        self.assertEqual(job.wait(timeout=60), 0)
        self.assertEqual([words[0] for words in self.calls()], ["gdb"])

    def test_refusals(self):
        self.fake("tmux")
        self.assertEqual(self.refusal("--gdb=0,3", "-n", 3),
                         "mpiexec: --gdb=3: there is no such rank; the job has the ranks 0 to 2\n")
        self.assertEqual(self.refusal("--gdb=0-63", "-n", 64),
                         "mpiexec: --gdb: these are 64 ranks, and gdb takes at most 32 at once; name fewer\n")
        (self.folder / "tmux").unlink()
        self.only_fakes()
        self.assertEqual(self.refusal("--gdb", "-n", 3),
                         "mpiexec: --gdb: these are 3 ranks, and a terminal has room for gdb on one; install tmux, or "
                         "name one rank\n")
        self.assertEqual(self.refusal("--gdb=1", "-n", 3),
                         "mpiexec: --gdb: gdb needs a terminal, and standard input is none; run it in a terminal, or "
                         "install tmux\n")
        (self.folder / "gdb").unlink()
        self.assertEqual(self.refusal("--gdb", "-n", 3),
                         "mpiexec: --gdb: there is no gdb in PATH; install it, or add its directory to PATH\n")

    def attach(self, *words):
        return subprocess.run([PS, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=60, env=self.environment, check=False)

    def test_attach(self):
        self.fake("tmux", "echo @7")
        job = self.start_computing(3)
        done = self.attach("--attach=2,0", job.pid)
        self.assertRegex(done.stdout, r"^gdb runs for 2 ranks in tmux; in a terminal: tmux attach -t bowline-\d+$")
        processes = [words[words.index("-p") + 1] for words in self.calls() if "-p" in words]
        self.assertEqual(processes, [str(self.ranks(job)[rank]["process"]) for rank in (0, 2)])
        self.assertNotIn("continue", self.calls()[0])
        gdb, _ = self.start_on_terminal(PS, "--attach=1", job.pid)
        self.assertEqual(gdb.wait(timeout=60), 0)
        self.assertEqual(self.calls()[-1][0], "gdb")
        done = self.attach("--attach=3", job.pid)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, f"bowline-ps: --attach=3: the job has no such rank on this machine; bowline-ps "
                                      f"{job.pid} lists those that it has\n")
        self.assertEqual(self.attach("--attach=1", "--json").returncode, 2)
        self.kill_mpiexec(job)


if __name__ == "__main__":
    unittest.main()
