# SPDX-License-Identifier: BSD-3-Clause
"""A test case for debuggers of ranks. PS and WAITING_RANKS in the environment name the two programs."""
import json
import os
import pty
import shutil
import subprocess
import sys

from launcher_case import LauncherCase, eventually

PS, PROGRAM = os.environ["PS"], os.environ["WAITING_RANKS"]


def can_debug():
    """Whether there is a gdb that may attach to processes: some containers forbid it."""
    if shutil.which("gdb") is None:
        return False
    with subprocess.Popen(["sleep", "60"]) as sleeper:
        done = subprocess.run(["gdb", "-nx", "-batch", "-p", str(sleeper.pid), "-ex", "print 40+2"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
        sleeper.kill()
    return "= 42" in done.stdout and "not permitted" not in done.stderr


REAL_GDB = can_debug()
if not REAL_GDB:
    print("tests with the real gdb are left out: there is none, or it must not attach to processes", file=sys.stderr)


class DebuggerCase(LauncherCase):
    def setUp(self):
        super().setUp()
        self.environment = {k: v for k, v in self.environment.items() if not k.startswith("TMUX")}
        self.environment |= {"TMUX_TMPDIR": str(self.directory), "BOWLINE_HANG": "off"}

    def need_gdb(self):
        if not REAL_GDB:
            self.skipTest("there is no gdb that may attach to processes")

    def ranks(self, job):
        done = subprocess.run([PS, "--json", str(job.pid)], capture_output=True, text=True, timeout=60, check=False)
        return json.loads(done.stdout)["jobs"][0]["ranks"] if done.returncode == 0 else []

    def start_computing(self, number):
        job = self.start_mpiexec("-n", number, PROGRAM, *["compute"] * number)
        running = lambda: [rank["state"] for rank in self.ranks(job)] == ["running"] * number
        self.assertTrue(eventually(running), self.ranks(job))
        return job

    def start_on_terminal(self, *words):
        """A process whose standard streams are a terminal, and the other end of it."""
        mine, its = pty.openpty()
        code = ("import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
                "os.execvp(sys.argv[1], sys.argv[1:])")
        job = subprocess.Popen([sys.executable, "-c", code, *map(str, words)], stdin=its, stdout=its, stderr=its,
                               env=self.environment | {"TERM": "dumb"}, cwd=self.directory, start_new_session=True)
        os.close(its)
        self.addCleanup(os.close, mine)
        self.addCleanup(self.stop, job)
        return job, mine

    def read_until(self, terminal, text):
        seen = ""
        while text not in seen:
            try:
                piece = os.read(terminal, 4096)
            except OSError:  # its process has ended
                piece = b""
            self.assertTrue(piece, f"{text!r} never came, but: {seen}")
            seen += piece.decode(errors="replace")
        return seen
