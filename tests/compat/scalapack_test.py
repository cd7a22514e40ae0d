# SPDX-License-Identifier: BSD-3-Clause
"""Runs a tester of Debian's package scalapack-mpi-test, as it was built for another MPI, with the input that it ships.

Usage: scalapack_test.py FLAVOUR TESTER, e.g. mpich xdlu. MPIEXEC: the launcher. SET_ESTIMATE, REPEATABLE_SUMS: the
libraries that set_estimate.c and repeatable_sums.c describe.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

RANKS = 4
PATIENCE = 900  # seconds

# What is loaded before ScaLAPACK, by tester; all others run as they are. The first four refine solutions of linear
# systems with the subroutines that set_estimate.c mends. In the others the residual of a matrix of 27 rows on three
# ranks is 75 or more in some orders of the sums, where 50 is allowed, and far below in others.
LOADED_BEFORE = {"xslu": "SET_ESTIMATE", "xdlu": "SET_ESTIMATE", "xsllt": "SET_ESTIMATE", "xdllt": "SET_ESTIMATE",
                 **dict.fromkeys(("xssep", "xdsep", "xcsep", "xzsep"), "REPEATABLE_SUMS")}

# These test BLACS itself, and end with a call of BLACS_ABORT that must end all processes.
ABORTING = {"xCbtest", "xFbtest"}
LAST_WORDS = "The final auxiliary test is for BLACS_ABORT."


def folder_of(flavour):
    found = sorted(pathlib.Path("/usr/lib").glob(f"*/scalapack/{flavour}-tests"))
    if not found:
        sys.exit(f"there are no testers for {flavour}: scripts/setup check installs scalapack-mpi-test")
    return found[0]


def failures(name, text):
    """What is wrong with the output of a tester, as sentences."""
    for line in text.splitlines():
        # PBLAS: a table of routines with the numbers of all tests and of those that passed, failed and were skipped.
        row = re.match(r"\s*\|\s+(\w+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s*$", line)
        # BLACS: "1152 TESTS;  864 PASSED,  288 SKIPPED,    0 FAILED."
        failed = re.search(r"(\d+) FAILED\.", line) or re.search(r"(\d+) tests completed and failed", line)
        if row and int(row[4]) > 0 or failed and int(failed[1]) > 0:
            yield f"it says: {line.strip()}"
        elif re.search(r"\bFAILED\b", line) and not failed and "SUBROUTINE" not in line:
            yield f"it says: {line.strip()}"
    finished = [int(n) for n in re.findall(r"Finished\s+(\d+)\s+tests", text)]
    passed = [int(n) for n in re.findall(r"(\d+)\s+tests completed and passed", text)]
    skipped = [int(n) for n in re.findall(r"(\d+)\s+tests skipped", text)]
    if sum(passed) + sum(skipped) < sum(finished):
        yield f"of {sum(finished)} tests {sum(passed)} passed and {sum(skipped)} were skipped"
    if not re.search(r"\bPASSED\b|passed", text):
        yield "it says of no test that it passed"
    if name in ABORTING and LAST_WORDS not in text:
        yield "it has not come to its last test"


def run(program, inputs):
    """The output and the exit status."""
    before = LOADED_BEFORE.get(program.name)
    environment = ["env", f"LD_PRELOAD={os.environ[before]}"] if before else []
    with tempfile.TemporaryDirectory(prefix="scalapack-test-") as directory:
        for file in inputs.glob("*.dat"):
            (pathlib.Path(directory) / file.name).symlink_to(file.resolve())
        done = subprocess.run([os.environ["MPIEXEC"], "--timeout", str(PATIENCE), "-n", str(RANKS),
                               *environment, str(program)], cwd=directory,
                              capture_output=True, text=True, errors="replace", check=False)
        return done.stdout + done.stderr, done.returncode


def main():
    flavour, name = sys.argv[-2:]
    folder = folder_of(flavour)
    program = next(folder.rglob(name))
    text, status = run(program, program.parent if name not in ABORTING else folder / "BLACS")
    wrong = list(failures(name, text))
    if (status == 0) == (name in ABORTING):
        wrong.append(f"its exit status is {status}")
    if wrong:
        print(text[-4000:])
        sys.exit("\n".join([f"{program}:", *wrong[:20]]))
    print(f"{name} for {flavour}: {len(re.findall(r'PASSED', text))} lines say PASSED, none FAILED")


if __name__ == "__main__":
    main()
