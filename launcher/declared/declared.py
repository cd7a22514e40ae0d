# SPDX-License-Identifier: BSD-3-Clause
"""The options of a command, read from the document that it prints for --help=json (launcher/command_line/help.hpp)."""
import dataclasses
import functools
import json
import pathlib
import re

# What a value is, by the first word of capital letters in its name.
KINDS = {"FILE": "file", "DIR": "directory", "PROGRAM": "program", "COMPILER": "program", "HOST": "host",
         "VARIABLE": "variable", "PID": "process"}


@dataclasses.dataclass(frozen=True)
class Value:
    """What an option or an argument takes. `text` is its name, such as "FILE", "line|full" or "map|bindings[,...]"."""
    text: str

    @functools.cached_property
    def alternatives(self):
        """The parts between |, without what may follow them: [,...] and the like."""
        return re.sub(r"\[.*", "", self.text).split("|")

    @property
    def words(self):
        """The values that the declaration lists."""
        return [word for word in self.alternatives if word and not re.search("[A-Z]", word)]

    @property
    def is_list(self):
        """Whether several words may stand there with commas between them."""
        return "[,...]" in self.text

    @property
    def kind(self):
        """One of KINDS, "words", or "text" for anything else."""
        if self.words:
            return "words"
        return next((KINDS[word] for word in self.alternatives if word in KINDS), "text")


@dataclasses.dataclass(frozen=True)
class Option:
    """`names` have their dashes. One that ends with = takes its value in the same word only."""
    names: list
    help: str
    value: Value | None
    value_may_be_missing: bool
    repeats: bool
    excludes: list


@dataclasses.dataclass(frozen=True)
class Foreign:
    """An option of another launcher that mpiexec understands. `names` have their dashes."""
    names: list
    values: int
    effect: str
    text: str


@dataclasses.dataclass(frozen=True)
class Command:
    name: str
    options: list
    argument: Value | None
    runs_a_program: bool
    foreign: list


def foreign_of(row):
    """A name without a dash may be written with one or two."""
    names = [dashed for name in row["names"].split()
             for dashed in ([name] if name.startswith("-") else [f"-{name}", f"--{name}"])]
    return Foreign(names, row["values"], row["effect"], row["text"])


def read_command(path):
    """Reads PROGRAM.json."""
    document = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    options = [Option(row["names"], row["help"], Value(row["value"]) if row["value"] else None,
                      row.get("value_may_be_missing", False), row.get("repeats", False), row.get("excludes", []))
               for row in document["options"]]
    arguments = document["arguments"]
    argument = Value(arguments[0]["value"] or arguments[0]["name"]) if arguments else None
    if argument and argument.kind == "text":
        argument = Value(arguments[0]["name"])
    return Command(document["program"], options, argument, document.get("runs_a_program", False),
                   [foreign_of(row) for row in document.get("other_launchers", [])])
