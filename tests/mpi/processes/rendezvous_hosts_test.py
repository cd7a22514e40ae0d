# SPDX-License-Identifier: BSD-3-Clause
"""Worlds of processes on several hosts, which network namespaces stand for: started by hand, and by the examples for
ssh, Kubernetes and Dask."""
import importlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import uuid

from rendezvous_case import CLEAN, LINE, MET, PLACE, Case, line_for

EXAMPLES = pathlib.Path(os.environ["EXAMPLES"])
# `ssh HOST COMMAND` for such hosts.
SSH = """#!/bin/sh
exec ip netns exec "{tag}$1" unshare --uts sh -c 'hostname "$0"; exec sh -c "$1"' "$1" "$2"
"""
# What the example for Dask uses of it. A worker's function runs in a process on the worker's host.
DASK = """
import json, subprocess, sys
class Client:
    hosts = []  # commands that run others on a host
    def run(self, function):
        return {f"tcp://10.99.0.{i + 1}:4000": function() for i in range(len(self.hosts))}
    def submit(self, function, *arguments, workers, pure):
        host = int(workers[0].split(":")[1].rpartition(".")[2]) - 1
        call = f"import sys, json, with_dask; sys.exit(with_dask.{function.__name__}(*json.loads(sys.argv[1])))"
        return subprocess.Popen([*self.hosts[host], sys.executable, "-c", call, json.dumps(arguments)])
    def gather(self, members):
        return [each.wait(timeout=90) for each in members]
"""


class Hosts(Case):
    """Each process has a host of its own: network, name and processes. They reach each other over a bridge."""

    HOSTS = 4

    @staticmethod
    def ip(*words, check=True):
        return subprocess.run(["ip", *words], capture_output=True, text=True, check=check)

    @classmethod
    def setUpClass(cls):
        if shutil.which("ip") is None or shutil.which("unshare") is None:
            raise unittest.SkipTest("iproute2's ip or util-linux's unshare is not installed")
        if os.environ["NETWORK"] != "1":
            raise unittest.SkipTest("there is no network between hosts in this build")
        cls.tag = f"bw{uuid.uuid4().hex[:6]}"
        made = cls.ip("netns", "add", f"{cls.tag}switch", check=False)
        if made.returncode != 0:
            raise unittest.SkipTest(f"network namespaces are not possible here: {made.stderr.strip()}")
        cls.addClassCleanup(cls.ip, "netns", "del", f"{cls.tag}switch", check=False)
        bridge = ["-n", f"{cls.tag}switch", "link"]
        cls.ip(*bridge, "add", "br0", "type", "bridge")
        cls.ip(*bridge, "set", "br0", "up")
        for i in range(cls.HOSTS):
            cls.add_host(i, f"{cls.tag}node{i}", bridge)

    @classmethod
    def add_host(cls, number, host, bridge):
        names = pathlib.Path("/etc/netns") / host  # what ip shows the host in the place of /etc
        names.mkdir(parents=True)
        cls.addClassCleanup(shutil.rmtree, names)
        known = [f"10.99.0.{i + 1} world-{i}.world" for i in range(cls.HOSTS)]
        # Many systems give a host's own name an address of the loopback interface.
        known += [f"127.0.1.1 node{i}" if i == number else f"10.99.0.{i + 1} node{i}" for i in range(cls.HOSTS)]
        (names / "hosts").write_text("\n".join(["127.0.0.1 localhost", *known, ""]), encoding="utf-8")
        cls.ip("netns", "add", host)
        cls.addClassCleanup(cls.ip, "netns", "del", host, check=False)
        cls.ip(*bridge, "add", f"v{number}", "type", "veth", "peer", "name", "eth0", "netns", host)
        cls.ip(*bridge, "set", f"v{number}", "master", "br0", "up")
        cls.ip("-n", host, "address", "add", f"10.99.0.{number + 1}/24", "dev", "eth0")
        for device in ("eth0", "lo"):
            cls.ip("-n", host, "link", "set", device, "up")

    def on_host(self, number):
        """A shell in the host sets its name, which makes it a node of its own."""
        return ["ip", "netns", "exec", f"{self.tag}node{number}", "unshare", "--uts", "sh", "-c",
                f"hostname node{number}; exec \"$@\"", "sh"]

    def test_processes_of_several_hosts(self):
        """The second host serves, and each host has two processes."""
        line = line_for(2 * self.HOSTS).replace("127.0.0.1", "10.99.0.2")
        processes = [self.start(line, before=self.on_host(i // 2)) for i in range(2 * self.HOSTS)]
        self.check_world(processes, here=2)

    def test_ends(self):
        line = line_for(self.HOSTS).replace("127.0.0.1", "10.99.0.1")
        processes = [self.start(f"{line},{i}", "abort", "1", "6", before=self.on_host(i)) for i in range(self.HOSTS)]
        for each in processes:
            status, _, wrong = self.end(each)
            self.assertEqual(status, 6, wrong)
        processes = [self.start(f"{line},{i}", "wait", before=self.on_host(i)) for i in range(self.HOSTS)]
        self.by_rank(processes)
        processes[1].send_signal(signal.SIGKILL)
        for each in (processes[0], processes[2]):
            status, _, wrong = self.end(each)
            self.assertNotEqual(status, 0)
            self.assertIn("rank 1 ", wrong)

    def folder(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        return pathlib.Path(made.name)

    def check_output(self, said, size):
        ranks = sorted(int(place[0]) for place in PLACE.findall(said) if int(place[1]) == size)
        self.assertEqual(ranks, list(range(size)), said)

    def test_the_example_for_ssh(self):
        folder = self.folder()
        (folder / "ssh").write_text(SSH.format(tag=self.tag), encoding="utf-8")
        (folder / "ssh").chmod(0o755)
        path = f"{folder}:{os.path.dirname(LINE)}:{CLEAN['PATH']}"
        hosts = ["node2", "node0", "node0", "node1"]
        for task, status in (("talk", 0), ("status", 10)):
            done = subprocess.run([EXAMPLES / "over_ssh", *hosts, "--", MET, task], env=CLEAN | {"PATH": path},
                                  capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=90, check=False)
            self.assertEqual((done.returncode, done.stderr), (status, ""))
            self.check_output(done.stdout, 4)
        done = subprocess.run([EXAMPLES / "over_ssh", "node0"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)

    def test_the_example_for_kubernetes(self):
        """Its command, in hosts that have the names and variables which Kubernetes gives."""
        folder = self.folder()
        (folder / "my-program").symlink_to(MET)
        command = re.search(r"- (BOWLINE_RENDEZVOUS=.*)", (EXAMPLES / "kubernetes.yaml").read_text(encoding="utf-8"))[1]
        pods = []
        for index in (3, 1, 0, 2):
            settings = {"SECRET": "0123456789abcdef", "JOB_COMPLETION_INDEX": str(index),
                        "PATH": f"{folder}:{CLEAN['PATH']}"}
            pods.append(self.start("", program=["sh", "-c", command], before=self.on_host(index), **settings))
        self.check_world(pods, here=1)

    def test_the_example_for_dask(self):
        """With a module in the place of Dask's."""
        folder = self.folder()
        (folder / "dask").mkdir()
        (folder / "dask" / "distributed.py").write_text(DASK, encoding="utf-8")
        path = f"{folder}:{EXAMPLES}"
        sys.path[:0] = [str(folder), str(EXAMPLES)]
        self.addCleanup(sys.path.__delitem__, slice(0, 2))
        os.environ["PATH"] += f":{os.path.dirname(LINE)}"
        client = importlib.import_module("dask.distributed").Client()
        client.hosts = [[*self.on_host(i), "env", f"PYTHONPATH={path}"] for i in range(3)]
        example = importlib.import_module("with_dask")
        self.assertEqual(example.run_world(client, [MET, "talk"]), [0, 0, 0])
        self.assertEqual(example.run_world(client, [MET, "status"]), [10, 11, 12])


if __name__ == "__main__":
    unittest.main()
