# SPDX-License-Identifier: BSD-3-Clause
"""A file system without room: a small tmpfs, which only the processes of the test see."""
import os
import subprocess
import tempfile
import unittest

MPIEXEC = os.environ["MPIEXEC"]
PROGRAM = os.environ["PROGRAM"]
MOUNT = 'mount -t tmpfs -o size=4m small "$0" && exec "$@"'


def in_small_file_system(folder, *command):
    """The command prefix and the arguments, in the first kind of namespace that this machine allows."""
    for unshare in (["unshare", "-m"], ["unshare", "-r", "-m"]):
        prefix = [*unshare, "sh", "-c", MOUNT, folder]
        tried = subprocess.run([*prefix, "true"], capture_output=True, text=True, check=False)
        if tried.returncode == 0:
            return [*prefix, *command]
    raise unittest.SkipTest(f"no mount namespace can be made here: {tried.stderr.strip()}")


class Full(unittest.TestCase):
    def test_every_rank_learns_it(self):
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PMIX_", "SLURM_", "PMI_"))}
        with tempfile.TemporaryDirectory() as folder:
            for ranks in (1, 3):
                with self.subTest(ranks=ranks):
                    job = [MPIEXEC, "--timeout", "60", "-n", str(ranks), PROGRAM, "full", folder]
                    command = in_small_file_system(folder, *job)
                    done = subprocess.run(command, env=inherited, stdin=subprocess.DEVNULL, capture_output=True,
                                          text=True, timeout=80, check=False)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    self.assertIn("checks passed", done.stdout)


if __name__ == "__main__":
    unittest.main()
