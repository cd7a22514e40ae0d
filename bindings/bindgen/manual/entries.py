# SPDX-License-Identifier: BSD-3-Clause
"""The entry of each function: its own one, or what its family makes of the entry of its twin."""

import re
from dataclasses import dataclass, field


@dataclass
class Entry:
    chapter: str
    purpose: str
    section: str
    who: str
    text: str
    returns: str = ""
    notes: str = ""
    parameters: dict = field(default_factory=dict)  # those of the function first, then those of the twin
    directions: dict = field(default_factory=dict)
    errors: dict = field(default_factory=dict)
    reasons: list = field(default_factory=list)
    see: list = field(default_factory=list)
    example: str | None = None
    twin: str | None = None


def collect(api, sentences):
    """The entries by function. Raises ValueError if a function has none."""
    names = [f.name for f in api.all_functions()]
    own = {name: (chapter, entry) for chapter in sentences.chapters for name, entry in chapter.entries.items()}
    unknown = sorted(set(own) - set(names))
    if unknown:
        raise ValueError(f"docs/manual: {unknown[0]} is no function of bindings/api.json or extensions.json")
    entries = {name: _own_entry(*own[name]) for name in names if name in own and _is_whole(*own[name])}
    whole = dict(entries)
    for name in names:
        if name not in whole:
            entries[name] = _derived(name, sentences, whole, own)
    return entries


def _is_whole(chapter, entry):
    return "text" in entry or chapter.name == "extensions"


def _own_entry(chapter, entry):
    for key in ("purpose", "text") if chapter.name != "extensions" else ("purpose",):
        if not entry.get(key, "").strip():
            raise ValueError(f"docs/manual/{chapter.name}.toml: an entry has no {key}: {entry}")
    return Entry(chapter.name, entry["purpose"], entry.get("section", ""), entry.get("who", chapter.facts["who"]),
                 entry.get("text", ""), entry.get("returns", ""), entry.get("notes", ""),
                 chapter.facts.get("parameters", {}) | entry.get("parameters", {}), entry.get("directions", {}),
                 chapter.facts.get("errors", {}) | entry.get("errors", {}),
                 entry.get("reasons", chapter.facts.get("reasons", [])),
                 entry.get("see", []), entry.get("example"))


def _derived(name, sentences, whole, own):
    for family in sentences.families:
        match = family.pattern.fullmatch(name)
        if match is None:
            continue
        groups = _groups(match, sentences.words)
        twin_name = family.filled(family.facts.get("twin", ""), groups)
        if twin_name and twin_name not in whole:
            continue
        return _from_family(family, groups | {"twin": twin_name}, whole.get(twin_name), own.get(name, (None, {}))[1])
    raise ValueError(f"docs/manual: {name} has no purpose: write its entry in the file of its chapter, or a family")


def _groups(match, words):
    groups = {key: value or "" for key, value in match.groupdict().items()}
    if "name" in groups:
        groups["Name"] = groups["name"][:1].upper() + groups["name"][1:]
    if groups.get("object") in words:
        groups["object_words"] = words[groups["object"]]
    return groups


def _from_family(family, groups, twin, own):
    facts = family.facts
    if twin is not None:
        groups = groups | {"purpose": twin.purpose}
    def fill(text):
        return family.filled(text, groups)
    parts = [facts["text"], twin.text if twin and facts.get("twin_text", True) else "", facts.get("closing", "")]
    notes = twin.notes if twin and facts.get("with_notes") else fill(facts.get("notes", ""))
    entry = Entry(twin.chapter if twin else facts["chapter"], fill(facts["purpose"]), facts["section"], facts["who"],
                  "\n\n".join(fill(part).strip() for part in parts if part.strip()), fill(facts.get("returns", "")),
                  own.get("notes", notes))
    parameters = {key: fill(value) for key, value in facts.get("parameters", {}).items()}
    entry.parameters = (twin.parameters if twin else {}) | parameters | own.get("parameters", {})
    entry.directions = dict(twin.directions) if twin else {}
    entry.errors = (twin.errors if twin else {}) | facts.get("errors", {}) | own.get("errors", {})
    entry.reasons = list(twin.reasons) if twin else []
    entry.see = [fill(each) for each in facts.get("see", [])] + own.get("see", [])
    entry.example = own.get("example")
    entry.twin = groups["twin"] or None
    return entry


def paragraphs(text):
    """The paragraphs of a text, each on one line."""
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip()) if part.strip()]
