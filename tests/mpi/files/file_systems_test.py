# SPDX-License-Identifier: BSD-3-Clause
"""A file system without room, and one that is read only: small ones, which only the processes of the test see."""
import os
import subprocess
import tempfile
import unittest

MPIEXEC = os.environ["MPIEXEC"]
PROGRAM = os.environ["PROGRAM"]
FULL = 'mount -t tmpfs -o size=4m small "$0" && exec "$@"'
READ_ONLY = 'mount -t tmpfs small "$0" && touch "$0/file" && mount -o remount,ro "$0" && exec "$@"'


def in_file_system(mount, folder, *command):
    """The command prefix and the arguments, in the first kind of namespace that this machine allows."""
    for unshare in (["unshare", "-m"], ["unshare", "-r", "-m"]):
        prefix = [*unshare, "sh", "-c", mount, folder]
        tried = subprocess.run([*prefix, "true"], capture_output=True, text=True, check=False)
        if tried.returncode == 0:
            return [*prefix, *command]
    raise unittest.SkipTest(f"no mount namespace can be made here: {tried.stderr.strip()}")


class SmallFileSystems(unittest.TestCase):
    def run_in(self, mount, what):
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PMIX_", "SLURM_", "PMI_"))}
        with tempfile.TemporaryDirectory() as folder:
            for ranks in (1, 3):
                with self.subTest(ranks=ranks):
                    job = [MPIEXEC, "--timeout", "60", "-n", str(ranks), PROGRAM, what, folder]
                    command = in_file_system(mount, folder, *job)
                    done = subprocess.run(command, env=inherited, stdin=subprocess.DEVNULL, capture_output=True,
                                          text=True, timeout=80, check=False)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    self.assertIn("checks passed", done.stdout)

    def test_no_room(self):
        self.run_in(FULL, "full")

    def test_read_only(self):
        self.run_in(READ_ONLY, "read_only")


if __name__ == "__main__":
    unittest.main()
