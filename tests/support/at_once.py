# SPDX-License-Identifier: BSD-3-Clause
"""Runs the tests of a unittest file several at a time, in threads: for tests that wait for other processes most of the
time. Such tests share nothing but what they only read; each prints what unittest prints of a test that runs alone.

CMake puts this folder into PYTHONPATH.
"""
import concurrent.futures
import io
import sys
import unittest


def tests_of(suite):
    for each in suite:
        if isinstance(each, unittest.TestSuite):
            yield from tests_of(each)
        else:
            yield each


def run(test):
    """Whether it succeeds, and what unittest says of it."""
    said = io.StringIO()
    result = unittest.TextTestRunner(stream=said, verbosity=2).run(unittest.TestSuite([test]))
    return result.wasSuccessful(), said.getvalue()


def for_each(check, *cases):
    """Calls check(*case) for each case, all at once, and waits for all. The first failure is raised, with its case."""
    def checked(case):
        try:
            check(*case)
        except AssertionError as error:
            raise AssertionError(f"{case}: {error}") from error

    with concurrent.futures.ThreadPoolExecutor(len(cases)) as pool:
        list(pool.map(checked, cases))


def main(most=4):
    """Instead of unittest.main(); `most` tests at a time. The arguments name classes and methods, as unittest's do."""
    names = [word for word in sys.argv[1:] if word != "-v"]
    loader = unittest.defaultTestLoader
    module = sys.modules["__main__"]
    tests = list(tests_of(loader.loadTestsFromNames(names, module) if names else loader.loadTestsFromModule(module)))
    if not tests:
        sys.exit(f"{sys.argv[0]}: there is no test {' '.join(names)}")
    failures = []
    with concurrent.futures.ThreadPoolExecutor(most) as pool:
        for success, said in pool.map(run, tests):
            print(said, file=sys.stderr, flush=True)
            if not success:
                failures.append(said)
    for said in failures:  # again, at the end, where scripts/test-summary looks
        print(said, file=sys.stderr)
    sys.exit(1 if failures else 0)
