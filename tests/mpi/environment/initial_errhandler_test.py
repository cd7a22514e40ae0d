# SPDX-License-Identifier: BSD-3-Clause
"""mpiexec --initial-errhandler chooses the error handler that MPI_COMM_WORLD and MPI_COMM_SELF start with."""
import os
import subprocess
import unittest


def run(*options, arguments=()):
    command = [os.environ["MPIEXEC"], "-n", "1", *options, os.environ["PROGRAM"], *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


class InitialErrorHandler(unittest.TestCase):
    def test_errors_return(self):
        done = run("--initial-errhandler", "mpi_errors_return", arguments=["early"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines(),
                         ["before MPI_Init: 16", "MPI_ERRORS_RETURN", "in MPI_INFO_ENV: mpi_errors_return",
                          "after MPI_Init: 5"])

    def test_errors_end_the_job(self):
        for options, name in (((), "MPI_ERRORS_ARE_FATAL"),
                              (("--initial-errhandler", "mpi_errors_abort"), "MPI_ERRORS_ABORT")):
            done = run(*options)
            self.assertNotEqual(done.returncode, 0)
            known = options[1] if options else "nothing"
            self.assertEqual(done.stdout.splitlines(), [name, f"in MPI_INFO_ENV: {known}"])
            self.assertIn("MPI_COMM_NULL", done.stderr)

    def test_other_words_are_refused(self):
        done = run("--initial-errhandler", "mpi_errors_sing")
        self.assertEqual(done.returncode, 2)
        self.assertIn("mpi_errors_return", done.stderr)


if __name__ == "__main__":
    unittest.main()
