# SPDX-License-Identifier: BSD-3-Clause
"""Made-up recordings of the ranks of jobs, as the flight recorder of the library writes them.

FLIGHT_WRITER in the environment names the program that knows the format.
"""
import json
import os
import pathlib
import subprocess

WRITER = os.environ["FLIGHT_WRITER"]
MS = 1_000_000  # nanoseconds
START = 1_700_000_000_000_000_000  # nanoseconds since 1970: 2023-11-14 22:13:20 UTC


def kind(name, *fields, **words):
    """Fields in the order of a C++ struct: those of 64 bits first, as the events of the library have them."""
    listed, offset = [], 0
    for field in fields:
        long = field in ("context", "sequence", "bytes", "offset", "nanoseconds")
        listed.append({"name": field, "type": "uint64" if long else "int32", "offset": offset,
                       "words": words.get(field, [])})
        offset += 8 if long else 4
    return {"name": name, "fields": listed}


KINDS = [kind("wait_begun", "context", "process"), kind("wait_ended", "context", "nanoseconds", "process"),
         kind("collective_begun", "context", "sequence", "bytes", "operation", operation=["barrier", "allreduce"]),
         kind("collective_ended", "context", "sequence", "bytes", "operation", operation=["barrier", "allreduce"]),
         kind("algorithm_chosen", "context", "sequence", "algorithm",
              algorithm=["barrier/slots", "allreduce/ring<&>"]),
         kind("rendezvous_begun", "context", "bytes", "source", "tag"),
         kind("rendezvous_ended", "context", "bytes", "source", "tag"),
         kind("message_unexpected", "context", "bytes", "source", "tag"), kind("first_contact", "process"),
         kind("peer_lost", "process"), kind("file_access", "context", "offset", "bytes", "access",
                                            access=["read", "write"]),
         kind("epoch_begun", "context", "target", "epoch", epoch=["fence", "access"]),
         kind("epoch_ended", "context", "target", "epoch", epoch=["fence", "access"])]


def event(milliseconds, name, thread=77, **fields):
    return [round(milliseconds * MS), thread, name, fields]


def rank(number, ranks, events, **others):
    """`finalized`: milliseconds after the start, as events have them."""
    if "finalized" in others:
        others["finalized"] = round(others["finalized"] * MS)
    return {"rank": number, "ranks": ranks, "host": f"n{number * 2 // ranks}", "process": 1000 + number,
            "to_utc": START, "events": events} | others


def write(folder, *files, kinds=None):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    described = json.dumps({"kinds": KINDS if kinds is None else kinds, "files": files})
    subprocess.run([WRITER, folder], input=described, text=True, check=True)
    return folder


def allreduce(begin, end, sequence, waits=None):
    """Of one rank; `end`: None if it has not ended. `waits`: for this process, from 1 ms after the beginning."""
    call = {"context": 5, "sequence": sequence, "bytes": 8, "operation": 1}
    events = [event(begin, "collective_begun", **call),
              event(begin + 0.1, "algorithm_chosen", context=5, sequence=sequence, algorithm=1)]
    if waits is not None:
        events.append(event(begin + 1, "wait_begun", context=5, process=waits))
        if end is not None:
            events.append(event(end - 0.1, "wait_ended", context=5, process=waits,
                                nanoseconds=round((end - 1.1 - begin) * MS)))
    return events + ([event(end, "collective_ended", **call)] if end is not None else [])


def killed_job(folder, ranks=4, victim=2, **others):
    """All ranks have completed an allreduce; the victim does not begin the next one, in which the others wait for it.
    Rank 0 notices its end, 12.5 ms after the victim's last event, and mpiexec ends them all."""
    files = []
    for number in range(ranks):
        events = [event(0.5, "first_contact", process=(number + 1) % ranks), *allreduce(10, 20, 1, waits=0)]
        if number == victim:
            events += [event(100, "message_unexpected", context=4, bytes=64, source=0, tag=9)]
        else:
            events += allreduce(101 + number / ranks, None, 2, waits=victim)
        if number == 0:
            events += [event(112.5, "peer_lost", process=victim)]
        files.append(rank(number, ranks, events, **others))
    return write(folder, *files)


def finished_job(folder, ranks=4):
    files = [rank(number, ranks, [*allreduce(10, 20 + number, 1, waits=number ^ 1),
                                  event(30, "rendezvous_begun", context=4, bytes=1 << 20, source=1, tag=3),
                                  event(31, "epoch_begun", context=6, target=-1, epoch=0),
                                  event(35, "rendezvous_ended", context=4, bytes=1 << 20, source=1, tag=3),
                                  event(36, "file_access", context=8, offset=4096, bytes=512, access=1),
                                  event(38, "epoch_ended", context=6, target=-1, epoch=0)], finalized=40 + number)
             for number in range(ranks)]
    return write(folder, *files)
