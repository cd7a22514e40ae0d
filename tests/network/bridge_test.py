# SPDX-License-Identifier: BSD-3-Clause
"""A virtual bridge is not taken instead of a network without a word, unless the user has named it.

The node of this test is a network namespace with a bridge like docker0, which UCX takes for the faster of two devices.
"""
import os
import subprocess
import sys
import unittest

NODE = """
set -e
mount -t sysfs sysfs /sys  # UCX looks there for devices
ip link set lo up
ip link add docker0 type bridge
ip link add port type veth peer name container
ip link set port master docker0
ip link add eth0 type dummy 2>/dev/null || ip link add eth0 type ifb
ip addr add 172.17.0.1/16 dev docker0
ip addr add 10.9.0.1/24 dev eth0
for device in port container docker0 eth0; do ip link set $device up; done
# A bridge carries nothing before its port does.
for look in $(seq 200); do [ "$(cat /sys/class/net/docker0/operstate)" = up ] && break; sleep 0.02; done
exec "$@"
"""
CANNOT = 77


def on_node(*words, **environment):
    foreign = ("PMIX_", "SLURM_", "PMI_", "BOWLINE_", "UCX_")
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(foreign)}
    return subprocess.run(["unshare", "--net", "--mount", "sh", "-c", NODE, "sh", *words], env=inherited | environment,
                          capture_output=True, stdin=subprocess.DEVNULL, text=True, timeout=60, check=False)


class Bridge(unittest.TestCase):
    def run_job(self, **environment):
        done = on_node(os.environ["MPIEXEC"], "-n", "2", os.environ["PROGRAM"], "yes",
                       BOWLINE_NETWORK_REACH="everywhere",
                       UCX_TLS="tcp,self", **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr.splitlines()

    def test_each_rank_says_once_which_device_and_how_to_choose(self):
        lines = self.run_job()
        self.assertEqual(len(lines), 2, lines)
        for line in lines:
            self.assertIn("over docker0, a virtual bridge", line)
            self.assertIn("UCX_NET_DEVICES=", line)

    def test_nothing_is_said_about_what_the_user_has_chosen(self):
        for device in ("eth0", "docker0"):
            self.assertEqual(self.run_job(UCX_NET_DEVICES=device), [])


if __name__ == "__main__":
    made = on_node("true")
    if made.returncode != 0:
        print(f"skipped: no network namespace with a bridge can be made here: {made.stderr.strip()}")
        sys.exit(CANNOT)
    unittest.main()
