# SPDX-License-Identifier: BSD-3-Clause
"""Runs an MPI program on all workers of a Dask cluster: python with_dask.py SCHEDULER PROGRAM ARGUMENT...

Each worker starts one process, and these become one MPI_COMM_WORLD. A worker can do so any number of times, because
MPI runs in a process of its own.
"""
import os
import subprocess
import sys
import urllib.parse

from dask.distributed import Client


def run_member(command, line):
    """Runs on a worker; returns the exit status of its process."""
    return subprocess.run(command, env=os.environ | {"BOWLINE_RENDEZVOUS": line}, check=False).returncode


def run_world(client, command):
    """Returns the exit statuses by rank: rank i runs on the i-th worker."""
    workers = sorted(client.run(os.getpid))  # their addresses, such as tcp://10.0.0.5:40331
    host = urllib.parse.urlsplit(workers[0]).hostname
    line = subprocess.run(["bowline-rendezvous", "-n", str(len(workers)), "--host", host], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.strip()
    members = [client.submit(run_member, command, f"{line},{rank}", workers=[worker], pure=False)
               for rank, worker in enumerate(workers)]
    return client.gather(members)


if __name__ == "__main__":
    with Client(sys.argv[1]) as cluster:
        sys.exit(max(run_world(cluster, sys.argv[2:])))
