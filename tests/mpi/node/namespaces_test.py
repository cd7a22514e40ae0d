# SPDX-License-Identifier: BSD-3-Clause
"""Ranks of one node share memory where they do not see each other's /proc: each in a pid namespace of its own, as in
containers of their own, or not dumpable; and where they do not reach mpiexec and each other over a network: each in a
network namespace of its own. Their messages and collectives give what they give elsewhere."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

MPIEXEC = os.environ["MPIEXEC"]
PROGRAMS = os.environ["PROGRAMS"]
UNDUMPABLE = os.environ["UNDUMPABLE"]
NOBODY = 65534
NAMESPACE = ["unshare", "--pid", "--fork", "--mount-proc"]
NETWORK = ["unshare", "--net"]
# Where neither /proc nor a socket without a file leads to the others.
NETWORK_AND_USER = ["unshare", "--user", "--map-root-user", "--net"]
BY_MESSAGES = "not through shared memory"
WITHOUT_LIST = re.compile(r"rank (\d+) on .* asks the launcher about all ranks")
# The ranks that the first argument names run in namespaces, or with the library before them.
SOME = 'case " $0 " in *" $PMIX_RANK "*) exec {} "$@";; *) exec "$@";; esac'


def why_no_namespaces(how):
    if shutil.which("unshare") is None:
        return "util-linux's unshare is not installed"
    tried = subprocess.run([*how, "true"], capture_output=True, text=True, check=False)
    return None if tried.returncode == 0 else f"{' '.join(how)} is not possible here: {tried.stderr.strip()}"


class Apart(unittest.TestCase):
    """Runs programs whose ranks are apart from each other."""

    user = {}

    def run_apart(self, ranks, apart, how, program, *arguments, **settings):
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PMIX_", "SLURM_", "PMI_"))}
        with tempfile.TemporaryDirectory() as scratch:
            if self.user:
                os.chown(scratch, self.user["user"], self.user["group"])
            return subprocess.run(
                [MPIEXEC, "--timeout", "100", "-n", str(ranks), "sh", "-c", SOME.format(how),
                 " ".join(map(str, apart)), os.path.join(PROGRAMS, program), *arguments],
                env=inherited | {"TMPDIR": scratch, "BOWLINE_LOG_LEVEL": "2"} | settings, stdin=subprocess.DEVNULL,
                capture_output=True, text=True, timeout=120, check=False, **self.user)

    def check(self, how, ranks, apart, program, **settings):
        with self.subTest(program=program, apart=apart, **settings):
            done = self.run_apart(ranks, apart, how, program, **settings)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("checks passed", done.stdout)
            self.assertNotIn(BY_MESSAGES, done.stderr)

    def check_all(self, how):
        for apart in ([0, 1, 2], [0], [1]):  # rank 0 makes the memory that all share
            self.check(how, 3, apart, "p2p_data")
            self.check(how, 3, apart, "shared_collectives",
                       BOWLINE_COLLECTIVES="allreduce=single_copy,bcast=single_copy")
        # All announced messages would be read from, or written to, the other's memory: of ranks that are both apart,
        # and in both directions of which one is.
        for apart in ([0, 1, 2], [0]):
            for way in ("single_copy", "single_copy_by_both", "long_pieces"):
                self.check(how, 3, apart, "p2p_data", BOWLINE_LONG_MESSAGES=way)
        self.check(how, 4, [0, 1, 2, 3], "collectives")
        self.check(how, 2, [0, 1], "threads")

    def check_crowd(self, how, sees_others):
        """Ranks that cannot map the list of addresses in rank 0's memory find each other all the same."""
        for apart, without in ([0], [1, 2, 3, 4, 5, 6, 7]), ([3], [] if sees_others else [3]):
            with self.subTest(program="all_talk", apart=apart):
                done = self.run_apart(8, apart, how, "all_talk", BOWLINE_LOG_LEVEL="3")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertEqual(sorted(map(int, WITHOUT_LIST.findall(done.stderr))), without, done.stderr)


class Namespaces(Apart):
    def setUp(self):
        reason = why_no_namespaces(NAMESPACE)
        if reason is not None:
            self.skipTest(reason)

    def test_each_rank_in_its_own(self):
        self.check_all(" ".join(NAMESPACE))

    def test_a_crowd(self):
        self.check_crowd(" ".join(NAMESPACE), sees_others=False)


class Networks(Apart):
    def check_network(self, how):
        reason = why_no_namespaces(how)
        if reason is not None:
            self.skipTest(reason)
        self.check(" ".join(how), 3, [0, 1, 2], "p2p_data")
        self.check(" ".join(how), 3, [1], "p2p_data")
        self.check(" ".join(how), 4, [0, 1, 2, 3], "collectives")

    def test_each_rank_in_its_own(self):
        self.check_network(NETWORK)

    def test_each_rank_in_its_own_and_with_other_users(self):
        self.check_network(NETWORK_AND_USER)

    def test_the_end_of_ranks(self):
        """mpiexec learns how they end as from any other rank."""
        reason = why_no_namespaces(NETWORK)
        if reason is not None:
            self.skipTest(reason)
        how = " ".join(NETWORK)
        done = self.run_apart(3, [0, 1, 2], how, "relayed_end", "abort")
        self.assertEqual(done.returncode, 9, done.stderr)
        self.assertIn("rank 1", done.stderr)
        self.assertIn("MPI_Abort", done.stderr)
        done = self.run_apart(3, [0, 1, 2], how, "relayed_end", "leave")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("MPI_Finalize", done.stderr)


class NotDumpable(Apart):
    @classmethod
    def setUpClass(cls):
        if os.geteuid() == 0:  # which may look into everything
            cls.user = {"user": NOBODY, "group": NOBODY, "extra_groups": []}

    def setUp(self):
        tried = subprocess.run([MPIEXEC, "--version"], capture_output=True, text=True, check=False, **self.user)
        if tried.returncode != 0:
            self.skipTest(f"user {NOBODY} cannot run what has been built here: {tried.stderr.strip()}")

    # AddressSanitizer wants to be the first library, for what it wraps; this one wraps nothing.
    HOW = f"env ASAN_OPTIONS={os.environ.get('ASAN_OPTIONS', '')}:verify_asan_link_order=0 LD_PRELOAD={UNDUMPABLE}"

    def test_ranks_that_are_not(self):
        self.check_all(self.HOW)

    def test_a_crowd(self):
        self.check_crowd(self.HOW, sees_others=True)


if __name__ == "__main__":
    unittest.main()
