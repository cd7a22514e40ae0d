# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of two ranks in which a request for memory fails, that one alone or with all later ones, in the middle of a
chapter of MPI or between MPI_Init and MPI_Finalize: each job has the right result, or ends with the error of a call.

By default a few requests of each chapter; SEED in the environment chooses others. With EVERY=1 all requests of all
chapters."""
import os
import random
import re
import subprocess
import sys
import unittest

MPIEXEC, PROGRAM = os.environ["MPIEXEC"], os.environ["PROGRAM"]
CHAPTERS = ("messages", "reductions", "types", "communicators", "topologies", "attributes", "windows", "files",
            "sessions")
SEED = int(os.environ.get("SEED", 2026))
EVERY = os.environ.get("EVERY") == "1"
JOBS = 3  # of a chapter, unless all
MOST = 300  # a number below that of the requests in most chapters
REFUSED = 3
# What ends a job before and after the chapter: the library says that there is no memory.
SAID = re.compile(r"no memory|memory left|MPI_ERR_NO_MEM|[Cc]annot allocate|shared memory")


class Jobs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        print(f"SEED={SEED}", file=sys.stderr)

    def job(self, chapter, how, rank, number):
        """Runs a job; returns whether there is a request with this number."""
        done = subprocess.run([MPIEXEC, "--timeout", "40", "-n", "2", PROGRAM, chapter, how, str(rank), str(number)],
                              capture_output=True, stdin=subprocess.DEVNULL, text=True, timeout=60, check=False)
        told = f"{chapter} {how} {rank} {number}: status {done.returncode}\n{done.stdout}\n{done.stderr}"
        refused = done.returncode == REFUSED and "refused" in done.stderr
        ended = how.startswith("init") and SAID.search(done.stderr) and done.returncode < 128 and done.returncode != 124
        with self.subTest(chapter=chapter, how=how, rank=rank, number=number):
            self.assertTrue(done.returncode == 0 or refused or ended, told)
            self.assertNotIn("terminate called", done.stderr, told)
        return f"no request {number}\n" not in done.stdout

    def run_some(self, how, chapters, most):
        numbers = random.Random(SEED)
        for chapter in chapters:
            for _ in range(JOBS):
                self.job(chapter, how, numbers.randrange(2), numbers.randrange(most))

    def run_all(self, how, chapters):
        for chapter in chapters:
            for rank in range(2):
                number = 0
                while self.job(chapter, how, rank, number):
                    number += 1

    def test_one_request(self):
        self.run_all("one", CHAPTERS) if EVERY else self.run_some("one", CHAPTERS, MOST)

    def test_from_the_start(self):
        self.run_all("init-one", ["attributes"]) if EVERY else self.run_some("init-one", ["attributes"], MOST)


if __name__ == "__main__":
    unittest.main()
