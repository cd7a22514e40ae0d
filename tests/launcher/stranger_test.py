# SPDX-License-Identifier: BSD-3-Clause
"""mpiexec's PMIx server refuses a client that knows only its port, as every user of the machine does, although the
client claims to be the user whose job it is."""
import os
import pathlib
import shutil
import subprocess
import unittest

from launcher_case import LauncherCase

STRANGER = os.environ["PMIX_STRANGER"]
NOBODY = 65534
WAITS = """env | grep ^PMIX_ > environment.$PMIX_RANK.new; mv environment.$PMIX_RANK.new environment.$PMIX_RANK
while [ ! -e go ]; do sleep 0.05; done; exec "$@\""""


class Stranger(LauncherCase):
    def setUp(self):
        super().setUp()
        self.let_in = False
        self.directory.chmod(0o755)
        self.home = self.directory / "stranger"
        self.home.mkdir()
        if os.geteuid() == 0:
            os.chown(self.home, NOBODY, NOBODY)
        self.program = shutil.copy(STRANGER, self.directory)
        self.job = self.start_mpiexec("-n", 2, "sh", "-c", WAITS, "sh", os.environ["PMIX_CLIENT"])
        self.wait_for_files("environment.0", "environment.1")
        text = pathlib.Path(self.directory / "environment.0").read_text(encoding="utf-8")
        self.rank = dict(line.split("=", 1) for line in text.splitlines())
        self.port = next(v for k, v in self.rank.items() if k.startswith("PMIX_SERVER_URI")).partition(";")[2]

    def tearDown(self):
        """The job goes on as if nothing had been, unless somebody was let in."""
        (self.directory / "go").touch()
        out, err = self.job.communicate(timeout=60)
        self.assertEqual(self.job.returncode, 9 if self.let_in else 0, out + err)
        self.assertEqual("stranger" in err, self.let_in, err)
        super().tearDown()

    def knock(self, role, *, namespace=None, server="x.0", user=None):
        """What PMIx answers to who says that he is this test's user; nothing if it does not answer for some seconds."""
        known = {k: self.rank[k] for k in self.rank if k in ("PMIX_GDS_MODULE", "PMIX_BFROP_BUFFER_TYPE",
                                                             "PMIX_SECURITY_MODE", "PMIX_MCA_gds", "PMIX_VERSION")}
        environment = known | {"HOME": str(self.home), "TMPDIR": str(self.home), "PATH": os.environ["PATH"],
                               "CLAIMED_UID": str(os.geteuid()), "PMIX_SERVER_URI41": f"{server};{self.port}"}
        if namespace is not None:
            environment |= {"PMIX_NAMESPACE": namespace, "PMIX_RANK": "0"}
        switch = {} if user is None else {"user": user, "group": user, "extra_groups": []}
        try:
            return subprocess.run([self.program, role], env=environment, cwd=self.home, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=6, check=False, **switch).stdout
        except subprocess.TimeoutExpired as silence:
            return (silence.stdout or b"").decode()

    def users(self):
        return [None] + ([NOBODY] if os.geteuid() == 0 else [])

    def test_as_a_tool(self):
        for user in self.users():
            with self.subTest(user=user):
                self.assertNotIn("SUCCESS", self.knock("tool", user=user))

    def test_as_a_rank(self):
        server = next(v for k, v in self.rank.items() if k.startswith("PMIX_SERVER_URI")).partition(";")[0]
        names = [f"bowline-{self.job_process(self.job)}", server.partition(".")[0], ""]
        for user in self.users():
            for namespace in names:
                for name in ("x.0", server):
                    with self.subTest(user=user, namespace=namespace, server=name):
                        answer = self.knock("client", namespace=namespace, server=name, user=user)
                        self.assertNotIn("SUCCESS", answer)

    def test_the_right_name_opens(self):
        """Else the other tests would show nothing. The stranger, let in, ends the job."""
        self.assertIn("SUCCESS", self.knock("client", namespace=self.rank["PMIX_NAMESPACE"]))
        self.let_in = True

    def test_the_name_is_a_secret(self):
        """What names the job for its ranks is in no place that others may read."""
        name = self.rank["PMIX_NAMESPACE"]
        self.assertGreaterEqual(len(name.rpartition("-")[2]), 32)
        for pid in self.processes() + [self.job.pid]:
            try:
                words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
            except FileNotFoundError:  # one that a rank waited for has ended
                continue
            self.assertNotIn(name.encode(), words)
        for place in (self.temporary, pathlib.Path(self.rank["PMIX_SERVER_TMPDIR"])):
            for path in place.rglob("*"):
                self.assertEqual(path.parent.stat().st_mode & 0o077 if path.parent != place else 0, 0, path)
        self.assertEqual(pathlib.Path(self.rank["PMIX_SERVER_TMPDIR"]).stat().st_mode & 0o077, 0)


if __name__ == "__main__":
    unittest.main()
