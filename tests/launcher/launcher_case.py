# SPDX-License-Identifier: BSD-3-Clause
"""A test case that runs the built mpiexec and afterwards looks for anything that it has left behind.

MPIEXEC and PMIX_CLIENT in the environment name the two programs.
"""
import os
import re
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import uuid

MPIEXEC = os.environ["MPIEXEC"]
CLIENT = os.environ["PMIX_CLIENT"]
MARK = "LAUNCHER_TEST_MARK"
PATIENCE = 30  # seconds after which anything counts as hanging; ranks that are to be ended stay twice as long


def fields(pid):
    """Of /proc/PID/stat, those after the name: state, parent, group, session, ..."""
    return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()


def eventually(condition, seconds=PATIENCE):
    """Waits until condition() is true; returns whether it became so."""
    deadline = time.monotonic() + seconds
    while not (done := condition()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return done


def ranks_named(text):
    """The ranks in "0 to 2, 4 and 6"."""
    for part in re.split(", | and ", text):
        first, _, last = part.partition(" to ")
        yield from range(int(first), int(last or first) + 1)


def without_places(text, source):
    """What mpiexec says of waits, without the source lines of the calls, all of which must be in this file."""
    return re.sub(rf" \({re.escape(source)}:\d+\)(?=, for )", "", text)


class LauncherCase(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="launcher-test-"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.temporary = self.directory / "tmp"
        self.temporary.mkdir()
        self.mark = uuid.uuid4().hex
        outer = ("PMIX_", "PMI_", "SLURM_", "OMP_")
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(outer)}
        self.environment |= {MARK: self.mark, "TMPDIR": str(self.temporary)}

    def tearDown(self):
        left = self.processes()
        try:
            self.assert_nothing_left()
        finally:
            for pid in left:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass

    def processes(self):
        """Live processes that were started, directly or not, by this test."""
        found = []
        for entry in os.listdir("/proc"):
            if not entry.isdigit() or int(entry) == os.getpid():
                continue
            try:
                environment = pathlib.Path(f"/proc/{entry}/environ").read_bytes()
                if f"{MARK}={self.mark}".encode() in environment.split(b"\0") and fields(entry)[0] != "Z":
                    found.append(int(entry))
            except (FileNotFoundError, ProcessLookupError, PermissionError):
                pass
        return found

    def left(self):
        """Their numbers and command lines."""
        found = []
        for pid in self.processes():
            try:
                words = pathlib.Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
            found.append(f"{pid}: {words}".replace("\0", " ").strip())
        return found

    def assert_nothing_left(self):
        self.assertEqual(self.left(), [], "processes are left")
        self.assertEqual(os.listdir(self.temporary), [], "files are left")

    def assert_gone(self, seconds=PATIENCE):
        """What a killed mpiexec leaves ends soon after it."""
        self.assertTrue(eventually(lambda: not self.processes(), seconds), f"left: {self.left()}")
        self.assertTrue(eventually(lambda: not os.listdir(self.temporary), seconds), "files are left")

    def kill_mpiexec(self, process):
        process.kill()
        process.communicate()
        self.assert_gone()

    def run_mpiexec(self, *arguments, **options):
        """Runs to the end; text by default."""
        options = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "timeout": PATIENCE,
                   "env": self.environment, "check": False, "cwd": self.directory} | options
        return subprocess.run([MPIEXEC, *map(str, arguments)], **options)

    def start_mpiexec(self, *arguments, **options):
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True,
                   "env": self.environment, "cwd": self.directory} | options
        process = subprocess.Popen([MPIEXEC, *map(str, arguments)], **options)
        self.addCleanup(self.stop, process)
        return process

    @staticmethod
    def stop(process):
        if process.poll() is None:
            process.kill()
            process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()

    def job_process(self, mpiexec):
        """The pid of the process that runs the job: mpiexec's only child."""
        def find():
            return [pid for pid in self.processes() if self.parent(pid) == mpiexec.pid]
        children = eventually(find)
        self.assertEqual(len(children), 1)
        return children[0]

    @staticmethod
    def parent(pid):
        try:
            return int(fields(pid)[1])
        except (FileNotFoundError, ProcessLookupError):
            return -1

    def wait_for_files(self, *names):
        """Until all the ranks have touched their files in the test's directory."""
        missing = lambda: [n for n in names if not (self.directory / n).exists()]
        self.assertTrue(eventually(lambda: not missing()), f"never appeared: {missing()}")

    def activity(self):
        """Of every process of this test: its state, the processor time it has used, and how often it went to sleep."""
        found = {}
        for pid in self.processes():
            try:
                status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
                switches = [line for line in status.splitlines() if "ctxt_switches" in line]
                found[pid] = (fields(pid)[0], fields(pid)[11:13], switches)
            except (FileNotFoundError, ProcessLookupError):
                found[pid] = ("gone",)
        return found

    def wait_until_quiet(self):
        """Until every process of this test sleeps and none has done anything for a while: what could happen has."""
        def quiet():
            before = self.activity()
            time.sleep(0.1)
            return before and all(state == "S" for state, *_ in before.values()) and before == self.activity()
        self.assertTrue(eventually(quiet), f"never quiet: {self.activity()}")

    def assert_ends(self, process):
        """Waits for mpiexec; returns its status and its two outputs. Ranks that it does not end stay for longer."""
        out, err = process.communicate(timeout=PATIENCE)
        return process.returncode, out, err
