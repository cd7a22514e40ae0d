# SPDX-License-Identifier: BSD-3-Clause
"""Names that one job publishes and another one finds: with and without a launcher, when the publisher ends in every
way, and in directories that are not what they should be."""
import os
import pathlib
import subprocess
import tempfile
import unittest

import at_once

MPIEXEC, PROGRAM = os.environ["MPIEXEC"], os.environ["PROGRAM"]
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(("PMIX_", "SLURM_", "PMI_", "BOWLINE_"))}
JOB = [MPIEXEC, "--timeout", "60", "-n"]


class Names(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="bowline-names-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name) / "names"
        self.environment = CLEAN | {"BOWLINE_NAMES_DIRECTORY": str(self.folder)}

    def start(self, *command):
        started = subprocess.Popen(command, env=self.environment, text=True, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(started.communicate)
        self.addCleanup(started.kill)
        return started

    def publish(self, ending, *launcher, name="ocean", port="a port"):
        """Starts a job that has published the name when this returns."""
        started = self.start(*launcher, PROGRAM, "publish", name, port, ending)
        self.assertEqual(started.stdout.readline(), "published\n")
        return started

    def end(self, publisher, status):
        said, wrong = publisher.communicate("\n", timeout=60)
        self.assertEqual(publisher.returncode, status, wrong)
        return said

    def find(self, *launcher, name="ocean", **environment):
        done = subprocess.run([*launcher, PROGRAM, "find", name], env=self.environment | environment, text=True,
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def entries(self):
        return sorted(path.name for path in self.folder.iterdir() if not path.name.startswith("."))

    def test_between_two_jobs(self):
        publisher = self.publish("finalize", *JOB, "2")
        self.assertEqual(self.find(*JOB, "3"), "a port\n" * 3)
        self.assertEqual(self.find(), "a port\n")
        self.assertEqual(self.entries(), ["ocean"])
        self.end(publisher, 0)
        self.assertEqual(self.entries(), [])
        self.assertIn("MPI_Lookup_name: service_name \"ocean\" is not published: no process has published it in "
                      f"{self.folder}; ", self.find())

    def test_without_a_launcher(self):
        publisher = self.publish("finalize")
        self.assertEqual(self.find(*JOB, "2"), "a port\n" * 2)
        self.end(publisher, 0)
        self.assertEqual(self.entries(), [])

    def test_a_job_waits_for_another(self):
        waiting = self.start(*JOB, "2", PROGRAM, "find", "ocean", "wait")
        publisher = self.publish("finalize")
        self.assertEqual(waiting.communicate(timeout=60), ("a port\n" * 2, ""))
        self.end(publisher, 0)

    def test_each_end_of_the_program_removes_the_name(self):
        for ending, status in (("exit", 5), ("abort", 4)):
            self.end(self.publish(ending), status)
            self.assertEqual(self.entries(), [], ending)
        self.end(self.publish("abort", *JOB, "2"), 4)
        self.assertEqual(self.entries(), [])

    def test_the_end_of_the_last_session_removes_the_name(self):
        publisher = self.publish("session")
        self.assertEqual(self.entries(), ["ocean"])
        publisher.stdin.write("\n")
        publisher.stdin.flush()
        self.assertEqual(publisher.stdout.readline(), "ended\n")
        self.assertEqual(self.entries(), [])
        self.end(publisher, 0)

    def test_a_forked_process_removes_nothing(self):
        publisher = self.publish("fork")
        publisher.stdin.write("\n")
        publisher.stdin.flush()
        self.assertEqual(publisher.stdout.readline(), "forked\n")
        self.assertEqual(self.find(), "a port\n")
        self.end(publisher, 0)
        self.assertEqual(self.entries(), [])

    def test_of_a_killed_process(self):
        publisher = self.publish("finalize")
        publisher.kill()
        publisher.wait()
        self.assertEqual(self.entries(), ["ocean"])
        self.assertRegex(self.find(), f"is not published: process {publisher.pid} on host .*, which published it, has "
                                      "ended; ")
        self.assertEqual(self.entries(), [])

    def test_of_a_killed_process_is_published_anew(self):
        publisher = self.publish("finalize")
        publisher.kill()
        publisher.wait()
        publisher = self.publish("finalize", port="a new port")
        self.assertEqual(self.find(), "a new port\n")
        self.end(publisher, 0)

    def test_in_the_home_directory(self):
        home = self.folder.parent
        del self.environment["BOWLINE_NAMES_DIRECTORY"]
        self.environment["HOME"] = str(home)
        publisher = self.publish("finalize")
        self.assertEqual([path.name for path in (home / ".bowline" / "names").glob("[a-z]*")], ["ocean"])
        self.assertEqual(self.find(), "a port\n")
        self.end(publisher, 0)

    def test_without_a_home_directory(self):
        del self.environment["BOWLINE_NAMES_DIRECTORY"]
        for home in ("/no/such/home", "", "relative", PROGRAM):
            self.assertIn(f"/tmp/bowline-names-{os.geteuid()}; ", self.find(name=str(self.folder), HOME=home), home)

    def test_a_directory_that_others_could_use(self):
        self.folder.mkdir(mode=0o755)
        self.folder.chmod(0o755)
        self.assertIn(f"MPI_Lookup_name: {self.folder}, the directory for names, has mode 755, which lets other users "
                      "in: change it to 700, or set BOWLINE_NAMES_DIRECTORY", self.find())
        link = self.folder.with_name("link")
        link.symlink_to(self.folder)
        self.assertIn("is a link or a file", self.find(BOWLINE_NAMES_DIRECTORY=str(link)))


if __name__ == "__main__":
    at_once.main()
