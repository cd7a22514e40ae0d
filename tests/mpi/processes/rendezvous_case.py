# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of worlds that nobody has launched have in common: processes of the program `met`."""
import os
import re
import socket
import subprocess
import unittest

MET, LINE = os.environ["MET"], os.environ["LINE"]
VARIABLE = "BOWLINE_RENDEZVOUS"
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(("PMIX_", "SLURM_", "PMI_", "BOWLINE_"))}
PLACE = re.compile(r"rank (\d+) of (\d+), (\d+) here, universe (\d+), consumed\n")


def line_for(size, *arguments):
    words = [LINE, "-n", str(size), "--host", "127.0.0.1", *arguments]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


class Case(unittest.TestCase):
    def start(self, line, *arguments, before=(), program=(MET,), **settings):
        started = subprocess.Popen([*before, *program, *arguments], env=CLEAN | {VARIABLE: line} | settings, text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(started.communicate)
        self.addCleanup(started.kill)
        return started

    def started(self, size, *arguments, **settings):
        line = line_for(size)
        return [self.start(line, *arguments, **settings) for _ in range(size)]

    @staticmethod
    def connect(line):
        """To a process that is about to serve."""
        host, port = line.partition("/")[0].split(":")
        while True:
            try:
                return socket.create_connection((host, int(port)), timeout=30)
            except ConnectionRefusedError:
                continue

    def end(self, process):
        """(status, output, errors)"""
        said, wrong = process.communicate(timeout=90)
        return process.returncode, said, wrong

    def rank_of(self, process):
        """Waits until the process has talked to all others."""
        said = process.stdout.readline()
        place = PLACE.fullmatch(said)
        if place is None:
            self.fail(said + process.stderr.read())
        return int(place[1])

    def by_rank(self, processes):
        ranks = {self.rank_of(each): each for each in processes}
        self.assertEqual(sorted(ranks), list(range(len(processes))))
        return [ranks[rank] for rank in range(len(processes))]

    def check_world(self, processes, here=None):
        size = len(processes)
        found = set()
        for each in processes:
            status, said, wrong = self.end(each)
            self.assertEqual((status, wrong), (0, ""), said)
            place = PLACE.fullmatch(said)
            self.assertIsNotNone(place, said)
            found.add(int(place[1]))
            self.assertEqual([int(place[i]) for i in (2, 3, 4)], [size, here or size, size])
        self.assertEqual(found, set(range(size)))
