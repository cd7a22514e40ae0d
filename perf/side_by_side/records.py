# SPDX-License-Identifier: BSD-3-Clause
"""A whole measurement as JSON: written for later studies, and read again to be shown or compared."""

import dataclasses
import json

from . import measure
from .implementations import CompareError

FORMAT = "bowline-compare"
SCHEMA = 2  # 1 had no number: it lacked the order of metrics, the date and the command
AGAIN = "measure again with --json"


@dataclasses.dataclass
class Record:
    """What was measured, when, on what and with what."""

    samples: measure.Samples
    metrics: list  # in the order of the tables
    date: str
    command: str
    rounds: int
    cores: int
    phrase: str  # the machine in a few words
    machine: dict  # the same in more words: {what: text}
    implementations: list  # of {name, mpicc, mpiexec, library, compiler}
    notes: list = dataclasses.field(default_factory=list)  # what makes the figures doubtful
    problems: list = dataclasses.field(default_factory=list)  # what could not be measured

    @property
    def names(self):
        """Of all that were measured, in the order of the columns."""
        return [one["name"] for one in self.implementations]


def to_document(record, verdicts):
    """Everything, samples included."""
    samples = record.samples
    points = [{"metric": metric, "bytes": size, "unit": samples.units[metric], "implementation": name,
               "rounds": {str(turn): value for turn, value in values.items()}}
              for (metric, size), by_name in sorted(samples.values.items()) for name, values in by_name.items()]
    told = {name: getattr(record, name) for name in ("date", "command", "rounds", "cores", "phrase", "machine",
                                                     "implementations", "metrics", "notes", "problems")}
    bounds = [{"bound": one.bound.text(), "holds": one.holds, "figure": one.text} for one in verdicts]
    return {"format": FORMAT, "schema": SCHEMA, **told, "bounds": bounds, "points": points}


def write(path, record, verdicts):
    """Writes the document."""
    path.write_text(json.dumps(to_document(record, verdicts), indent=1) + "\n", encoding="utf-8")


def from_document(document, where):
    """The record, or a CompareError that says why `where` holds none. It ignores what it does not need."""
    if not isinstance(document, dict) or document.get("format", FORMAT) != FORMAT or "points" not in document:
        raise CompareError(f"{where}: this is no measurement of perf/compare: give a file that --json has written")
    schema = document.get("schema", 1)
    if schema != SCHEMA:
        raise CompareError(f"{where}: its schema is {schema!r}, and this perf/compare reads {SCHEMA}: {AGAIN}")
    samples = measure.Samples()
    try:
        for point in document["points"]:
            for turn, value in point["rounds"].items():
                samples.add(point["metric"], int(point["bytes"]), point["implementation"], int(turn), float(value),
                            point["unit"])
        for one in document["implementations"]:
            samples.libraries[one["name"]] = one.get("library")
        return Record(samples, **{name: document[name] for name in (
            "metrics", "date", "command", "rounds", "cores", "phrase", "machine", "implementations", "notes",
            "problems")})
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CompareError(f"{where}: it is incomplete or damaged ({type(error).__name__}: {error}): {AGAIN}") from None


def read(option, path):
    """The record that --json has written to `path`, or a CompareError that names the option and what is wrong."""
    where = f"{option} {path}"
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        reason = f"it cannot be read: {error.strerror}"
        raise CompareError(f"{where}: {reason}: give a file that --json has written") from None
    except ValueError as error:
        reason = str(error).partition(":")[0]
        raise CompareError(f"{where}: it is no JSON ({reason}): give a file that --json has written") from None
    return from_document(document, where)
