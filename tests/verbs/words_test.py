# SPDX-License-Identifier: BSD-3-Clause
"""What users hear of RDMA adapters: bowline-info, and the end of jobs that find none."""
import os
import subprocess
import unittest

FABRIC = {"LD_LIBRARY_PATH": os.environ["FABRIC"], "FABRIC_ID": os.environ["FABRIC_ID"]}


def run(*command, **variables):
    inherited = {k: v for k, v in os.environ.items()
                 if not k.startswith(("PMIX_", "SLURM_", "PMI_", "BOWLINE_", "FABRIC", "LD_LIBRARY_PATH"))}
    return subprocess.run(command, env=inherited | variables, capture_output=True, stdin=subprocess.DEVNULL, text=True,
                          timeout=60, check=False)


class Transports(unittest.TestCase):
    def about(self, **variables):
        """What bowline-info says of verbs: the line, and those of the ports."""
        done = run(os.environ["INFO"], "--transports", **variables)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        first = next(i for i, line in enumerate(lines) if line.startswith("  verbs "))
        ports = [line.strip() for line in lines[first + 1:] if line.startswith("    ")]
        return lines[first].split(maxsplit=1)[1], ports

    def test_without_an_adapter_nothing_is_loaded(self):
        if os.path.isdir("/sys/class/infiniband_verbs") and os.listdir("/sys/class/infiniband_verbs"):
            self.skipTest("this machine has an RDMA adapter")
        said, ports = self.about(**FABRIC)
        self.assertEqual(said, "not used: there is no RDMA adapter (no uverbs* in /sys/class/infiniband_verbs)")
        self.assertEqual(ports, [])

    def test_the_first_active_port_is_chosen(self):
        said, ports = self.about(BOWLINE_NETWORK="verbs", FABRIC_DEVICES="2", FABRIC_INACTIVE="fabric0:1", **FABRIC)
        self.assertEqual(said, "ready: with an RDMA adapter")
        self.assertRegex(ports[0], r"\Afabric1, port 1 \(RoCE v2\), GID index \d+: chosen: the nearest active port")
        self.assertEqual(ports[1], "fabric0, port 1: not used: it is down")

    def test_a_second_port_like_it_is_chosen_for_long_messages(self):
        _, ports = self.about(BOWLINE_NETWORK="verbs", FABRIC_DEVICES="3", **FABRIC)
        self.assertRegex(ports[1], r"\Afabric1, port 1 .*: chosen: for long messages, beside fabric0, port 1\Z")
        self.assertRegex(ports[2], r"\Afabric2, port 1 .*: not used: BOWLINE_VERBS_RAILS is 2\Z")

    def test_the_user_chooses(self):
        _, ports = self.about(BOWLINE_NETWORK="verbs", FABRIC_DEVICES="2", FABRIC_PORTS="2",
                              FABRIC_LINK_LAYER="infiniband", BOWLINE_VERBS_DEVICE="fabric1:2", **FABRIC)
        self.assertEqual(ports[0], "fabric1, port 2 (InfiniBand): chosen: BOWLINE_VERBS_DEVICE names it")
        self.assertEqual(len(ports), 4)
        for port in ports[1:]:
            self.assertIn("not used: BOWLINE_VERBS_DEVICE names others", port)

    @unittest.skipUnless(os.environ["MANAGER"] == "1", "there is no librdmacm to build its simulation with")
    def test_the_connection_manager(self):
        said, ports = self.about(BOWLINE_NETWORK="verbs", BOWLINE_VERBS_CONNECT="cm", **FABRIC)
        self.assertEqual(said, "ready: with an RDMA adapter")
        self.assertRegex(ports[0], r"\Afabric0, port 1 \(RoCE v2\), GID index 3, librdmacm at 10\.77\.0\.\d+: chosen")

    @unittest.skipUnless(os.environ["MANAGER"] == "1", "there is no librdmacm to build its simulation with")
    def test_a_library_that_is_not_librdmacm(self):
        variables = FABRIC | {"LD_LIBRARY_PATH": f"{os.environ['EMPTY_RDMACM']}:{os.environ['FABRIC']}"}
        said, _ = self.about(BOWLINE_NETWORK="verbs", BOWLINE_VERBS_CONNECT="cm", **variables)
        self.assertRegex(said, r"fabric0, port 1, GID index 3: not used: its queue pairs are connected through "
                               r"librdmacm, but /\S+/librdmacm\.so\.1 has no function rdma_get_devices; install ")
        said, _ = self.about(BOWLINE_NETWORK="verbs", **variables)  # without need nobody loads it
        self.assertEqual(said, "ready: with an RDMA adapter")

    @unittest.skipUnless(os.environ["MANAGER"] == "1", "there is no librdmacm to build its simulation with")
    def test_an_interface_without_an_address(self):
        said, _ = self.about(BOWLINE_NETWORK="verbs", BOWLINE_VERBS_CONNECT="cm", FABRIC_LINK_LAYER="infiniband",
                             **FABRIC)
        self.assertIn("fabric0, port 1: not used: its queue pairs are connected through librdmacm, which finds no IP "
                      "address at its network interface: give it one (on InfiniBand: IPoIB)", said)

    def test_a_name_that_is_not_there(self):
        said, _ = self.about(BOWLINE_NETWORK="verbs", BOWLINE_VERBS_DEVICE="mlx5_0", **FABRIC)
        self.assertIn("cannot be used: BOWLINE_VERBS_DEVICE names mlx5_0, but this node's RDMA adapters have these "
                      "ports: fabric0:1;", said)

    def test_no_port(self):
        said, _ = self.about(BOWLINE_NETWORK="verbs", FABRIC_DEVICES="0", **FABRIC)
        self.assertIn("cannot be used: this node has no RDMA adapter with an active port (libibverbs lists none)", said)


class Jobs(unittest.TestCase):
    def fails(self, sentence, **variables):
        done = run(os.environ["MPIEXEC"], "-n", "2", os.environ["PROGRAM"], "no", BOWLINE_NETWORK="verbs", **variables)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(sentence, done.stderr)

    def test_no_port(self):
        self.fails("this node has no RDMA adapter with an active port; fabric0, port 1: not used: it is down: load its",
                  BOWLINE_NETWORK_REACH="everywhere", FABRIC_INACTIVE="fabric0:1", **FABRIC)

    def test_a_library_that_is_not_libibverbs(self):
        self.fails(f"RDMA adapters are used through libibverbs, but {os.environ['EMPTY']}/libibverbs.so.1 has no "
                   "function ibv_fork_init; install libibverbs",
                  BOWLINE_NETWORK_REACH="everywhere", LD_LIBRARY_PATH=os.environ["EMPTY"])

    def test_too_little_memory_to_lock_for_the_lanes(self):
        done = run(os.environ["MPIEXEC"], "--timeout", "40", "-n", "2", os.environ["THREADS"], BOWLINE_NETWORK="verbs",
                   BOWLINE_NETWORK_REACH="everywhere", FABRIC_LOCKED="4400000", **FABRIC)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, "MPI_Init_thread: .* cannot be registered with the RDMA adapter fabric0 .*: the "
                                      "limit of locked memory .*; raise it .*, or need less of it: BOWLINE_LANES, .*"
                                      "BOWLINE_VERBS_EAGER_BYTES")
        done = run(os.environ["MPIEXEC"], "--timeout", "40", "-n", "2", os.environ["THREADS"], BOWLINE_NETWORK="verbs",
                   BOWLINE_NETWORK_REACH="everywhere", FABRIC_LOCKED="4400000", BOWLINE_LANES="2", **FABRIC)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_nobody_asks_for_it_on_one_node(self):
        done = run(os.environ["MPIEXEC"], "-n", "2", os.environ["PROGRAM"], "no", BOWLINE_NETWORK="verbs",
                   LD_LIBRARY_PATH=os.environ["EMPTY"])
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
