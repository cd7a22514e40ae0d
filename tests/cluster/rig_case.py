# SPDX-License-Identifier: BSD-3-Clause
"""What tests of and on the testbed share: its commands, and a look at what a rig consists of.

TESTBED in the environment names the folder of the commands. SHARE has the options of `up` by which the nodes see the
programs of a build that lies below /tmp. Where the testbed cannot be used, a test file ends with status 77, by which
ctest knows that it was skipped, and the reason is what the command `up` says.
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest

TESTBED = pathlib.Path(os.environ["TESTBED"])
SHARE = os.environ.get("SHARE", "").split()
PATIENCE = 60 * int(os.environ.get("TESTBED_PATIENCE", "1"))  # seconds after which anything counts as hanging
CANNOT = 77
KINDS = ("net", "mnt", "pid", "uts", "ipc")  # of namespaces


def words(name, rig, *arguments):
    """One of the testbed's commands. This interpreter runs it: the one that the command would look for itself may be a
    script that takes half a second to find another."""
    return [sys.executable, TESTBED / name, "--name", rig, *map(str, arguments)]


def command(name, rig, *arguments, **options):
    """Runs one of the testbed's commands to its end."""
    options = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "timeout": PATIENCE,
               "check": False} | options
    return subprocess.run(words(name, rig, *arguments), **options)


def first_nodes(count):
    """Words for srun and salloc that ask for just these nodes. By itself Slurm takes others while a job that has ended
    still holds these."""
    return (f"-N{count}", f"--nodelist=n[1-{count}]")


def eventually(condition, seconds=PATIENCE):
    """Waits until condition() is true; returns its last value."""
    deadline = time.monotonic() + seconds
    while not (done := condition()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return done


def read(path):
    try:
        return pathlib.Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:  # a process that has ended
        return ""


def processes():
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]


def running(pid):
    state = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return bool(state) and state[0] != "Z"


def command_line(pid):
    return read(f"/proc/{pid}/cmdline").split("\0")[:-1]


def namespaces(pid):
    """Its namespaces, such as net:[4026532009]."""
    found = set()
    for kind in KINDS:
        try:
            found.add(os.readlink(f"/proc/{pid}/ns/{kind}"))
        except OSError:
            pass
    return found


def keep(pid):
    """Descriptors of its namespaces."""
    return [os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY | os.O_CLOEXEC) for kind in KINDS]


class Parts:
    """The processes and namespaces of a rig that is up, by name and as this process sees them.

    It keeps the namespaces open until close(): the kernel would give their numbers to new ones, of a rig beside.
    """

    def __init__(self, rig):
        directory = f"/var/tmp/bowline-testbed/{rig}"
        lines = {pid: command_line(pid) for pid in processes()}
        inits = {pid: words for pid, words in lines.items() if directory in words}
        self.login = next(p for p, w in inits.items() if w[-1] == directory and w[0] != "unshare")
        self.waiting = next(p for p, w in inits.items() if w[-1] == directory and w[0] == "unshare")
        self.nodes = {w[-1]: p for p, w in inits.items() if w[-2] == directory and w[0] != "unshare"}
        own = namespaces(os.getpid())
        self.namespaces = set().union(*(namespaces(pid) for pid in inits)) - own
        self.kept = [kept for pid in inits for kept in keep(pid)]
        self.all = {pid for pid in lines if namespaces(pid) & self.namespaces}

    def close(self):
        while self.kept:
            os.close(self.kept.pop())

    def named(self, name):
        """A process of the rig that runs this program."""
        return next(pid for pid in self.all if read(f"/proc/{pid}/comm").strip() == name)

    def left(self):
        """What still exists of them: processes, references to namespaces, mounts."""
        found = [f"process {pid}" for pid in self.all if running(pid) and namespaces(pid) & self.namespaces]
        numbers = {re.search(r"\d+", name).group() for name in self.namespaces}
        for pid in processes():
            found += [f"process {pid} in {name}" for name in namespaces(pid) & self.namespaces]
            for line in read(f"/proc/{pid}/mountinfo").splitlines():
                if "nsfs" in line and any(f"[{number}]" in line for number in numbers):
                    found.append(f"mount: {line}")
        return found


class RigCase(unittest.TestCase):
    """Brings up rigs of its own, and ends them."""

    def up(self, rig, *arguments):
        self.addCleanup(command, "down", rig)
        done = command("up", rig, *arguments, *SHARE)
        self.assertEqual(done.returncode, 0, done.stderr)
        parts = Parts(rig)
        self.addCleanup(parts.close)
        return parts

    def assert_down_leaves_nothing(self, rig, parts):
        done = command("down", rig)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertTrue(eventually(lambda: not parts.left(), 5), parts.left())
        self.assertFalse(os.path.exists(f"/var/tmp/bowline-testbed/{rig}"))
        self.assertNotIn(f"bowline-testbed/{rig}", read("/proc/self/mountinfo"))


def end_hanging_srun(rig, program):
    """Whether an srun for this program hangs although all its ranks have ended, as Slurm 22.05's does in about 1 of 50
    heterogeneous jobs: it waits in its PMIx plugin (pmixp_abort_agent_stop) for a thread that never ends. Ends it."""
    parts = Parts(rig)
    parts.close()
    lines = {pid: command_line(pid) for pid in parts.all}
    hanging = [pid for pid, line in lines.items() if line and os.path.basename(line[0]) == "srun" and program in line]
    if not hanging or any(line[:1] == [program] for line in lines.values()):
        return False
    print("srun hangs although all ranks have ended: the job is run again", file=sys.stderr)
    for pid in hanging:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:  # ended with the other one
            pass
    command("run", rig, "--", "scancel", "--name", os.path.basename(program))  # nobody has told Slurm of the end
    eventually(lambda: not command("run", rig, "--", "squeue", "--noheader").stdout.strip())
    return True


def main():
    """Instead of unittest.main()."""
    done = subprocess.run([sys.executable, TESTBED / "up", "--check"], check=False)
    if done.returncode != 0:
        sys.exit(done.returncode)
    unittest.main()
