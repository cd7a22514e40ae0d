# SPDX-License-Identifier: BSD-3-Clause
"""What a wrong argument is told to the user under the fatal error handler: the function, the argument, one sentence."""
import os
import subprocess
import unittest

PROGRAM = os.environ["PROGRAM"]


def run(argument):
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PMIX_", "SLURM_", "PMI_"))}
    return subprocess.run([PROGRAM, argument], env=inherited, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=100, check=False)


class Text(unittest.TestCase):
    def test_function_and_argument_are_named(self):
        listed = run("list").stdout.splitlines()
        # What is wrong with several arguments together is listed without a name.
        rows = [(number, *[*line.split(), ""][:2]) for number, line in enumerate(listed) if line.startswith("MPI_")]
        self.assertGreater(len(rows), 100)
        # A process for each row would take minutes: the first row of each argument of some functions.
        chosen = ("MPI_Send", "MPI_Recv", "MPI_Issend", "MPI_Sendrecv", "MPI_Isendrecv_replace", "MPI_Mprobe",
                  "MPI_Waitall", "MPI_Start", "MPI_Startall", "MPI_Pready", "MPI_Psend_init", "MPI_Mrecv",
                  "MPI_Op_create", "MPI_Op_free", "MPI_Reduce_local", "MPI_Allreduce", "MPI_Type_free",
                  "MPI_Type_indexed", "MPI_Type_create_subarray", "MPI_Type_create_struct", "MPI_Pack",
                  "MPI_Neighbor_alltoallw")
        seen = set()
        for number, function, argument in rows:
            if function not in chosen or (function, argument) in seen:
                continue
            seen.add((function, argument))
            with self.subTest(function=function, argument=argument):
                done = run(str(number))
                self.assertNotEqual(done.returncode, 0, done.stderr)
                self.assertNotIn("was not fatal", done.stderr)
                self.assertRegex(done.stderr, rf"\b{function}\b")
                self.assertRegex(done.stderr, rf"\b{argument}\b")
        self.assertGreater(len(seen), 30)


if __name__ == "__main__":
    unittest.main()
