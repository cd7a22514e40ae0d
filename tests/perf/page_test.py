# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the page, of the plots on it, and of the JSON that it can be made from."""

import html.parser
import json
import pathlib
import re
import tempfile
import unittest
import xml.etree.ElementTree

from made_up import record_of
from side_by_side import against, bounds, chart, implementations, nodes, page, records, summary

POINTS = {
    ("latency", 8): {"Bowline": [1.0, 1.1, 0.9], "Open MPI": [0.5, 0.6, 0.4], "MPICH": [2.0, 2.1, 2.2], "raw": [0.1]},
    ("latency", 4096): {"Bowline": [2.0, 2.1, 1.9], "Open MPI": [4.0, 4.1, 4.2], "MPICH": [3.0, 3.1, 3.2]},
    ("bandwidth", 8): {"Bowline": [10.0, 11.0, 12.0], "Open MPI": [9.0, 10.5, 11.0], "MPICH": [1.0]},
    ("bandwidth", 64): {"Bowline": [90.0, 91.0, 92.0], "Open MPI": [80.0], "MPICH": [70.0]},
    ("bcast_3x2", 4): {"Bowline": [7.0], "MPICH": [8.0]},
    ("bcast_3x2", 64): {"Bowline": [9.0], "MPICH": [8.0]},
    ("bounce", 64): {"raw": [0.1, 0.2]},
}
METRICS = ["latency", "bandwidth", "bcast_3x2"]


def page_of(record, older=None):
    """The text of the page of a record, against an older one."""
    table = summary.Summary(record.samples, record.names, implementations.BOWLINE)
    comparison = None
    if older is not None:
        earlier = summary.Summary(older.samples, older.names, implementations.BOWLINE)
        comparison = against.compare(table, earlier, record, older)
    verdicts = bounds.judge_all(table, record.metrics, record.cores)
    return page.Page(record, table, verdicts, comparison, "an earlier run").html()


class Balanced(html.parser.HTMLParser):
    """Whether every element that is opened is closed, in order; what text and attributes there are."""

    EMPTY = {"meta", "line", "polyline", "polygon", "circle"}

    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.attributes, self.cells = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.attributes += attrs
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.EMPTY and (not self.open or self.open.pop() != tag):
            self.wrong.append(tag)

    def handle_data(self, data):
        self.cells.append(data)


class Pages(unittest.TestCase):
    def parsed(self, text):
        """The page's parts; fails if it is no whole page that needs no other file."""
        parser = Balanced()
        parser.feed(text)
        self.assertEqual((parser.open, parser.wrong), ([], []))
        outside = [(name, value) for name, value in parser.attributes
                   if name in ("src", "srcset", "data") or (name == "href" and not value.startswith("#"))]
        self.assertEqual(outside, [])
        self.assertNotIn("<script", text)
        self.assertNotIn("url(", text)
        return parser

    def section(self, text, name):
        """One card of the page."""
        return re.search(rf'<section id="{name}">.*?</section>', text, re.DOTALL)[0]

    def test_every_measured_point_is_there_with_its_spread(self):
        text = page_of(record_of(POINTS, METRICS))
        self.parsed(text)
        rows = re.findall(r"<tr><td>.*</tr>", self.section(text, "points"))
        self.assertEqual(len(rows), 6)
        self.assertIn('<td>latency</td><td class="number">8</td><td>us</td>', rows[0])
        self.assertIn("1.000<small title=\"quartiles 0.950 to 1.050\">0.900 to 1.100</small>", rows[0])
        self.assertIn("bcast, 3 nodes with 2 ranks each", rows[4])

    def test_what_is_lost_comes_first_and_says_whether_it_is_clear(self):
        text = page_of(record_of(POINTS, METRICS))
        self.assertLess(text.index('id="behind"'), text.index('id="setting"'))
        self.assertIn("Bowline is behind the best other MPI at 2 of 6 measured points, and ahead or equal at 4.", text)
        rows = re.findall(r"<tr><td>.*</tr>", self.section(text, "behind"))
        self.assertEqual([re.findall(r"<td[^>]*>(.*?)</td>", row)[:4] for row in rows],
                         [["latency", "8", "2.00", '<b class="poor">clear</b>'],
                          ["bcast, 3 nodes with 2 ranks each", "64", "1.12", "one round"]])

    def test_nothing_lost_is_said_too(self):
        points = {("latency", 8): {"Bowline": [1.0], "MPICH": [2.0]}}
        text = page_of(record_of(points, ["latency"], ("Bowline", "MPICH")))
        self.assertIn("At no measured point.", self.section(text, "behind"))

    def test_machine_versions_doubts_and_problems(self):
        record = record_of(POINTS, METRICS)
        record.notes, record.problems = ["a doubt"], ["MPICH: coll: <it> failed\n    at the end"]
        text = page_of(record)
        cells = self.parsed(text).cells
        for said in ("made up", "Open MPI 1; compiled by cc 1", "perf/compare", "2026-01-01 00:00 UTC", "a doubt",
                     "MPICH: coll: <it> failed\n    at the end"):
            self.assertIn(said, cells)

    def test_bounds_that_fail_come_first(self):
        rows = re.findall(r"<tr><td>.*</tr>", self.section(page_of(record_of(POINTS, METRICS)), "bounds"))
        words = ["fails" in row or "not measured" in row for row in rows]
        self.assertEqual(words, sorted(words, reverse=True))
        self.assertTrue(words[0] and not words[-1])

    def test_plots_of_all_that_has_two_sizes(self):
        text = self.section(page_of(record_of(POINTS, METRICS)), "plots")
        self.assertEqual(re.findall(r"<figcaption>(.*?)</figcaption>", text),
                         ["one-way latency", "bandwidth (window of 64)", "bcast, 3 nodes with 2 ranks each"])
        for picture in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
            xml.etree.ElementTree.fromstring(picture)

    def test_changes(self):
        older = record_of(POINTS | {("latency", 8): {"Bowline": [0.1] * 3, "MPICH": [2.0] * 3}}, METRICS)
        text = self.section(page_of(record_of(POINTS, METRICS), older), "changes")
        self.assertIn("of 6 points that both runs have, 1 are slower beyond noise and 0 are faster", text)
        self.assertIn("1.000 (0.900 to 1.100)", text)
        self.assertNotIn('id="changes"', page_of(record_of(POINTS, METRICS)))


class Charts(unittest.TestCase):
    def test_marks(self):
        self.assertEqual(chart.powers_between(8, 64, 2), [8, 16, 32, 64])
        self.assertLessEqual(len(chart.powers_between(1, 4 << 20, 2)), chart.MOST_MARKS)
        self.assertEqual([chart.tick_text(value) for value in (0.1, 1000, 1e7)], ["0.1", "1000", "1e7"])

    def test_a_scale_is_logarithmic(self):
        scale = chart.Scale(1, 100, 0, 200)
        self.assertEqual([scale(value) for value in (1, 10, 100)], [0, 100, 200])
        self.assertEqual(chart.Scale(8, 8, 0, 200)(8), 100)


class Records(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.file = pathlib.Path(directory.name) / "a.json"

    def test_what_is_written_is_read_again(self):
        record = record_of(POINTS, METRICS)
        record.notes, record.problems = ["a doubt"], ["a problem"]
        records.write(self.file, record, [])
        again = records.read("--from", self.file)
        self.assertEqual(again.samples.values, record.samples.values)
        self.assertEqual(again.samples.units, record.samples.units)
        for name in ("names", "metrics", "notes", "problems", "machine", "date"):
            self.assertEqual(getattr(again, name), getattr(record, name))

    def test_what_is_no_record_is_refused_in_one_sentence(self):
        whole = records.to_document(record_of(POINTS, METRICS), [])
        lacking = {key: value for key, value in whole.items() if key != "machine"}
        for text, sentence in (("{", "it is no JSON"), ("[1]", "this is no measurement of perf/compare"),
                               ('{"format": "other", "points": []}', "this is no measurement of perf/compare"),
                               (json.dumps({"machine": "x", "points": []}),
                                "its schema is 1, and this perf/compare reads 2: measure again with --json"),
                               (json.dumps(whole | {"schema": 3}), "its schema is 3"),
                               (json.dumps(lacking), "it is incomplete or damaged"),
                               (json.dumps(whole | {"points": [{"metric": 1}]}), "it is incomplete or damaged")):
            with self.subTest(text[:40]):
                self.file.write_text(text)
                with self.assertRaisesRegex(implementations.CompareError, rf"\A--against \S+: {sentence}[^\n]*\Z"):
                    records.read("--against", self.file)
        with self.assertRaisesRegex(implementations.CompareError, "it cannot be read: No such file"):
            records.read("--against", pathlib.Path("/no/such/file"))


class Nodes(unittest.TestCase):
    def test_outside_of_an_allocation(self):
        for environment in ({}, {"SLURM_JOB_ID": "7"}):
            with self.assertRaisesRegex(implementations.CompareError, "'salloc -N 4 perf/compare --nodes 4'"):
                nodes.Allocation.find(4, environment)
        with self.assertRaisesRegex(implementations.CompareError, "srun is not found in PATH"):
            nodes.Allocation.find(4, {"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n[1-4]", "PATH": "/nowhere"})

    def test_every_mpi_starts_as_it_knows(self):
        shape = nodes.Shape(3, 2, ("a", "b", "c"))
        for family, plugin in (("bowline", "pmix"), ("openmpi", "pmix"), ("mpich", "pmi2")):
            words = shape.command(family, ["./a", "--size", "8"])
            self.assertEqual(words[:2], ["srun", f"--mpi={plugin}"])
            self.assertEqual(words[-9:], ["a,b,c", "-N", "3", "-n", "6", "--ntasks-per-node=2", "./a", "--size", "8"])

    def test_neighbours_far_nodes_and_all(self):
        planned = nodes.plan(True, ["latency", "bcast"], nodes.Allocation(("a", "b", "c"), 4), None)
        self.assertEqual([(job.metrics, job.shape.ends) for job in planned],
                         [(("latency_2x1",), ("a", "b")), (("latency_far_2x1",), ("a", "c")),
                          (("bcast_3x1",), ("a", "b", "c")), (("bcast_3x4",), ("a", "b", "c"))])
        self.assertEqual([summary.describe(job.metrics[0]) for job in planned],
                         ["latency, 2 nodes with 1 rank each", "latency, first and last node",
                          "bcast, 3 nodes with 1 rank each", "bcast, 3 nodes with 4 ranks each"])
        self.assertEqual([summary.collective_of(job.metrics[0]) for job in planned], [None, None, "bcast", "bcast"])


if __name__ == "__main__":
    unittest.main()
