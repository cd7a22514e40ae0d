# SPDX-License-Identifier: BSD-3-Clause
"""Runs the benchmarks of several MPIs in turns and collects every sample.

Turns matter more than the length of a measurement: load, clock speed and temperature drift, and a drift that affects
one MPI only would look like a difference between MPIs. So every round runs each benchmark with each MPI once, and
begins with another MPI.

On a virtual machine the host also moves virtual cores between real cores: two of them may be neighbours now and far
apart a second later, with a tenfold difference in latency. So the bounce of one cache line is timed before and after
every run; if its time changes, the whole turn is repeated.
"""

import statistics
import sys
import time

from . import implementations as mpis
from . import jobs

RAW = "raw"
STEADY = 1.6  # a turn is repeated if the slowest bounce seen around it is more than this many times the fastest
ATTEMPTS = 3
RAW_LATENCY_SIZES = range(1, 65)  # messages that fit into one cache line or nearly so: the bounce stands beside them


def parse_points(output):
    """The lines `NAME BYTES VALUE UNIT ...` of a benchmark as {(name, bytes): (value, unit)}; others are skipped."""
    points = {}
    for line in output.splitlines():
        fields = line.split()
        if len(fields) < 4 or fields[0].startswith("#"):
            continue
        try:
            points[fields[0], int(fields[1])] = (float(fields[2]), fields[3])
        except ValueError:
            continue
    return points


def parse_library(output):
    """What the `# library:` line says, or None."""
    for line in output.splitlines():
        if line.startswith("# library:"):
            return " ".join(line.split(":", 1)[1].split())
    return None


def rotated(sequence, by):
    """The sequence, beginning with its by-th element (modulo its length)."""
    by %= len(sequence) or 1
    return [*sequence[by:], *sequence[:by]]


class Samples:
    """Every measured value: values[metric, bytes][implementation][round]; units[metric] is its unit.

    The name RAW stands for the machine itself, measured next to the others in the same round.
    """

    def __init__(self):
        self.values = {}
        self.units = {}
        self.libraries = {}

    def add(self, metric, size, name, turn, value, unit):
        """Keeps one value. Units never differ between implementations, because all run the same programs."""
        self.values.setdefault((metric, size), {}).setdefault(name, {})[turn] = value
        self.units[metric] = unit


class Progress:
    """One line on standard error that says how far the measurement is; overwritten in place on a terminal."""

    def __init__(self, steps):
        self.steps, self.done, self.start = steps, 0, time.monotonic()
        self.terminal = sys.stderr.isatty()
        self.said = 0

    def step(self, what):
        """Says what begins now; off a terminal only at every tenth of the way."""
        percent = 100 * self.done // max(self.steps, 1)
        self.done += 1
        text = f"{percent:3d}%  {time.monotonic() - self.start:5.0f} s  {what}"
        if self.terminal:
            print(f"\r{text[:100]:<100}", end="", file=sys.stderr, flush=True)
        elif percent >= self.said:
            self.said = percent - percent % 10 + 10
            print(text, file=sys.stderr, flush=True)

    def end(self):
        """Clears the line."""
        if self.terminal:
            print(f"\r{'':<100}\r", end="", file=sys.stderr, flush=True)


class Session:
    """One measurement: implementations, their programs, and what has been sampled and has gone wrong so far."""

    def __init__(self, found, programs, raw_program, cores, realtime=False):
        self.found, self.programs, self.raw_program, self.cores = found, programs, raw_program, cores
        self.realtime = realtime
        self.start_shape = None  # where the ranks of start-ups are, if on several nodes
        self.patience = 300  # seconds after which a program counts as hanging
        self.repeat_until = float("inf")  # the time.monotonic() after which no turn is repeated any more
        self.samples = Samples()
        self.problems = []
        self.notes = []  # what makes the figures doubtful
        self.unsteady = 0  # turns that were kept although the machine changed under every attempt
        self._broken = set()

    def run(self, plan, rounds, starts):
        """`rounds` rounds of the jobs of a plan, then `starts` start-ups, always in turns."""
        progress = Progress(sum(1 if job.once else rounds for job in plan) + rounds + starts)
        try:
            for number in range(rounds):
                progress.step(f"round {number + 1} of {rounds}: raw")
                self._raw(number)
                for job in plan:
                    if number == 0 or not job.once:
                        progress.step(f"round {number + 1} of {rounds}: {job.title}, {job.ranks} ranks")
                        self._turn(job, number)
            for number in range(starts):
                progress.step(f"start-up {number + 1} of {starts}")
                for one in rotated(self.found, number):
                    self._attempt(one, "init", "init", lambda one=one: self._start_up(one, number))
        finally:
            progress.end()

    def _turn(self, job, number):
        """Runs one job with every implementation, again if the machine changed meanwhile; keeps the last attempt."""
        for attempt in range(1, ATTEMPTS + 1):
            outputs, bounces = {}, [self._bounce(job)]
            for one in rotated(self.found, number):
                if job.only_bowline and one.name != mpis.BOWLINE:
                    continue
                outputs[one.name] = self._attempt(one, job.benchmark, job.title, lambda one=one: self._job(one, job))
                bounces.append(self._bounce(job))
            bounces = [value for value in bounces if value is not None]
            steady = not bounces or max(bounces) <= STEADY * min(bounces)
            if steady or attempt == ATTEMPTS or time.monotonic() > self.repeat_until:
                break
        self.unsteady += not steady
        self._keep(outputs, bounces, number)

    def _keep(self, outputs, bounces, number):
        """Adds one turn's points to the samples, and beside them what the machine itself did."""
        for name, points in outputs.items():
            for (metric, size), (value, unit) in (points or {}).items():
                beside = jobs.Layouts.raw_of(metric)
                if beside is not None:
                    # Every MPI's run has timed the same loop; that of the subject ran nearest to its own figures.
                    if name == mpis.BOWLINE or mpis.BOWLINE not in outputs:
                        self.samples.add(beside, size, RAW, number, value, unit)
                    continue
                self.samples.add(metric, size, name, number, value, unit)
                if bounces and metric in ("latency", "allreduce") and size in RAW_LATENCY_SIZES:
                    self.samples.add(metric, size, RAW, number, statistics.median(bounces), unit)

    def _attempt(self, one, benchmark, title, action):
        """The action's result, or None if it fails or failed before: that is kept in words and the rest goes on."""
        if (one.name, title) in self._broken or benchmark not in self.programs[one.name]:
            return None
        try:
            return action()
        except (mpis.CompareError, OSError) as error:
            self._broken.add((one.name, title))
            self.problems.append(f"{one.name}: {title}: {error}")
            return None

    def _command(self, one, benchmark, ranks, arguments=(), bound=True, shape=None):
        program = [self.programs[one.name][benchmark], *arguments]
        return shape.command(one.family, program) if shape else one.launch(ranks, self.cores, program, bound,
                                                                           self.realtime)

    def _job(self, one, job):
        def run(benchmark, ranks, arguments=(), bound=True, shape=None):
            output = mpis.run(self._command(one, benchmark, ranks, arguments, bound, shape), one.environment(),
                              self.patience)
            points = parse_points(output)
            if not points:
                raise mpis.CompareError(f"{benchmark} printed no result{mpis.last_lines(output)}")
            library = parse_library(output)
            if library is not None:
                self.samples.libraries.setdefault(one.name, library)
            return points
        return job.points(run)

    def _start_up(self, one, number):
        shape = self.start_shape
        command, environment = self._command(one, "init", 2, shape=shape), one.environment()
        begin = time.monotonic()
        mpis.run(command, environment, self.patience)
        milliseconds = (time.monotonic() - begin) * 1e3
        self.samples.add(f"init_{shape.text}" if shape else "init", 0, one.name, number, milliseconds, "ms")

    def _run_raw(self, *arguments):
        """The points of the raw program, or none if it failed now or before."""
        if self.raw_program is None:
            return {}
        try:
            return parse_points(mpis.run([*mpis.REALTIME * self.realtime, str(self.raw_program), *arguments]))
        except (mpis.CompareError, OSError) as error:
            self.raw_program = None
            self.problems.append(f"the raw cost of this machine: {error}")
            return {}

    def _bounce(self, job):
        if not job.timed:
            return None
        return self._run_raw("bounce").get(("bounce", 64), (None, None))[0]

    def _raw(self, number):
        for (metric, size), (value, unit) in self._run_raw().items():
            self.samples.add(metric, size, RAW, number, value, unit)
            if metric == "memcpy":
                self.samples.add("bandwidth", size, RAW, number, value, unit)
