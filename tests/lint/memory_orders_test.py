# SPDX-License-Identifier: BSD-3-Clause
"""Every word on which processes or threads synchronize is in the tables of docs/memory_orders.md, with its test or the
reason why it orders nothing."""
import os
import pathlib
import re
import unittest

ROOT = pathlib.Path(os.environ["ROOT"])
SOURCE = ROOT / "src"
# The alias itself, and the interface to libraries of other ABIs, which do not see the headers of base.
WITHOUT_ALIAS = {"base/atomic.hpp", "api/entry/private_interface.hpp"}
WORDS = ["Atomic<", "AtomicRef<", r"thread_fence\(", r"copy_(?:to|from)_shared\("]


def code_of(path):
    """The text without comments."""
    return re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))


def is_about(word, code):
    return re.search(rf"(?<![\w:]){word}", code) is not None


class MemoryOrders(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.code = {path.relative_to(SOURCE).as_posix(): code_of(path) for path in sorted(SOURCE.rglob("*.[ch]pp"))}
        page = (ROOT / "docs/memory_orders.md").read_text(encoding="utf-8")
        cls.rows = [row.split("|")[1:-1] for row in page.splitlines() if row.startswith("| `")]
        cls.listed = {path for row in cls.rows for path in re.findall(r"`([a-z0-9_/]+)`", row[0]) if "/" in path}
        cls.proofs = set(re.findall(r"`memory_model\.(\w+)`", page))
        tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests/memory_model").glob("*_test.cpp"))
        cls.tests = set(re.findall(r"^TEST(?:_[FP])?\((\w+),", tests, re.M))

    def synchronizes(self, name):
        return name not in WITHOUT_ALIAS and any(is_about(word, self.code[name])
                                                 for word in WORDS)

    def test_words_that_are_shared_are_atomic(self):
        other = re.compile(r"std::atomic|__atomic_|__sync_|(?<!asm )\bvolatile\b")
        self.assertEqual([], [name for name, code in self.code.items()
                              if name not in WITHOUT_ALIAS and other.search(code)])

    def test_every_file_with_such_words_is_listed(self):
        files = [name for name in self.code if self.synchronizes(name)]
        self.assertGreater(len(files), 50)
        self.assertEqual([], [name for name in files if name.rsplit(".", 1)[0] not in self.listed])

    def test_every_row_is_about_a_file_with_such_words(self):
        stems = {name.rsplit(".", 1)[0] for name in self.code if self.synchronizes(name)}
        self.assertEqual([], sorted(self.listed - stems))

    def test_every_row_has_its_order(self):
        self.assertEqual([], [row[0] for row in self.rows if any(not cell.strip() for cell in row)])

    def test_every_test_that_is_named_exists_and_every_test_is_named(self):
        self.assertGreater(len(self.tests), 1)
        self.assertEqual(self.tests, self.proofs)


if __name__ == "__main__":
    unittest.main()
