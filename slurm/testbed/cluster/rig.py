# SPDX-License-Identifier: BSD-3-Clause
"""A rig: one testbed, which consists of a directory and of the processes inside one PID namespace.

Whether a rig is up is not written down anywhere: its processes are looked for. Its login node is PID 1 of the namespace
in which everything else of the rig runs, and holds the only references to networks and mounts, so that whatever
happens to any process, killing that one leaves the directory and nothing else.
"""
import contextlib
import errno
import os
import pathlib
import re
import shutil
import signal
import socket
import time

HERE = pathlib.Path(__file__).resolve().parent.parent
INSIDE = HERE / "inside"
# Seconds after which anything counts as hanging. TESTBED_PATIENCE=N makes it N times as many, for slow machines.
PATIENCE = 20 * int(os.environ.get("TESTBED_PATIENCE", "1"))


class RigError(Exception):
    """What a user can do something about, as a sentence."""


def command_line(pid):
    """The arguments of a process; none if it has ended."""
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")[:-1]
    except OSError:
        return []


def processes():
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]


def running(pid):
    """Whether the process still does something: a zombie does not."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Rig:
    def __init__(self, name):
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,32}", name):
            raise RigError(f"the rig's name is '{name}', but must be 1 to 32 letters, digits, _ and -")
        self.name = name
        self.directory = pathlib.Path("/var/tmp/bowline-testbed") / name  # the nodes have a /tmp of their own

    def inits(self, node=None):
        """PID 1 of the login node, or of another one, and the process that waits for it, as this namespace counts."""
        words = [("login" if node is None else "node"), str(self.directory), *([] if node is None else [node])]

        def fits(line):
            return len(line) > len(words) and [os.path.basename(line[-len(words)]), *line[1 - len(words):]] == words

        return [pid for pid in processes() if fits(command_line(pid))]

    def init(self, node=None):
        """PID 1 of a node. Throws RigError if it does not run."""
        for pid in self.inits(node):
            if command_line(pid)[0] != "unshare":
                return pid
        if node is None or not self.inits():
            raise RigError(f"the rig '{self.name}' is not up; slurm/testbed/up brings it up")
        raise RigError(f"the rig '{self.name}' has no node {node}, or it has crashed; its nodes are "
                       + ", ".join(self.nodes()))

    def nodes(self):
        listed = (self.directory / "etc" / "nodes").read_text(encoding="utf-8")
        return listed.split()

    @contextlib.contextmanager
    def locked(self):
        """Only one process at a time brings a rig up or down. The lock is a name that vanishes with its holder."""
        with socket.socket(socket.AF_UNIX) as lock:
            while True:
                try:
                    lock.bind(f"\0bowline-testbed/{self.name}")
                    break
                except OSError as error:
                    if error.errno != errno.EADDRINUSE:
                        raise
                    time.sleep(0.01)
            yield

    def make_directory(self):
        parent = self.directory.parent
        parent.mkdir(mode=0o755, exist_ok=True)
        if parent.is_symlink() or parent.stat().st_uid != os.geteuid():
            raise RigError(f"{parent} belongs to someone else; remove it")
        self.directory.mkdir(mode=0o755)

    def end_processes(self):
        """It does not matter how many of them are left."""
        found = self.inits()
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        # The kernel lets PID 1 of a namespace become a zombie when all others in it are gone.
        deadline = time.monotonic() + PATIENCE
        while any(running(pid) for pid in found):
            if time.monotonic() > deadline:
                raise RigError(f"processes of the rig '{self.name}' do not die: {found}")
            time.sleep(0.005)

    def remove_files(self):
        if self.directory.exists():
            shutil.rmtree(self.directory)
        with contextlib.suppress(OSError):
            self.directory.parent.rmdir()  # that was the last one
