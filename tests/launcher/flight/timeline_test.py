# SPDX-License-Identifier: BSD-3-Clause
"""bowline-report --timeline tells how jobs ended by what their flight recorders have kept."""
import json
import os
import re
import time
import unittest

import flight_files
from flight_files import allreduce, event, rank
from timeline_case import SVG, TimelineCase

SANITIZED = os.environ.get("SANITIZED") == "1"
MANY = 1000


class KilledRank(TimelineCase):
    def test_sentences(self):
        lines = self.told(flight_files.killed_job(self.records, 8, 3)).splitlines()
        self.assertEqual(lines[:3], [
            "Rank 3 ended without MPI_Finalize, at most 12.5 ms after its last event (message_unexpected); 7 ranks "
            "waited for it in allreduce (ring<&>).", "Ranks 0 to 2 and 4 to 7 ended without MPI_Finalize, too.", ""])

    def test_lines_of_events(self):
        lines = self.told(flight_files.killed_job(self.records)).splitlines()[3:]
        self.assertEqual(lines, sorted(lines, key=lambda line: line.split()[0]))
        for line in ("22:13:20.020000 rank 3 collective_ended context=5 sequence=1 bytes=8 operation=allreduce",
                     "22:13:20.102750 rank 3 wait_begun context=5 process=2",
                     "22:13:20.100000 rank 2 has no later event: it ended without MPI_Finalize"):
            self.assertEqual(lines.count(line), 1, line)

    def test_page(self):
        root, words = self.page(flight_files.killed_job(self.records))
        self.assertIn("Rank 2 ended without MPI_Finalize, at most 12.5 ms", words)
        self.assertIn("When rank 0 noticed that rank 2 was lost.", words)
        self.assertRegex(words, r"ranks 0, 1 and 3rank 2allreduce \(ring<&>\)10\.5 ms")
        self.assertIn("message_unexpected context=4 bytes=64 source=0 tag=9", words)
        waits = self.titles(root, "wait")
        self.assertEqual(len(waits), 7)
        self.assertIn("rank 0: waits for rank 2, 10.5 ms and more, from 2.00 ms after 0", waits)
        self.assertIn("rank 1: waits for rank 0, 8.90 ms, from 89.0 ms before 0", waits)
        self.assertIn("rank 2: allreduce (ring<&>) of 8 B, 10.0 ms, from 90.0 ms before 0",
                      self.titles(root, "collective"))
        self.assertEqual(self.titles(root, "loss"), ["rank 0: peer_lost process=2, 12.5 ms after 0"])
        self.assertEqual(self.titles(root, "unexpected"),
                         ["rank 2: message_unexpected context=4 bytes=64 source=0 tag=9, at 0"])
        self.assertEqual(len(self.titles(root, "contact")), 4)
        self.assertIn("rank 2 ends here without MPI_Finalize, 12.5 ms after 0", self.titles(root, "lost"))
        self.assertEqual([text.text for text in root.iter(f"{SVG}text") if text.get("class") == "lost"], ["lost"] * 4)

    def test_picture_alone(self):
        text = self.written(flight_files.killed_job(self.records), "end.svg")
        root = self.picture(text)
        self.assertEqual(root.tag, f"{SVG}svg")
        self.assertEqual(len(self.titles(root, "wait")), 7)
        self.assertIn("--transfer", root.find(f"{SVG}style").text)

    def test_trace(self):
        document = json.loads(self.written(flight_files.killed_job(self.records), "end.json"))
        events = document["traceEvents"]
        names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
        self.assertEqual(names, {number: f"rank {number} on n{number // 2}" for number in range(4)})
        spans = [e for e in events if e["ph"] == "X"]
        self.assertIn({"name": "waits for rank 0", "cat": "wait", "ph": "X", "ts": 10500, "dur": 8900, "pid": 1,
                       "tid": 77, "args": {"context": 5, "process": 0}}, spans)
        call, = [e for e in spans if e["pid"] == 0 and e["cat"] == "collective" and e["args"]["sequence"] == 2]
        self.assertEqual((call["name"], call["args"]["unfinished"]), ("allreduce/ring<&>", True))
        marks = [e for e in events if e["ph"] == "i"]
        self.assertIn({"name": "peer_lost", "cat": "loss", "ph": "i", "s": "t", "ts": 112000, "pid": 0, "tid": 77,
                       "args": {"process": 2}}, marks)
        self.assertEqual({e["ph"] for e in events}, {"M", "X", "i"})

    def test_last(self):
        records = flight_files.killed_job(self.records)
        lines = self.told(records, "--last", "0.002").splitlines()[3:]
        self.assertEqual({line.split()[0] for line in lines if " rank 2 " in line}, {"22:13:20.100000"})
        self.assertNotIn("22:13:20.020000", "".join(lines))
        root, _ = self.page(records, "--last", "0.002")
        self.assertEqual(len(self.titles(root, "wait")), 3)

    def test_page_and_text(self):
        target = self.folder / "page.html"
        text = self.told(flight_files.killed_job(self.records), "-o", target, "--text")
        self.assertTrue(text.startswith("Rank 2 ended without MPI_Finalize"))
        self.assertTrue(target.exists())
        self.assertEqual(self.told(self.records, "-o", "-"), text)


class OtherEnds(TimelineCase):
    def test_all_have_finalized(self):
        records = flight_files.finished_job(self.records)
        root, words = self.page(records)
        self.assertIn("All 4 ranks ended with MPI_Finalize; the last one was rank 3.", words)
        self.assertEqual(len(self.titles(root, "finalized")), 4)
        self.assertEqual(len(self.titles(root, "lost")), 0)
        self.assertEqual(len(self.titles(root, "file")), 4)
        self.assertIn("rank 0: transfer of 1.00 MiB from rank 1 of its communicator, 5.00 ms, from 13.0 ms before 0",
                      self.titles(root, "moved"))
        self.assertIn("rank 0: epoch of a window: fence, 7.00 ms, from 12.0 ms before 0", self.titles(root, "epoch"))

    def test_nobody_noticed(self):
        """mpiexec has killed all ranks. The other ranks wait for the rank that computes, so that one ended first."""
        files = [rank(n, 3, [event(5, "first_contact", process=0), *(allreduce(2, None, 1, waits=1) if n != 1 else [])])
                 for n in range(3)]
        text = self.told(flight_files.write(self.records, *files))
        self.assertTrue(text.startswith(
            "Rank 1 ended without MPI_Finalize, some time after its last event (first_contact); 2 ranks waited for it "
            "in allreduce (ring<&>).\nRanks 0 and 2 ended without MPI_Finalize, too; which of these ranks ended first "
            "is a guess, because no rank noticed.\n"), text)

    def test_waits_for_several(self):
        """In a collective through shared memory it is not told for whom a rank waits; the calls of the others tell."""
        files = [rank(n, 3, allreduce(1, 2, 1) + (allreduce(3, None, 2, waits=-1) if n != 2 else []) +
                      ([event(9, "peer_lost", process=2)] if n == 0 else [])) for n in range(3)]
        text = self.told(flight_files.write(self.records, *files))
        self.assertIn("at most 7.00 ms after its last event (collective_ended); 2 ranks waited in allreduce (ring<&>), "
                      "which it had not begun.", text)

    def test_what_the_first_one_did(self):
        files = [rank(0, 2, allreduce(1, None, 1, waits=1)),
                 rank(1, 2, [event(4, "peer_lost", process=0)], finalized=8)]
        text = self.told(flight_files.write(self.records, *files))
        self.assertIn("Rank 0 ended without MPI_Finalize, at most 2.00 ms after its last event (wait_begun), in "
                      "allreduce (ring<&>), waiting for rank 1; no rank waited for it.", text)
        root, _ = self.page(self.records)
        self.assertIn("rank 0: waits for rank 1, 2.00 ms and more, from at 0", self.titles(root, "wait"))

    def test_many_ranks(self):
        records = flight_files.killed_job(self.records, MANY, 500, entries=40)
        begin = time.monotonic()
        root, words = self.page(records)
        if not SANITIZED:
            self.assertLess(time.monotonic() - begin, 20)
        self.assertIn("; 999 ranks waited for it in allreduce", words)
        self.assertIn("936 ranks are left out", words)
        rows = [text.text for text in root.iter(f"{SVG}text") if re.fullmatch(r"rank \d+", text.text)]
        self.assertEqual(rows, [f"rank {n}" for n in [*range(63), 500]])

    def test_a_ring_that_has_gone_round(self):
        """Of 4 entries only the last ones are there; a wait whose beginning is gone says how long it was."""
        events = [event(n, "first_contact", process=0) for n in range(9)]
        events.append(event(20, "wait_ended", context=0, process=1, nanoseconds=5 * flight_files.MS))
        records = flight_files.write(self.records, rank(0, 1, events, entries=4, finalized=21))
        lines = self.told(records).splitlines()[2:]
        self.assertEqual([line.split()[0] for line in lines],
                         [f"22:13:20.{n:03}000" for n in (6, 7, 8, 20, 21)])
        root, _ = self.page(records)
        self.assertEqual(self.titles(root, "wait"),
                         ["rank 0: waits for process 1 of another job, 5.00 ms, from 6.00 ms before 0"])

    def test_overlapping_spans_have_tracks_of_their_own(self):
        """Perfetto drops spans of a track that overlap in part."""
        fields = {"context": 4, "bytes": 1, "source": 1}
        events = [event(1, "rendezvous_begun", tag=1, **fields), event(2, "rendezvous_begun", tag=2, **fields),
                  event(3, "rendezvous_ended", tag=1, **fields), event(4, "rendezvous_ended", tag=2, **fields)]
        records = flight_files.write(self.records, rank(0, 1, events, finalized=5))
        events = json.loads(self.written(records, "end.json"))["traceEvents"]
        self.assertEqual([(e["tid"], e["dur"]) for e in events if e["ph"] == "X"], [(77, 2000), (10 ** 9, 2000)])
        self.assertEqual({e["args"]["name"] for e in events if e["name"] == "thread_name"},
                         {"thread 77", "overlapping 1"})

    def test_strange_threads(self):
        """Their numbers are those of further tracks."""
        fields = {"context": 4, "bytes": 1, "source": 1}
        for thread in (10 ** 9, 10 ** 9 + 1, 2 ** 32 - 1):
            events = [event(n, f"rendezvous_{what}", thread=thread, tag=tag, **fields)
                      for n, (what, tag) in enumerate((("begun", 1), ("begun", 2), ("begun", 3), ("ended", 1),
                                                       ("ended", 2), ("ended", 3)))]
            records = flight_files.write(self.records, rank(0, 1, events, finalized=8))
            spans = [e for e in json.loads(self.written(records, "end.json"))["traceEvents"] if e["ph"] == "X"]
            self.assertEqual([e["tid"] for e in spans], [10 ** 9 - 1, 10 ** 9, 10 ** 9 + 1])

    def test_a_wait_within_a_wait(self):
        events = [event(n, "wait_begun", context=4, process=n) for n in (1, 2)]
        events += [event(5 - n, "wait_ended", context=4, process=n, nanoseconds=0) for n in (2, 1)]
        root, _ = self.page(flight_files.write(self.records, rank(0, 3, events, finalized=5)))
        self.assertEqual([title.split(": ", 1)[1] for title in self.titles(root, "wait")],
                         ["waits for rank 1, 3.00 ms, from 4.00 ms before 0",
                          "waits for rank 2, 1.00 ms, from 3.00 ms before 0"])

    def test_no_event(self):
        records = flight_files.write(self.records, rank(0, 1, []))
        self.assertTrue(self.told(records).startswith(
            "Rank 0 ended without MPI_Finalize, and has no event; no rank waited for it.\n"))
        self.page(records)
        json.loads(self.written(records, "end.json"))

    def test_many_events_make_few_shapes(self):
        events = []
        for n in range(5000):
            events += [event(n * 0.1, "wait_begun", context=0, process=0),
                       event(n * 0.1 + 0.05, "wait_ended", context=0, process=0, nanoseconds=50000),
                       event(n * 0.1 + 0.06, "message_unexpected", context=0, bytes=1, source=0, tag=0)]
        root, _ = self.page(flight_files.write(self.records, rank(0, 1, events, entries=20000)))
        self.assertLess(len(list(root.iter())), 4000)
        self.assertRegex(self.titles(root, "wait")[0], r"^5,000 close together, 250 ms in all; the first: rank 0: ")

    def test_ranks_without_a_recording(self):
        records = flight_files.killed_job(self.records)
        (records / "rank-3.flight").unlink()
        self.assertIn("\nRank 3 has no recording.\n", self.told(records))

    def test_hostile_texts(self):
        kinds = [{"name": "<b>&\"' \n", "fields": [{"name": "<i>", "type": "int32", "offset": 60, "words": ["</td>"]}]}]
        files = [rank(0, 1, [event(1, "<b>&\"' \n", **{"<i>": 0})], host="</title>\x01\xff")]
        _, words = self.page(flight_files.write(self.records, *files, kinds=kinds))
        self.assertIn("<b>&\"' ? <i>=</td>", words)
        self.assertIn("<b>", self.told(self.records))
        json.loads(self.written(self.records, "end.json"))
        self.picture(self.written(self.records, "end.svg"))


if __name__ == "__main__":
    unittest.main()
