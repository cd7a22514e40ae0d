# SPDX-License-Identifier: BSD-3-Clause
"""bowline-report --timeline refuses damaged recordings, and tells the others."""
import json
import os
import struct
import unittest

import flight_files
from flight_files import allreduce, rank
from timeline_case import TimelineCase


class Damage(TimelineCase):
    """One sentence, or what is left; never a crash."""
    def setUp(self):
        super().setUp()
        flight_files.write(self.records, rank(0, 1, allreduce(1, 2, 1, waits=0), finalized=3))
        self.file = self.records / "rank-0.flight"
        self.whole = self.file.read_bytes()

    def patched(self, offset, layout, *values):
        content = bytearray(self.whole)
        struct.pack_into(layout, content, offset, *values)
        self.file.write_bytes(content)

    def refusal(self):
        return self.refused("--timeline", self.records).removeprefix(f"{self.file} ")

    def test_no_recording(self):
        self.patched(0, "8s", b"BOWLFLY\n")
        self.assertEqual(self.refusal(), "is no recording of a rank")

    def test_other_version(self):
        self.patched(8, "I", 7)
        self.assertEqual(self.refusal(), "is a recording of version 7; this Bowline reads version 1")

    def test_cut_off(self):
        for length in (0, 1, 40, 100, 500, len(self.whole) - 1):
            self.file.write_bytes(self.whole[:length])
            self.assertEqual(self.refusal(), f"is cut off: it ends after {length} bytes")

    def test_numbers_of_the_header(self):
        """entry_bytes, entries, first_entry, kinds_bytes; then rank and ranks."""
        for offset, values in ((12, (0, 87, 89, 2 ** 32 - 1)), (16, (0, 2 ** 32 - 1)), (20, (0, 100)),
                               (24, (2 ** 32 - 1,))):
            for value in values:
                self.patched(offset, "I", value)
                self.assertIn("the numbers at its beginning do not fit", self.refusal())
        for number, ranks in ((-1, 1), (1, 1), (0, 0), (0, -1), (0, 2 ** 31 - 1)):
            self.patched(28, "ii", number, ranks)
            self.assertEqual(self.refusal(), f"is no recording of this kind: rank {number} of {ranks} cannot be")

    def test_beyond_the_end(self):
        self.patched(20, "I", 2 ** 32 - 64)
        self.assertIn("is cut off", self.refusal())

    def test_list_of_events(self):
        begin = self.whole.index(b'[{"fields"')
        for text in (b'{"a": "b"}', b"[1, 2]", b"\xff\xff", b'"' + b"[" * 90):
            self.patched(begin, f"{len(text)}s", text)
            self.assertEqual(self.refusal(), "is no recording of this kind: its list of events cannot be read")
        field = {"name": "f", "type": "int32", "offset": 0, "words": []}
        for change, words in (({"offset": 61}, '"f" lies outside of the record'), ({"offset": -1}, "lies outside"),
                              ({"type": "double"}, 'the type of "f" must be int32 or uint64')):
            flight_files.write(self.records, rank(0, 1, []), kinds=[{"name": "x", "fields": [field | change]}])
            self.assertIn(words, self.refusal())

    def test_of_another_rank(self):
        self.file.rename(self.records / "rank-4.flight")
        self.assertEqual(self.refused("--timeline", self.records),
                         f"{self.records}/rank-4.flight is the recording of rank 0")

    def test_no_file(self):
        os.mkfifo(self.records / "rank-1.flight")
        self.file.unlink()
        self.refusal()
        os.unlink(self.records / "rank-1.flight")
        self.assertEqual(self.refused("--timeline", self.records),
                         f"{self.records} has no recording of a rank: there is no file such as rank-0.flight")

    def test_numbers_of_entries(self):
        """They are left out, or do not matter."""
        first, = struct.unpack_from("I", self.whole, 20)
        self.assertEqual(self.told(self.records).count("\n"), 8)
        for offset, layout, value, lines in (
                (first, "Q", 0, 7), (first, "Q", 1001, 7), (first, "Q", 2 ** 64 - 1, 7),  # its number
                (first + 8, "q", 2 ** 63 - 1, 7), (first + 8, "q", -2 ** 63, 7),  # its time
                (first + 16, "I", 13, 7), (first + 16, "I", 2 ** 32 - 1, 7),  # its kind
                (48, "Q", 0, 3), (48, "Q", 2 ** 64 - 1, 3), (48, "Q", 1005, 3),  # how many have been written
                (40, "q", 2 ** 63 - 1, None), (40, "q", -2 ** 63, None), (56, "q", 2 ** 63 - 1, None)):
            self.patched(offset, layout, value)
            text = self.told(self.records)
            if lines is not None:
                self.assertEqual(text.count("\n"), lines, (offset, value, text))
            self.page(self.records)
            json.loads(self.written(self.records, "end.json"))

    def test_any_bytes_of_entries(self):
        first, = struct.unpack_from("I", self.whole, 20)
        for fill in (0xFF, 0x80, 0x7F):
            content = bytearray(self.whole)
            for number in range(5):
                begin = first + 88 * number + 24
                content[begin:begin + 64] = bytes([fill]) * 64
            self.file.write_bytes(content)
            self.page(self.records)
            self.told(self.records)
            json.loads(self.written(self.records, "end.json"))

    def test_the_others_are_told(self):
        """A damaged file does not hide the rest."""
        records = flight_files.killed_job(self.folder / "killed")
        (records / "rank-1.flight").write_bytes(b"")
        text = self.told(records, problems=1)
        self.assertEqual(self.problems,
                         f"bowline-report: {records}/rank-1.flight is cut off: it ends after 0 bytes\n")
        self.assertIn("2 ranks waited for it", text)
        self.assertIn("Rank 1 has no recording.", text)
        _, words = self.page(records, problems=1)
        self.assertIn("rank-1.flight is cut off", words)

    def test_arguments(self):
        name = "the name of a timeline must end with .html, .svg or .json, or be - for text"
        for arguments, words in ((("--timeline",), "give one folder"), (("--timeline", "a", "b"), "give one folder"),
                                 (("--timeline", "a", "-o", "b.pdf"), name), (("--last", "3", "a"), "--timeline"),
                                 (("--timeline", "a", "--last", "0"), "more than 0"),
                                 (("--timeline", "a", "--last", "nan"), "more than 0"),
                                 (("--timeline", "a", "--last", "x"), '--last is "x"'),
                                 (("--timeline", self.folder / "none"), "No such file or directory")):
            self.assertIn(words, self.refused(*arguments))
        self.assertIn("cannot be written", self.refused("--timeline", self.records, "-o", self.folder / "no/x.svg",
                                                        status=1))


if __name__ == "__main__":
    unittest.main()
