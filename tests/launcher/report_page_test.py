# SPDX-License-Identifier: BSD-3-Clause
"""bowline-report makes a page, a text and a document of the records of small and of large jobs, and compares two.

REPORT names the program.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree

import report_records
from html_page import Page

REPORT = os.environ["REPORT"]
SANITIZED = os.environ.get("SANITIZED") == "1"
MANY = 10000


def report(*arguments):
    return subprocess.run([REPORT, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=90, check=False)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="report-test-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def printed(self, *arguments):
        done = report(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return done.stdout

    def refused(self, *arguments):
        """The one sentence that is said."""
        done = report(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
        begin = "bowline-report: "
        self.assertTrue(done.stderr.startswith(begin) and done.stderr.count("\n") == 1, done.stderr)
        return done.stderr[len(begin):-1]

    def page(self, source):
        """The page as text, after all checks that hold for every page."""
        target = self.folder / "page.html"
        self.assertEqual(self.printed(source, "-o", target), "")
        text = target.read_text(encoding="utf-8")
        page = Page(text)
        self.assertEqual(page.problems, [])
        self.assertTrue({link[1:] for link in page.links} <= page.ids, page.links)
        self.assertNotIn("url(", text)
        for picture in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
            root = xml.etree.ElementTree.fromstring(picture)
            self.assertEqual(root.get("role"), "img")
            self.assertTrue(root.get("aria-label"))
            for number in re.findall(r'"(-?[\d.]+)"', picture):
                self.assertLess(abs(float(number)), 5000)
            self.assertNotRegex(picture, "nan|inf")
        return text, page


class Pages(Case):
    def test_two_ranks(self):
        text, page = self.page(report_records.slow_job(self.folder / "records", 2))
        self.assertIn("2 ranks on 1 node", text)
        self.assertIn("&lt;result&gt; &amp; more", text)
        self.assertEqual(page.headings, ["Where the time of each rank goes", "Which calls take the time",
                                         "Communication matrix", "Sizes of messages", "Ways and adapters",
                                         "Collectives and their algorithms", "Files", "Memory over time", "Advice"])

    def test_sixteen_ranks(self):
        text, page = self.page(report_records.slow_job(self.folder / "records", 16, slow=5))
        words = " ".join(page.words)
        self.assertIn("waiting for rank 5 in MPI_Allreduce at solver.c:151. Rank 5 computes 1.6 times as long", words)
        for verdict in ("very uneven work", "much", "much waiting", "very uneven"):
            self.assertRegex(text, rf'<p class="verdict poor">{verdict}</p>')
        self.assertIn("rank 15 to rank 14: 67.0 MiB", words)
        self.assertIn("unexpected_messages", words)
        self.assertNotIn("throttled_senders", words)

    def test_sizes_and_adapters(self):
        records = report_records.slow_job(self.folder / "records", 2)
        text, page = self.page(records)
        words = " ".join(page.words)
        self.assertIn("512 to 1023 B: 2,000 sent at once, 0 announced", words)
        self.assertIn("1 MiB to 2 MiB: 0 sent at once, 4,000 announced", words)
        self.assertIn("0.9 % of the messages of all ranks are announced before they are sent. About 89 % of the bytes "
                      "are in messages of 1 MiB to 2 MiB.", words)
        self.assertIn("<td>mlx5_&lt;0&gt;:1</td><td class=\"number\">160 MiB</td><td class=\"number\">0 B</td>"
                      "<td class=\"number\">20 %</td>", text)
        picture = re.search(r"<svg[^>]*>(?:(?!<svg).)*length of messages, from.*?</svg>", text, re.DOTALL)[0]
        heights = [float(height) for height in re.findall(r' height="([\d.]+)" class="computing"', picture)]
        self.assertEqual(len(heights), 14)
        self.assertLess(max(heights), 190.1)
        printed = self.printed(records)
        self.assertRegex(printed, r"\n  1 MiB to 2 MiB +0 +4,000\n")
        self.assertRegex(printed, r"\n  shared memory +600 MiB +40.0 MiB +80 %\n")

    def test_one_size(self):
        """Also of messages without data, and with the largest numbers."""
        most = 2 ** 64 - 1
        for sizes, words in (([[0, 1, 0]], "None carries data."), ([[1 << 63, most, most]], "8 EiB and more")):
            record = report_records.record(0, 1, sizes=sizes, adapters=[{"name": "", "sent": most, "fetched": most}])
            _, page = self.page(report_records.write(self.folder / "records", [record]))
            self.assertIn(words, " ".join(page.words))
            self.assertIn("Sizes of messages", page.headings)

    def test_many_ranks(self):
        records = report_records.slow_job(self.folder / "records", MANY, slow=5000, lost={17})
        begin = time.monotonic()
        text, page = self.page(records)
        if not SANITIZED:
            self.assertLess(time.monotonic() - begin, 10)
        self.assertLess(len(text), 1500000)
        words = " ".join(page.words)
        self.assertIn("waiting for rank 5000 in MPI_Allreduce", words)
        self.assertIn("Each column is the mean of 40 ranks", words)
        self.assertIn("Rank 17 left no record.", words)
        self.assertIn("Each row and column is 20 nodes.", words)

    def test_one_rank_that_knows_nothing(self):
        record = {"bowline_report": 1, "rank": 0, "ranks": 1}
        _, page = self.page(report_records.write(self.folder / "records", [record]))
        self.assertEqual(page.headings, ["Advice"])
        self.assertIn("The records do not say how much time MPI takes.", page.words)

    def test_zero_seconds(self):
        zeros = {"elapsed": 0, "waiting": 0, "transfer": 0, "traffic": [[0, 0, 0]],
                 "sites": [{"function": "MPI_Send", "place": "", "waiting": 0, "transfer": 0, "for": []}],
                 "memory": {"resident_peak": 0, "over_time": [[0, 0], [0, 0]]}}
        self.page(report_records.write(self.folder / "records",
                                       [report_records.record(rank, 3, **zeros) for rank in range(3)]))

    def test_more_waiting_than_time(self):
        """As samples may say, and several threads."""
        records = [report_records.record(rank, 30, elapsed=2.0, waiting=3.0) for rank in range(30)]
        text, page = self.page(report_records.write(self.folder / "records", records))
        self.assertIn("100 % / 5 %", page.words)
        for y, height in re.findall(r'y="([\d.]+)" width="[\d.]+" height="([\d.]+)" class="waiting"', text):
            self.assertGreaterEqual(float(y), 7.9)
            self.assertLess(float(height), 221)

    def test_not_sampled(self):
        records = [report_records.record(rank, 30, sampled=False, transfer=None, note="No timers here.")
                   for rank in range(30)]
        _, page = self.page(report_records.write(self.folder / "records", records))
        self.assertIn("No timers here.", " ".join(page.words))
        self.assertIn("at least 1 %", page.words)


class Texts(Case):
    def test_text(self):
        text = self.printed(report_records.slow_job(self.folder / "records", 40, slow=5))
        self.assertTrue(text.startswith("Job report: ./solver --grid"))
        self.assertEqual([line for line in text.splitlines() if len(line) > 80], [])
        self.assertIn("\n     ... 24 ranks that wait less", text)
        self.assertRegex(text, r"\n +5 n0 +11\.1 s +\d+ ms +150 ms +520 MiB\n")
        self.assertRegex(text, r"MPI_Allreduce at solver.c:151 +\d+ s +8\.00 s +40\n      for rank 5 ")
        self.assertIn("- Rank 5 computes longer than the others.", text)

    def test_document_gives_the_same(self):
        records = report_records.slow_job(self.folder / "records", 16, slow=5, lost={3})
        document = self.folder / "report.json"
        text = self.printed(records, "-o", document, "--text")
        self.assertEqual(text, self.printed(document))
        self.assertEqual(json.loads(document.read_text(encoding="utf-8"))["bowline_job_report"], 1)
        self.assertEqual(self.page(records)[0], self.page(document)[0])

    def test_comparison(self):
        old = report_records.slow_job(self.folder / "old", 16, slow=5)
        new = self.folder / "new.json"
        calm = [report_records.record(rank, 16, elapsed=7.0) for rank in range(16)]
        self.printed(report_records.write(self.folder / "calm", calm), "-o", new)
        text = self.printed(old, new)
        self.assertIn("The second job is 43 % faster, because of MPI.\n", text)
        self.assertIn("  elapsed                  12.3 s -> 7.00 s (-43 %)\n", text)
        self.assertRegex(text, r"MPI_Allreduce at solver.c:151\n +3\.57 s -> 0 s \(-100 %\)\n")
        self.assertIn("unexpected_messages              14,400 -> 0 (-100 %)", text)
        self.assertIn("takes as long as the first, within 3 %", self.printed(new, new))

    def test_help_and_version(self):
        self.assertIn("bowline-report [OPTIONS]", self.printed("--help"))
        self.assertRegex(self.printed("--version"), r"^bowline-report \(Bowline\) \d+\.\d+\.\d+\n$")


class Refusals(Case):
    def test_arguments(self):
        self.assertIn("the input is missing", self.refused())
        self.assertIn("3 inputs are too many", self.refused("a", "b", "c"))
        self.assertIn("--nonsense", self.refused("--nonsense"))
        self.assertEqual(self.refused("a", "-o", "b.pdf"), "-o b.pdf: the name must end with .html or .json")
        self.assertIn("leave -o away", self.refused("a", "b", "-o", "c.html"))

    def test_inputs(self):
        self.assertEqual(self.refused(self.folder / "none"),
                         f"{self.folder}/none cannot be read: No such file or directory")
        self.assertIn("has no record of a rank", self.refused(self.folder))
        broken = self.folder / "rank-0.json"
        broken.write_text('{"bowline_report": 1, "rank"', encoding="utf-8")
        self.assertEqual(self.refused(self.folder), f"{broken} is cut off: it ends after 28 bytes")
        self.assertEqual(self.refused(broken), f"{broken} is cut off: it ends after 28 bytes")
        self.assertIn("is no JSON", self.refused(REPORT))

    def test_output(self):
        records = report_records.slow_job(self.folder / "records", 2)
        done = report(records, "-o", self.folder / "none/page.html")
        self.assertEqual((done.returncode, done.stderr),
                         (1, f"bowline-report: {self.folder}/none/page.html cannot be written: No such file or "
                             "directory\n"))
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([REPORT, records], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "bowline-report: cannot write to standard output: No space left on device\n"))


if __name__ == "__main__":
    unittest.main()
