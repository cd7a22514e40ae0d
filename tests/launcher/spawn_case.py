# SPDX-License-Identifier: BSD-3-Clause
"""A test case whose ranks ask mpiexec for jobs and names. PMIX_SPAWNER is the program of pmix_spawner.c, which
describes its commands; `/then` separates those of a spawned spawner."""
import os
import stat

from launcher_case import LauncherCase

SPAWNER = os.environ["PMIX_SPAWNER"]
STAYS = ("sh", "-c", "touch $0; sleep 60")
THEN = "then"


class SpawnCase(LauncherCase):
    def commands(self, *commands, options=("-n", 1), status=0, err=(), **more):
        """Runs the commands in a rank; returns the lines that appear."""
        words = [word for command in commands for word in (THEN, *command)][1:]
        done = self.run_mpiexec(*options, SPAWNER, *words, **more)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertEqual(done.stderr.splitlines(), list(err), done.stdout)
        self.assert_nothing_left()
        return done.stdout.splitlines()

    def start(self, *commands, options=("-n", 1), **more):
        words = [word for command in commands for word in (THEN, *command)][1:]
        return self.start_mpiexec(*options, SPAWNER, *words, **more)

    def finish(self, process, status, *err):
        """Each of `err` begins a line of mpiexec's."""
        got, out, lines = self.assert_ends(process)
        self.assertEqual(got, status, out + lines)
        self.assertEqual(len(lines.splitlines()), len(err), lines)
        for line, begin in zip(lines.splitlines(), err):
            self.assertTrue(line.startswith(f"mpiexec: {begin}"), line)
        self.assert_nothing_left()
        return out.splitlines()

    def spawners(self):
        """The processes that run the spawner."""
        named = (words.partition(": ") for words in self.left())
        return [int(process) for process, _, command in named if command.startswith(SPAWNER)]

    def script(self, name, text):
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(stat.S_IRWXU)
        return path

    def touch(self, name):
        (self.directory / name).touch()
