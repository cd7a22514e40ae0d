# SPDX-License-Identifier: BSD-3-Clause
"""Wrong arguments: the sentence that the user reads, and the error class behind it.

Usage: test_arguments.py LIBRARY [unittest arguments]. Each call runs in a process of its own, as the one rank of its
job, because the initial error handler ends the process.
"""

import subprocess
import sys
import unittest

LIBRARY = sys.argv.pop(1) if __name__ == "__main__" else None

CALLER = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
NULL, WORLD, COMM_NULL, SUM, BAND, INT, DOUBLE, TYPE_NULL = None, 257, 256, 33, 40, 521, 532, 512
ANY_SOURCE, ANY_TAG, PROC_NULL, IN_PLACE = -1, -2, -3, 1
data = (ctypes.c_int * 16)()
def P(value): return ctypes.c_void_p(value)
if sys.argv[3] != "before": assert library.MPI_Init(None, None) == 0
if sys.argv[3] == "after": assert library.MPI_Finalize() == 0
print(eval("library." + sys.argv[2]), flush=True)
"""


def call(expression, moment="between"):
    return subprocess.run([sys.executable, "-c", CALLER, LIBRARY, expression, moment], capture_output=True, text=True,
                          timeout=60, check=False)


class ArgumentTest(unittest.TestCase):
    def refused(self, expression, sentence, moment="between"):
        result = call(expression, moment)
        self.assertNotEqual(result.returncode, 0)
        self.assertEqual(result.stdout, "", "the call returned")
        self.assertIn(sentence, result.stderr)

    def accepted(self, expression, value):
        result = call(expression)
        self.assertEqual((result.stdout, result.returncode), (f"{value}\n", 0), result.stderr)

    def test_rank(self):
        self.refused("MPI_Send(data, 1, P(INT), 7, 0, P(WORLD))",
                     "MPI_Send: dest is 7, but the communicator MPI_COMM_WORLD has one rank: 0, or MPI_PROC_NULL")
        self.refused("MPI_Send(data, 1, P(INT), ANY_SOURCE, 0, P(WORLD))", "MPI_Send: dest is MPI_ANY_SOURCE, but")
        self.refused("MPI_Recv(data, 1, P(INT), 7, 0, P(WORLD), NULL)",
                     "MPI_Recv: source is 7, but the communicator MPI_COMM_WORLD has one rank: 0, MPI_ANY_SOURCE or "
                     "MPI_PROC_NULL")
        self.accepted("MPI_Send(data, 1, P(INT), PROC_NULL, 0, P(WORLD))", 0)

    def test_root(self):
        self.refused("MPI_Bcast(data, 1, P(INT), -1, P(WORLD))", "MPI_Bcast: root is MPI_ANY_SOURCE, but")
        self.accepted("MPI_Bcast(data, 1, P(INT), 0, P(WORLD))", 0)

    def test_tag(self):
        self.refused("MPI_Send(data, 1, P(INT), 0, -5, P(WORLD))", "MPI_Send: tag is -5, but a tag is 0 to 2147483647")
        self.refused("MPI_Send(data, 1, P(INT), 0, ANY_TAG, P(WORLD))", "MPI_Send: tag is MPI_ANY_TAG, but")
        self.accepted("MPI_Recv(data, 1, P(INT), PROC_NULL, ANY_TAG, P(WORLD), NULL)", 0)

    def test_count(self):
        self.refused("MPI_Send(data, -3, P(INT), 0, 0, P(WORLD))",
                     "MPI_Send: count is -3, but a number of elements is 0 or more")
        self.refused("MPI_Send_c(data, ctypes.c_longlong(-2**40), P(INT), 0, 0, P(WORLD))",
                     f"MPI_Send_c: count is {-2**40}, but")

    def test_datatype(self):
        self.refused("MPI_Send(data, 1, P(TYPE_NULL), 0, 0, P(WORLD))",
                     "MPI_Send: datatype is MPI_DATATYPE_NULL: give a datatype")
        self.refused("MPI_Send(data, 1, P(WORLD), 0, 0, P(WORLD))",
                     "MPI_Send: datatype is 0x101, which is not a datatype")

    def test_communicator(self):
        self.refused("MPI_Barrier(P(COMM_NULL))", "MPI_Barrier: comm is MPI_COMM_NULL")
        self.refused("MPI_Barrier(P(INT))", "MPI_Barrier: comm is 0x209, which is no communicator")

    def test_buffer(self):
        self.refused("MPI_Send(NULL, 1, P(INT), 0, 0, P(WORLD))",
                     "MPI_Send: buf is a null pointer (MPI_BOTTOM), but the count is not zero")
        self.refused("MPI_Send(P(IN_PLACE), 1, P(INT), 0, 0, P(WORLD))", "MPI_Send: buf is MPI_IN_PLACE, but")
        self.accepted("MPI_Send(NULL, 0, P(INT), PROC_NULL, 0, P(WORLD))", 0)

    def test_operator(self):
        self.refused("MPI_Allreduce(data, data, 1, P(INT), P(INT), P(WORLD))",
                     "MPI_Allreduce: op is 0x209, which is not a reduction operator")
        self.refused("MPI_Allreduce(data, data, 1, P(DOUBLE), P(BAND), P(WORLD))",
                     "MPI_Allreduce: op is MPI_BAND, which")

    def test_result(self):
        self.refused("MPI_Comm_rank(P(WORLD), NULL)",
                     "MPI_Comm_rank: rank is a null pointer: give the address of a variable")
        self.refused("MPI_Waitall(1, NULL, NULL)", "MPI_Waitall: array_of_requests is a null pointer")
        self.accepted("MPI_Waitall(0, NULL, NULL)", 0)

    def test_moment(self):
        self.refused("MPI_Barrier(P(WORLD))", "MPI_Barrier: was called before MPI_Init", "before")
        self.refused("MPI_Barrier(P(WORLD))", "MPI_Barrier: was called after MPI_Finalize", "after")
        for moment in ("before", "after"):
            self.assertEqual(call("MPI_Initialized(data)", moment).stdout, "0\n")


if __name__ == "__main__":
    unittest.main()
