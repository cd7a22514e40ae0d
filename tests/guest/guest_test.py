# SPDX-License-Identifier: BSD-3-Clause
"""The guest, and what needs it: a verbs device, or a processor of another kind (ARCHITECTURE). GUEST, OVER_DEVICE and
IN_TURN in the environment name the scripts; MPIEXEC, INFO and PROGRAMS what was built."""
import os
import subprocess
import sys
import unittest

GUEST = os.environ["GUEST"]
OVER_DEVICE = os.environ["OVER_DEVICE"]
IN_TURN = os.environ["IN_TURN"]
ARCHITECTURE = ["--architecture", os.environ["ARCHITECTURE"]]
PROGRAMS = os.environ.get("PROGRAMS", "").split()
VERBS = {"BOWLINE_NETWORK": "verbs"}
CANNOT = 77
TOO_LONG = 124
PATIENCE = 900  # seconds; a busy machine emulates slowly


def guest(*words, environment=None):
    """Runs it; what it printed goes to the output of the test, too."""
    done = subprocess.run([sys.executable, "-B", GUEST, *ARCHITECTURE, *words], capture_output=True, text=True,
                          check=False, stdin=subprocess.DEVNULL, timeout=PATIENCE, env=os.environ | (environment or {}))
    print(done.stdout + done.stderr, flush=True)
    return done


class Alone(unittest.TestCase):
    """What needs no boot."""

    def test_missing_packages_are_named(self):
        done = guest("--roce", "--", "true", environment={"PATH": "/nonexistent"})
        self.assertEqual(done.returncode, CANNOT)
        self.assertIn("guest: cannot be used here: these Debian packages are missing:", done.stderr)
        for package in ("qemu-system-x86", "ibverbs-utils"):
            self.assertIn(package, done.stderr)
        self.assertIn("scripts/setup guest", done.stderr)

    def test_a_command_is_needed(self):
        self.assertEqual(guest("--roce").returncode, 2)

    def test_time_is_limited(self):
        done = guest("--timeout", "2", "--", "true")
        self.assertEqual(done.returncode, TOO_LONG)
        self.assertIn("the command had not ended after 2 s", done.stderr)


class Roce(unittest.TestCase):
    """One boot with a verbs device."""

    def test_device_and_status(self):
        script = f"ibv_devinfo -d rxe0; {os.environ['INFO']} --transports; echo at $PWD; exit 7"
        done = guest("--roce", "--", "bash", "-c", script)
        self.assertEqual(done.returncode, 7)
        self.assertRegex(done.stdout, r"state:\s+PORT_ACTIVE")
        self.assertRegex(done.stdout, r"link_layer:\s+Ethernet")
        self.assertIn(f"at {os.getcwd()}", done.stdout.splitlines())
        if os.environ.get("VERBS") == "1":  # there is a transport for it
            self.assertRegex(done.stdout, r"rxe0, port 1 .*: chosen")


class Verbs(unittest.TestCase):
    """Programs of several ranks of one guest, over its device only."""

    def run_programs(self, ranks, device="--roce", **variables):
        launcher = f"{os.environ['MPIEXEC']} --timeout 300 -n {ranks}"
        done = guest(device, "--timeout", str(PATIENCE - 20), "--", OVER_DEVICE, launcher, *PROGRAMS,
                     environment=VERBS | {"BOWLINE_NETWORK_REACH": "everywhere"} | variables)
        self.assertEqual(done.returncode, 0)

    def test_two_ranks(self):
        self.run_programs(2)

    def test_four_ranks(self):
        self.run_programs(4)

    def test_managed(self):
        self.run_programs(2, BOWLINE_VERBS_CONNECT="cm")

    def test_iwarp(self):
        self.run_programs(2, "--iwarp")


class OtherProcessor(unittest.TestCase):
    """Programs on a processor that this machine has not, alone or of several ranks, in one boot each."""

    def run_programs(self, ranks):
        done = guest("--timeout", str(PATIENCE - 20), "--", IN_TURN, os.environ["MPIEXEC"], ranks, *PROGRAMS)
        self.assertEqual(done.returncode, 0)

    def test_alone(self):
        self.run_programs("")

    def test_two_ranks(self):
        self.run_programs("2")

    def test_four_ranks(self):
        self.run_programs("4")

    def test_scalapack(self):
        """Testers that Debian has built for MPICH and for Open MPI; the first two solve systems of linear equations."""
        tester = f"env MPIEXEC={os.environ['MPIEXEC']} SET_ESTIMATE={os.environ['SET_ESTIMATE']} " \
                 f"/usr/bin/python3 -B {os.environ['TESTER']}"
        done = guest("--timeout", str(PATIENCE - 20), "--", "bash", "-c",
                     f"{tester} mpich xdlu && {tester} openmpi xsdblu && {tester} openmpi cpb1tst")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout.count("none FAILED"), 3)


class TwoMachines(unittest.TestCase):
    """Two guests that are joined by a cable."""

    def test_each_runs_the_command(self):
        done = guest("--machines", "2", "--", "bash", "-c", "echo I am $GUEST_MACHINE; exit $((GUEST_MACHINE * 3))")
        self.assertEqual(done.returncode, 3)
        for line in ("0: I am 0", "1: I am 1"):
            self.assertIn(line, done.stdout.splitlines())

    def test_perftest_across(self):
        test = "ib_write_lat -d rxe0 -x 1 -s 8 -n 100"
        script = (f"if [ $GUEST_MACHINE = 0 ]; then {test}; "
                  f"else until {test} ${{GUEST_ADDRESSES%,*}}; do sleep 1; done; fi")
        done = guest("--roce", "--machines", "2", "--", "bash", "-c", script)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"(?m)^1:\s+8\s+100\s")

    def run_on_both(self, device):
        done = guest(device, "--slurm", "--timeout", str(PATIENCE - 20), "--", OVER_DEVICE,
                     "srun --mpi=pmix --kill-on-bad-exit=1 -N2 -n2", *PROGRAMS, environment=VERBS)
        self.assertEqual(done.returncode, 0)

    def test_ranks_on_both(self):
        self.run_on_both("--roce")

    def test_iwarp_on_both(self):
        self.run_on_both("--iwarp")


def main():
    words = " ".join(sys.argv)
    needed = [] if "OtherProcessor" in words else ["--iwarp" if "iwarp" in words else "--roce"]
    needed += ["--slurm"] if "_on_both" in words else []
    done = subprocess.run([sys.executable, "-B", GUEST, *ARCHITECTURE, "--check", *needed], check=False)
    if done.returncode != 0:
        sys.exit(done.returncode)
    unittest.main()


if __name__ == "__main__":
    main()
