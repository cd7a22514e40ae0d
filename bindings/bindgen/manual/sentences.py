# SPDX-License-Identifier: BSD-3-Clause
"""Reads the sentences of docs/manual. docs/manual/README.md says what the keys mean."""

import pathlib
import re
import tomllib
from dataclasses import dataclass, field

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "docs/manual"

# The order in which the chapters stand in the index.
CHAPTERS = ["environment", "point_to_point", "requests", "buffers", "partitioned", "datatypes", "packing",
            "collectives", "neighbours", "communicators", "groups", "topologies", "attributes", "info", "windows",
            "one_sided", "synchronization", "files", "file_access", "error_handling", "sessions", "processes",
            "handles", "tool_variables", "tool_events", "extensions"]

CHAPTER_KEYS = {"title", "who", "documents", "reasons", "errors", "parameters"}
ENTRY_KEYS = {"section", "purpose", "text", "returns", "notes", "parameters", "directions", "errors", "reasons", "see",
              "example", "who", "closing"}
FAMILY_KEYS = ENTRY_KEYS | {"pattern", "twin", "chapter", "with_notes", "twin_text"}
WHO = {"local", "collective", "partner", "start", "own"}


@dataclass
class Chapter:
    name: str
    title: str
    facts: dict
    entries: dict[str, dict]  # by function, in the order of the file


@dataclass
class Family:
    pattern: re.Pattern
    facts: dict

    def filled(self, text, groups):
        for name, value in groups.items():
            text = text.replace("{" + name + "}", value)
        return text


@dataclass
class Sentences:
    chapters: list[Chapter]
    families: list[Family]
    words: dict[str, str]
    kinds: dict[str, dict[str, str]]  # what parameters mean, by kind
    checks: dict[str, dict]  # reasons for errors, by validator
    reasons: dict[str, dict]
    handles: dict[str, dict]  # reasons for errors, by kind of handle
    examples: dict[str, str] = field(default_factory=dict)  # the programs by name

    def chapter(self, name):
        return next(chapter for chapter in self.chapters if chapter.name == name)


def load(folder=FOLDER):
    families = _read(folder / "families.toml")
    reasons = _read(folder / "reasons.toml")
    kinds = {}
    for path in sorted((folder / "parameters").glob("*.toml")):
        kinds |= _read(path)
    for facts in families["family"]:
        _only(facts, FAMILY_KEYS, f"families.toml: {facts.get('pattern')}")
    examples = {path.stem: path.read_text(encoding="utf-8") for path in sorted((folder / "examples").glob("*.c"))}
    return Sentences([_chapter(folder, name) for name in CHAPTERS],
                     [Family(re.compile(facts["pattern"]), facts) for facts in families["family"]], families["words"],
                     kinds, reasons["checks"], reasons["reasons"], reasons["handles"], examples)


def _chapter(folder, name):
    path = folder / f"{name}.toml"
    raw = _read(path)
    facts = raw.pop("chapter")
    _only(facts, CHAPTER_KEYS, f"{path.name}: chapter")
    for function, entry in raw.items():
        _only(entry, ENTRY_KEYS, f"{path.name}: {function}")
        if entry.get("who", "local") not in WHO:
            raise ValueError(f"{path.name}: {function}: who is '{entry['who']}', but must be one of {sorted(WHO)}")
    return Chapter(name, facts["title"], facts, raw)


def _only(entry, allowed, where):
    unknown = sorted(set(entry) - allowed)
    if unknown:
        raise ValueError(f"{where}: unknown key {unknown[0]}; allowed are {', '.join(sorted(allowed))}")


def _read(path):
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path}: {error}") from error
