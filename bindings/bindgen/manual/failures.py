# SPDX-License-Identifier: BSD-3-Clause
"""The error classes of a function: what its entry point checks (bindings/bindgen/checks.py), and what its entry in
docs/manual says."""

import re

from .. import checks

CALL = re.compile(r'\b((?:check|api)::\w+|call\.(?:comm|comm_argument|file|win))\((.*)\)')
NAME = re.compile(r'"(\w+)"')
# They ask, and refuse nothing.
QUESTIONS = {"check::is_root", "check::is_leaf"}
# MPI's order, roughly: arguments first, then what happened.
LAST = ("MPI_ERR_IN_STATUS", "MPIX_ERR_")


def of(function, entry, sentences):
    """Pairs of a class and the reasons for it."""
    found = {}
    for validator, name in _checked(function):
        if validator not in sentences.checks:
            raise ValueError(f"docs/manual/reasons.toml has no reason for the validator {validator} of "
                             f"{function.name}")
        reason = sentences.checks[validator]
        found.setdefault(reason["class"], {}).setdefault(reason["text"], []).append(name)
    reasons = {error: [_with_names(text, names) for text, names in texts.items()] for error, texts in found.items()}
    for error, text in entry.errors.items():
        _replace_or_add(reasons, error, text)
    for error, text in _handles(function, sentences):
        reasons.setdefault(error, [text])
    for key in [*entry.reasons, *_of_others(function, entry)]:
        reason = sentences.reasons[key]
        reasons.setdefault(reason["class"], []).append(reason["text"])
    order = sorted(reasons, key=lambda error: error.startswith(LAST))
    return [(error, "; ".join(dict.fromkeys(reasons[error]))) for error in order]


def _replace_or_add(reasons, error, text):
    """What the entry says stands before what all functions have in common."""
    reasons[error] = [text, *reasons.get(error, [])]


def _checked(function):
    if not function.has_kinds or function.is_tool:
        return
    for line in checks.lines(function):
        for match in CALL.finditer(line):
            if match[1] not in QUESTIONS:
                name = NAME.search(match[2])
                yield match[1], name[1] if name else ""


def _handles(function, sentences):
    """Handles at which the body looks, not the entry point."""
    for p in function.parameters:
        if p.kind in sentences.handles and p.intent != "out" and not function.is_tool:
            reason = sentences.handles[p.kind]
            yield reason["class"], reason["text"].replace("{name}", f"{'an element of ' * p.is_array}`{p.name}`")


def _with_names(text, names):
    names = list(dict.fromkeys(names))
    if "{name}" not in text:
        return text
    if len(names) > 3:
        one = "a pointer to a result or an argument" if "pointer" in text else "an argument"
        return text.replace("{name}", one)
    quoted = [f"`{name}`" for name in names]
    return text.replace("{name}", " or ".join([*([", ".join(quoted[:-1])] if quoted[1:] else []), quoted[-1]]))


def _of_others(function, entry):
    """What other processes, or waiting for them, can cause."""
    if entry.who in ("local", "own") or function.is_tool or function.find("FILE"):
        return []
    if function.find("WINDOW"):
        return ["lost"]
    if function.find("COMMUNICATOR") or function.name.startswith(("MPI_Wait", "MPI_Start")):
        waits = entry.who in ("partner", "collective") and entry.twin is None
        return ["lost", "revoked"] + (["timeout"] if waits else [])
    return []
