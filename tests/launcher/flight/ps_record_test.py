# SPDX-License-Identifier: BSD-3-Clause
"""bowline-ps --record tells what the ranks of a running job have done last. They copy prepared recordings first."""
import json
import os
import pathlib
import shlex
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
# pylint: disable=wrong-import-position
import at_once
import flight_files
from flight_files import event, rank
from launcher_case import LauncherCase, eventually

PS, PROGRAM = os.environ["PS"], os.environ["WAITING_RANKS"]
VARIABLE = "BOWLINE_FLIGHT_RECORDER"


class PsRecord(LauncherCase):
    def ps(self, *arguments, status=0):
        done = subprocess.run([PS, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False,
                              cwd=self.directory)
        self.assertEqual(done.returncode, status, done.stderr)
        if status != 0:
            self.assertRegex(done.stderr, r"\Abowline-ps: [^\n]+\n\Z")
        return done.stdout if status == 0 else done.stderr

    def start_waiting(self, *options, before="", **variables):
        """A job whose rank 0 receives from rank 1, which computes."""
        program = f"{before} exec {PROGRAM} receive compute"
        job = self.start_mpiexec(*options, "-n", 2, "sh", "-c", program.strip(),
                                 env=self.environment | {"BOWLINE_HANG": "off"} | variables)

        def waits():
            done = subprocess.run([PS, "--json", str(job.pid)], capture_output=True, text=True, timeout=60, check=False)
            jobs = json.loads(done.stdout)["jobs"] if done.returncode == 0 else []
            return [each["state"] for each in jobs[0]["ranks"]] == ["waiting", "running"] if jobs else False
        self.assertTrue(eventually(waits))
        return job

    def prepare(self):
        """As the ranks of this job would write them."""
        start = time.time_ns()
        files = [rank(0, 2, [event(1, "wait_begun", context=4, process=1)], to_utc=start),
                 rank(1, 2, [event(1, "first_contact", process=0)], to_utc=start)]
        return shlex.quote(str(flight_files.write(self.directory / "prepared", *files)))

    def test_a_job_with_a_recorder(self):
        copied = f'cp {self.prepare()}/rank-$PMIX_RANK.flight "${VARIABLE}";'
        job = self.start_waiting("--record", "end.json", before=copied)
        lines = self.ps("--record", "-", job.pid).splitlines()
        self.assertRegex(lines[0], r"^The job runs; 1 rank waits for rank 1, the longest for .* m?s\.$")
        self.assertRegex("\n".join(lines), r"\n\S+ rank 0 wait_begun [^\n]*process=1\b")
        self.assertEqual(self.ps("--record", "now.html", job.pid), "")
        page = (self.directory / "now.html").read_text(encoding="utf-8")
        self.assertIn("The last moments of 2 ranks", page)
        self.assertEqual((page.count(">runs</text>"), page.count(">lost</text>")), (2, 0))
        self.kill_mpiexec(job)

    def test_a_folder_of_the_user(self):
        """Its name is relative to where the job was started."""
        self.prepare()
        job = self.start_waiting(**{VARIABLE: "prepared"})
        self.assertIn("The job runs; ", self.ps("--record", "-", job.pid))
        self.kill_mpiexec(job)

    def test_a_job_without_a_recorder(self):
        job = self.start_waiting()
        self.assertEqual(self.ps("--record", "-", job.pid, status=2),
                         f"bowline-ps: --record: the ranks of job {job.pid} keep no events; start it with mpiexec "
                         f"--record FILE, or with {VARIABLE}=FOLDER\n")
        other = self.start_mpiexec("-n", 1, "sleep", 60)
        started = lambda: subprocess.run([PS, str(other.pid)], capture_output=True, check=False).returncode == 0
        self.assertTrue(eventually(started))
        self.assertIn("jobs run here; add the process id of one", self.ps("--record", "-", status=2))
        self.assertIn("MPI has not started", self.ps("--record", "-", other.pid, status=2))
        for each in (job, other):
            each.kill()
            each.communicate()
        self.assert_gone()

    def test_what_is_wrong(self):
        self.assertIn("is no mpiexec", self.ps("--record", "-", os.getpid(), status=1))
        self.assertIn("must end with .html", self.ps("--record", "end.pdf", status=2))
        self.assertIn("is not a directory", self.ps("--record", "none/end.html", status=2))
        self.assertIn("--json", self.ps("--record", "-", "--json", status=2))


if __name__ == "__main__":
    at_once.main()
