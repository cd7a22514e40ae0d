# SPDX-License-Identifier: BSD-3-Clause
"""The pages of the manual: everything that is said about a function, whatever the form in which it is written."""

import re
from dataclasses import dataclass

from .. import bodies, locks
from . import entries, failures, prototypes

OBJECTS = {"COMMUNICATOR": "communicator", "WINDOW": "window", "FILE": "file", "SESSION": "session"}
DIRECTIONS = {"in": "in", "out": "out", "inout": "in/out"}
# They come before all others.
STARTS = {"MPI_Init", "MPI_Init_thread", "MPIX_Rendezvous"}
# As many functions are named at the end of a page, at most.
MOST_RELATED = 14


@dataclass
class ParameterText:
    name: str
    direction: str
    meaning: str
    remark: str = ""  # root only, length of the array


@dataclass
class Page:
    name: str
    names: list[str]  # all that the page serves: the large form, further names
    purpose: str
    chapter: str
    section: str
    header: str
    c: list[str]
    callbacks: list[str]
    f08: list[list[str]]
    f90: list[str]
    modules: tuple[str, str]
    parameters: list[ParameterText]
    description: list[str]
    notes: list[str]
    returns: list[str]
    errors: list[tuple[str, str]]
    example: str
    see: list[str]
    documents: list[str]
    deprecated: str | None


def make(api, sentences):
    """The pages, in the order of the chapters. Raises ValueError where a sentence is missing."""
    found = entries.collect(api, sentences)
    functions = {f.name: f for f in api.all_functions()}
    forms = {}
    for name, entry in found.items():
        if entry.twin:
            forms.setdefault(entry.twin, []).append(name)
    pages = [_page(api, functions[name], entry, sentences, forms, functions) for name, entry in found.items()]
    place = {name: i for i, name in enumerate(_order(sentences, found, forms))}
    return sorted(pages, key=lambda page: place[page.name])


def _order(sentences, found, forms):
    """Chapter by chapter; a derived function behind its twin."""
    for chapter in sentences.chapters:
        listed = [name for name in [*chapter.entries, *found] if found[name].chapter == chapter.name]
        for name in dict.fromkeys(listed):
            if found[name].twin is None:
                yield name
                yield from forms.get(name, [])


def _page(api, function, entry, sentences, forms, functions):
    extension = function in api.extensions.functions
    twin = functions.get(entry.twin)
    if entry.example and entry.example not in sentences.examples:
        raise ValueError(f"docs/manual/examples/{entry.example}.c does not exist, but {function.name} names it")
    return Page(
        name=function.name, names=_names(function, extension), purpose=entry.purpose, chapter=entry.chapter,
        section=entry.section, header="mpi-ext.h" if extension else "mpi.h",
        c=prototypes.c_forms(function), callbacks=prototypes.callbacks(api, function),
        f08=prototypes.f08_forms(api, function), f90=prototypes.f90_lines(api, function),
        modules=("mpi_f08_ext", "mpi_ext") if extension else ("mpi_f08", "mpi"),
        parameters=[_parameter(function, p, entry, sentences, twin) for p in function.parameters],
        description=_description(function, entry), notes=entries.paragraphs(entry.notes),
        returns=_returns(function, entry), errors=failures.of(function, entry, sentences),
        example=_without_licence(sentences.examples.get(entry.example, "")),
        see=_related(function.name, entry, forms, functions),
        documents=sentences.chapter(entry.chapter).facts.get("documents", []), deprecated=function.deprecated)


def _without_licence(program):
    return program.partition("\n")[2] if program.startswith("// SPDX") else program


def _names(function, extension):
    more = list(function.also) if extension else []
    return [function.name, *([function.name + "_c"] if function.has_large else []), *more]


def _related(name, entry, forms, functions):
    siblings = forms.get(entry.twin, []) if entry.twin else forms.get(name, [])
    names = [*([entry.twin] if entry.twin else []), *entry.see, *siblings]
    for each in names:
        if each not in functions:
            raise ValueError(f"docs/manual: {name} refers to {each}, which is no function")
    return [each for each in dict.fromkeys(names) if each != name][:MOST_RELATED]


# ---- parameters

def _parameter(function, p, entry, sentences, twin):
    name = p.standard_name or p.name
    direction = entry.directions.get(name, p.intent)
    meaning = _meaning(function, name, direction, p, entry, sentences)
    remarks = []
    same = next((q for q in twin.parameters if q.standard_name == name), None) if twin else None
    if (same or p).root_only and "significant" not in meaning:
        remarks.append("significant at the root only")
    if p.is_array and p.length and re.fullmatch(r"\w+", p.length):
        remarks.append(f"an array of `{p.length}` elements")
    shown = "..." if p.kind == "VARARGS" else name
    return ParameterText(shown, DIRECTIONS[direction], meaning, "; ".join(remarks))


def _meaning(function, name, direction, p, entry, sentences):
    keys = [name] if direction == "in" else [f"{direction} {name}", name]
    for key in [*keys, "*"]:
        if key in entry.parameters:
            return entry.parameters[key]
    of_kind = sentences.kinds.get(p.kind, {})
    for key in [*keys, "default"]:
        if key in of_kind:
            return of_kind[key]
    raise ValueError(f"docs/manual: the parameter {direction} {name} of {function.name} (kind {p.kind}) has no "
                     "meaning: give it one in the function's entry, or in parameters/ for all functions")


# ---- what is true of many functions

def _description(function, entry):
    text = entries.paragraphs(entry.text or function.text)
    return text + (entries.paragraphs(entry.returns) if function.returns_code else []) + _circumstances(function, entry)


def _circumstances(function, entry):
    said = []
    if entry.who == "local" and function.has_kinds and not function.is_tool:
        said.append("The call is local: it needs no other process.")
    if entry.who == "collective":
        said.append(f"Collective: all processes of {_together(function)} call it.")
    if _is_any_time(function):
        said.append("It may be called at any time, also before MPI_Init and after MPI_Finalize.")
    if function.deprecated:
        said.append(f"Deprecated since {function.deprecated}: new programs should not use it.")
    return [" ".join(said)] if said else []


def _is_any_time(function):
    return (function.name in locks.ANY_TIME - STARTS
            or function.name.startswith(locks.ANY_TIME_PREFIXES) and not function.is_tool)


def _together(function):
    for p in function.parameters:
        if p.kind in ("COMMUNICATOR", "WINDOW", "FILE") and p.intent != "out":
            return f"the {OBJECTS[p.kind]}"
    if any(p.kind == "GROUP" for p in function.parameters):
        return "the groups" if function.name.startswith("MPI_Intercomm") else "the group"
    return "the job"


def _returns(function, entry):
    if not function.returns_code:
        return entries.paragraphs(entry.returns) or ["The function returns its result, not an error code."]
    if function.is_tool:
        return ["MPI_SUCCESS, or an error code. Functions of this interface call no error handler and never end "
                "the program."]
    return [f"MPI_SUCCESS, or the class of an error. {_handler(function)} In Fortran the code is stored in "
            "`ierror`, which is optional in the modules."]


def _handler(function):
    by_default = ("MPI_ERRORS_ARE_FATAL, the default, ends the job with a sentence that says what is wrong; with "
                  "MPI_ERRORS_RETURN the call returns the class.")
    kinds = {p.kind for p in function.parameters if p.intent != "out"}
    if bodies.is_on_file(function) and "FILE" not in kinds:
        return ("Errors go to the error handler of MPI_FILE_NULL, by default MPI_ERRORS_RETURN: the call returns the "
                "class, and the program has to check.")
    if "FILE" in kinds:
        return ("Errors go to the error handler of the file, by default MPI_ERRORS_RETURN: the call returns, and the "
                "program has to check.")
    for kind, words in (("WINDOW", "the window"), ("SESSION", "the session"), ("COMMUNICATOR", "the communicator")):
        if kind in kinds:
            return f"Errors go to the error handler of {words}: {by_default}"
    if "REQUEST" in kinds:
        return f"Errors go to the error handler of the communicator, window or file of the operation: {by_default}"
    if "ERRHANDLER" in kinds and any(p.intent == "out" and p.kind in OBJECTS for p in function.parameters):
        return f"Errors go to `errhandler`: {by_default}"
    return f"Errors go to the error handler of MPI_COMM_SELF: {by_default}"
