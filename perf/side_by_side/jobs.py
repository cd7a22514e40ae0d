# SPDX-License-Identifier: BSD-3-Clause
"""The measurements: the jobs of one round, and how the results of a job become points.

A job is given `run(benchmark, ranks, arguments=(), bound=True)`, which starts one program with one MPI and returns its
points, {(name, size): (value, unit)}. The job returns the points to keep, under the names that the tables use.
"""

import dataclasses
import statistics

from .implementations import COLLECTIVES

FEW = 4  # ranks of the smaller one of the measurements with more ranks than cores
CROWD = 8  # ranks of the measurements with more ranks than cores
NODES = (64, 128, 256)  # ranks of the measurement of a node whose ranks all talk to each other
MANY = 16  # ranks of the measurement of what peers cost that are never talked to
POWERS = tuple(1 << power for power in range(23))  # 1 B to 4 MiB
STANDING = (1, 10, 100, 1000, 10000)
OPERATIONS = (*(f"op_{operator}_{kind}" for operator in ("sum", "max", "prod")
                for kind in ("float", "double", "int32", "int64")), "op_sum_complex", "op_prod_complex")
LAYOUTS = ("vector", "column", "face_x", "face_y", "face_z", "indexed_small", "indexed_mixed", "struct")
OVERSUBSCRIBED_BATCHES = ("--batches", "3", "--batch-ms", "10")
FLOOD, WHOLE_FLOOD = 100_000, 1_000_000  # messages: of every MPI, of Bowline


def sizes(chosen):
    """Sizes as arguments of a benchmark."""
    return tuple(word for size in chosen for word in ("--size", str(size)))


@dataclasses.dataclass(frozen=True)
class Job:
    """One program run that yields points: the benchmark, its arguments, and how many ranks run it."""

    benchmark: str
    ranks: int
    arguments: tuple = ()
    names: tuple = ()  # of its points that belong into the table; empty: the benchmark's
    bound: bool = True  # whether each rank is kept on one core, if there are enough of them
    timed: bool = True  # whether it is repeated if the machine changed meanwhile
    once: bool = False  # whether only the first round has it
    only_bowline: bool = False

    @property
    def suffix(self):
        """What tells its points from those of the same benchmark with the usual number of ranks."""
        return f"_{self.ranks}" if self.ranks in (FEW, CROWD) else ""

    @property
    def metrics(self):
        """The names of its points in the table."""
        return tuple(name + self.suffix for name in self.names or (self.benchmark,))

    @property
    def title(self):
        """What progress and problems call it."""
        return self.benchmark + self.suffix

    def points(self, run):
        """Runs it once."""
        found = run(self.benchmark, self.ranks, self.arguments, self.bound)
        return {(name + self.suffix, size): point for (name, size), point in found.items()}


@dataclasses.dataclass(frozen=True)
class Collective(Job):
    """One collective: the program that measures them all is told which."""

    @property
    def title(self):
        """Each may fail by itself."""
        return self.names[0] + self.suffix


@dataclasses.dataclass(frozen=True)
class Node(Job):
    """Many ranks of one node that all talk to each other."""

    @property
    def suffix(self):
        """The number of ranks is what matters."""
        return f"_{self.ranks}"


@dataclasses.dataclass(frozen=True)
class LockCost(Job):
    """One benchmark at both thread levels, in turns, because a few percent are to be seen."""

    pairs: int = 5

    @property
    def metrics(self):
        """The time at each level, and the one divided by the other."""
        return ("latency_single", "latency_multiple", "lock_cost")

    @property
    def title(self):
        """Not to be confused with the plain benchmark."""
        return "lock_cost"

    def points(self, run):
        """Runs the pairs; every second one begins with the other level. The ratio is the median of the pairs'."""
        seen = {"single": [], "multiple": []}
        for number in range(self.pairs):
            for level in list(seen)[::1 if number % 2 == 0 else -1]:
                found = run(self.benchmark, self.ranks, (*self.arguments, "--thread-level", level), self.bound)
                seen[level].append(found)
        points = {}
        for (name, size), (_, unit) in seen["single"][0].items():
            values = {level: [found[name, size][0] for found in runs] for level, runs in seen.items()}
            for level, at_level in values.items():
                points[f"{name}_{level}", size] = (statistics.median(at_level), unit)
            ratios = [multiple / single for single, multiple in zip(values["single"], values["multiple"])]
            points["lock_cost", size] = (statistics.median(ratios), "x")
        return points


@dataclasses.dataclass(frozen=True)
class Memory(Job):
    """Resident memory of an idle rank, against the same program without MPI and against a job of more ranks.

    What a peer costs is counted in memory of the rank's own and in shared memory. Pages of files, that is of code, are
    left out of it: every rank shares them, and how many the kernel maps around a fault changes from run to run.
    """

    @property
    def metrics(self):
        """In MiB, but for the cost of a peer, which is in KiB."""
        return ("memory", "memory_excess", f"memory_{MANY}", "memory_per_peer")

    def points(self, run):
        """Runs the three programs, each without binding, so that nothing but the number of ranks differs."""
        few, many, plain = (run(program, ranks, bound=False) for program, ranks in
                            (("memory", self.ranks), ("memory", MANY), ("memory_plain", self.ranks)))
        kib = {kind: [found[kind, 0][0] for found in (few, many, plain)]
               for kind in ("memory", "memory_anon", "memory_shmem")}
        own = [anonymous + shared for anonymous, shared in zip(kib["memory_anon"], kib["memory_shmem"])]
        return {
            ("memory", 0): (kib["memory"][0] / 1024, "MiB"),
            (f"memory_{MANY}", 0): (kib["memory"][1] / 1024, "MiB"),
            ("memory_excess", 0): ((kib["memory"][0] - kib["memory"][2]) / 1024, "MiB"),
            ("memory_per_peer", 0): ((own[1] - own[0]) / (MANY - self.ranks), "KiB"),
        }


@dataclasses.dataclass(frozen=True)
class Layouts(Job):
    """Data with holes: packing, unpacking, messages. Hand-written loops stand beside packing and unpacking as RAW."""

    @property
    def metrics(self):
        """One after the other for each layout."""
        return tuple(f"{what}_{layout}" for what in ("pack", "unpack", "pingpong") for layout in LAYOUTS)

    def points(self, run):
        """Runs it once."""
        return run(self.benchmark, self.ranks, self.arguments, self.bound)

    @staticmethod
    def raw_of(name):
        """The metric beside which a loop's figure stands, or None if that is no loop."""
        return name.removeprefix("loop_") if name.startswith("loop_") else None


def layouts_job(quick):
    """Each fourth power of two is enough to see the caches."""
    powers = (12, 18) if quick else range(10, 25, 2)
    batches = ("--batches", "3" if quick else "5", "--batch-ms", "2")
    return Layouts("ddt", 2, batches + sizes(1 << power for power in powers))


def operators_job(quick):
    """One process alone; the hand-vectorized loops stand beside the operators as RAW. From 64 bytes to 16 MiB."""
    powers = (6, 12, 20) if quick else range(6, 25, 2)
    batches = ("--batches", "5" if quick else "9", "--batch-ms", "2")
    return Job("op", 1, batches + sizes(1 << power for power in powers), names=OPERATIONS, timed=False)


def collective_jobs(quick, ranks):
    """Every collective. Where ranks share cores an operation may take a thousand times longer, so fewer are timed."""
    if quick:
        batches = ("--batches", "3", "--batch-ms", "1" if ranks == 2 else "5")
    else:
        batches = ("--batches", "5", "--batch-ms", "5") if ranks == 2 else OVERSUBSCRIBED_BATCHES
    powers = (2, 10, 13, 14, 15, 16, 20) if quick and ranks > 2 else range(2, 23)
    return [Collective("coll", ranks, ("--mode", name, *batches) + sizes(1 << power for power in powers), names=(name,))
            for name in COLLECTIVES]


def match_job(quick):
    """Matching behind many receives or messages: 10 and 10,000 suffice for the slope."""
    kinds = ("match_posted", "match_wildcards", "match_unexpected", "match_unexpected_any")
    batches = ("--batches", "3" if quick else "5", "--batch-ms", "2")
    return Job("match", 2, batches + sizes((10, 10000) if quick else STANDING),
               names=tuple(name for kind in kinds for name in (kind, f"{kind}_slope")))


def floods(quick):
    """Slow, and counted rather than timed, so a full measurement has them once."""
    if quick:
        return []
    return [Job("flood", 3, ("--mode", mode, "--size", str(count)), names=(f"flood_{mode}",), bound=False, timed=False,
                once=True, only_bowline=count == WHOLE_FLOOD)
            for count in (FLOOD, WHOLE_FLOOD) for mode in ("send", "isend")]


def plan(quick, only):
    """The jobs of one round. A quick one has shorter batches, and fewer sizes where these say little more."""
    batches = ("--batches", "5", "--batch-ms", "3" if quick else "5")

    jobs = [
        Job("latency", 2, batches + sizes(sorted({*POWERS, 40}))),
        Job("bandwidth", 2, batches + sizes(POWERS)),
        Job("bibw", 2, batches + sizes(POWERS)),
        Job("message_rate", 2, batches + sizes((1, 8, 64))),
        match_job(quick),
        layouts_job(quick),
        operators_job(quick),
        Job("threads", 2, batches, names=("rate_one_thread", "rate_two_threads", "thread_scaling"), bound=False),
        LockCost("latency", 2, batches + sizes([8]), pairs=3 if quick else 7),
        *collective_jobs(quick, 2),
        Job("latency", CROWD, OVERSUBSCRIBED_BATCHES + sizes((8, 1024, 65536))),
        Job("exchange", CROWD, OVERSUBSCRIBED_BATCHES + sizes((1024, 16384))),
        *collective_jobs(quick, FEW),
        *collective_jobs(quick, CROWD),
        Memory("memory", 2, timed=False),
        Job("idle", 2, timed=False),
        *floods(quick),
        *(Node("crowd", ranks, ("--batches", "3", "--batch-ms", "50"), bound=False, timed=False,
               names=("crowd_first", "crowd_second", "crowd_barrier", "crowd_allreduce", "crowd_shared", "crowd_pss"))
          for ranks in NODES[:2 if quick else None]),
    ]
    return [job for job in jobs if {job.benchmark, *job.names} & set(only)]
