# SPDX-License-Identifier: BSD-3-Clause
"""Every tunable at its least, its greatest and one odd value, every choice, under random programs: they work, or
MPI_Init refuses the value in a sentence that names the variable. TUNABLES=name,name in the environment takes only
those; what else the environment says of BOWLINE_* chooses the transport."""
import os
import re
import subprocess
import unittest

MPIEXEC, INFO, PROGRAMS = os.environ["MPIEXEC"], os.environ["INFO"], os.environ["PROGRAMS"]
SEED = os.environ.get("SEED", "1")
# The random programs; types_blocks sends data with holes, and threads uses MPI_THREAD_MULTIPLE.
RUNS = (("soak", "4", SEED), ("one_sided/win_random", "1", SEED), ("types_blocks",), ("threads",))
# What the test itself sets, and what makes faults on purpose that a program sees.
LEFT_OUT = {"BOWLINE_NETWORK", "BOWLINE_NETWORK_REACH", "BOWLINE_IO_FAULTS"}


def tunables():
    """Names and the values to try."""
    text = subprocess.run([INFO, "--tunables"], capture_output=True, text=True, check=True).stdout
    for name, default, allowed in re.findall(r"^  (BOWLINE_\w+) = .*\n      .*\(default (.*), allowed (.*)\)$", text,
                                             re.MULTILINE):
        numbers = re.fullmatch(r"(-?\d+) to (\d+)", allowed)
        if name in LEFT_OUT:
            continue
        if numbers:
            least, most = int(numbers[1]), int(numbers[2])
            odd = min(most, max(least, 2 * int(default) // 3 | 1))
            yield name, sorted({least, odd, most})
        elif not re.search(r"[A-Z\"]|path|faults|commas", allowed):
            yield name, re.split(r", | or ", allowed)


class Sweep(unittest.TestCase):
    def run_all(self, name, value):
        for program, *arguments in RUNS:
            done = subprocess.run([MPIEXEC, "--timeout", "50", "-n", "2", f"{PROGRAMS}/{program}", *arguments],
                                  env=os.environ | {name: str(value)}, capture_output=True, stdin=subprocess.DEVNULL,
                                  text=True, timeout=100, check=False)
            if done.returncode == 0:
                continue
            refused = re.search(rf"MPI_Init\w*: .*{name}\b", done.stderr)
            self.assertTrue(refused, f"{name}={value} {program}: status {done.returncode}\n{done.stderr[-2000:]}")
            return

    def test_each_value_works_or_is_refused(self):
        only = [f"BOWLINE_{each.upper()}" for each in os.environ.get("TUNABLES", "").split(",") if each]
        tried = 0
        for name, values in tunables():
            if only and name not in only:
                continue
            for value in values:
                tried += 1
                with self.subTest(name=name, value=value):
                    self.run_all(name, value)
        self.assertGreater(tried, len(only))


if __name__ == "__main__":
    unittest.main()
