# SPDX-License-Identifier: BSD-3-Clause
"""The MPI interface as Python objects: reads api.json, and extensions.json beside it, and answers what a parameter is,
in its small and large form."""

import dataclasses
import json
import re
from dataclasses import dataclass

DECLARATOR = re.compile(r"^(?P<type>.*?[\s*])(?P<name>\w+)(?P<suffix>(?:\[\d*\])*)$")


@dataclass(frozen=True)
class Declaration:
    """One C parameter, split so that it can be written with or without its name."""

    type: str  # "const void *"
    name: str
    suffix: str  # "[]", "[][3]" or nothing

    @staticmethod
    def parse(text):
        if text == "...":
            return Declaration("...", "", "")
        match = DECLARATOR.match(text)
        if match is None:
            raise ValueError(f"cannot read the C parameter '{text}'")
        return Declaration(match["type"].strip(), match["name"], match["suffix"])

    def text(self):
        gap = "" if self.type.endswith("*") or not self.name else " "
        return f"{self.type}{gap}{self.name}{self.suffix}"

    def unnamed(self):
        """The type alone; an array parameter is spelled as the pointer that it is."""
        if not self.suffix:
            return self.type
        return f"{self.type} (*){self.suffix[2:]}" if self.suffix.count("[") > 1 else f"{self.type} *"


@dataclass(frozen=True)
class Parameter:
    name: str
    kind: str  # the standard's kind, e.g. COMMUNICATOR; empty where api.json names none
    intent: str  # "in", "out" or "inout"
    small: Declaration | None  # None: exists in the large-count form only
    large: Declaration | None  # None: the function has no large-count form
    is_array: bool
    root_only: bool  # significant at the root of a collective operation only
    length: str | None  # of an array: the parameter that says how long it is, or "*"
    standard_name: str = ""  # the name in the standard, which Fortran programs use as a keyword
    constant: bool = False  # of a buffer, a string or an array: the function does not write to it
    asynchronous: bool = False  # used until the operation has completed, after the function has returned
    callback: str | None = None  # of a function: the name of its C type

    @property
    def is_polymorphic(self):
        """Whether the small form has a narrower (or just another) type than the large form."""
        return None not in (self.small, self.large) and (self.small.type, self.small.suffix) != (
            self.large.type, self.large.suffix)

    def declaration(self, large):
        return self.large if large else self.small

    def widest(self):
        return self.large or self.small


@dataclass(frozen=True)
class Function:
    name: str
    returns: str
    parameters: list[Parameter]
    has_large: bool
    has_kinds: bool  # false for the handle conversions, which api.json gives as C text only
    deprecated: str | None
    also: tuple[str, ...] = ()  # further names; of the standard's functions they are for faulty programs, not declared
    text: str = ""  # of an extension: what its comment in mpi-ext.h says

    @property
    def returns_code(self):
        """Whether the int that it returns is an error class. MPI_Comm_toint and its kin return a value."""
        return self.returns == "int" and self.has_kinds

    @property
    def body(self):
        """The name of the hand-written body: MPI_Comm_rank -> comm_rank."""
        return re.sub(r"^MPIX?_", "", self.name).lower()

    @property
    def is_tool(self):
        return self.name.startswith("MPI_T_")

    def under_all_names(self):
        """The function, once for each of its names."""
        return [self, *(dataclasses.replace(self, name=name, also=()) for name in self.also)]

    def entry_name(self, large):
        return self.name + ("_c" if large else "")

    def forms(self):
        return (False, True) if self.has_large else (False,)

    def c_parameters(self, large):
        return [d for d in (p.declaration(large) for p in self.parameters) if d is not None]

    def find(self, kind, name=None, intent="in"):
        """The first scalar parameter of that kind, or None."""
        for p in self.parameters:
            if p.kind == kind and p.intent == intent and not p.is_array and name in (None, p.name):
                return p
        return None


@dataclass(frozen=True)
class Constant:
    name: str
    type: str
    value: int | None
    alias: str | None
    text: str = ""  # of an extension


@dataclass(frozen=True)
class Kind:
    """The Fortran types of a kind of parameter; None where Fortran has no such parameter."""

    f90: str | None  # in mpif.h and the module mpi
    f90_large: str | None
    f08: str | None
    f08_large: str | None


@dataclass(frozen=True)
class Extensions:
    """What Bowline adds to the standard: include/mpi-ext.h."""

    constants: list[Constant]
    features: list[str]  # macros by which programs ask whether a function exists
    functions: list[Function]

    def under_all_names(self):
        """The functions, each once for each of its names."""
        return [named for function in self.functions for named in function.under_all_names()]


@dataclass(frozen=True)
class Api:
    standard: str
    status: dict[str, str]
    handles: list[dict[str, str]]
    constants: list[Constant]
    callbacks: list[str]
    functions: list[Function]
    kinds: dict[str, Kind]
    extensions: Extensions

    def all_functions(self):
        return self.functions + self.extensions.functions

    def under_all_names(self):
        """The functions, and those of the extensions once for each of their names."""
        return self.functions + self.extensions.under_all_names()

    def all_constants(self):
        return self.constants + self.extensions.constants


def load(path):
    raw = _read(path)
    more = _read(path.with_name("extensions.json"))
    extensions = Extensions(_constants(more), more["features"], [_function(f) for f in more["functions"]])
    kinds = {name: _kind(facts) for name, facts in (raw["kinds"] | more["kinds"]).items()}
    return Api(raw["standard"], raw["status"], raw["handles"], _constants(raw), raw["callbacks"],
               [_function(f) for f in raw["functions"]], kinds, extensions)


def _read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def _constants(raw):
    return [Constant(c["name"], c.get("type", ""), c.get("value"), c.get("alias"), c.get("text", ""))
            for c in raw["constants"]]


def _kind(facts):
    return Kind(**{form: None if facts[form] == "None" else facts[form]
                   for form in ("f90", "f90_large", "f08", "f08_large")})


def _function(raw):
    small = [Declaration.parse(text) for text in raw["c"]]
    large = [Declaration.parse(text) for text in raw.get("c_large", [])]
    has_large = "c_large" in raw
    if "params" in raw:
        parameters = _with_kinds(raw, iter(small), iter(large), has_large)
    else:
        parameters = [Parameter(d.name, "", "in", d, None, False, False, None) for d in small]
    function = Function(raw["name"], raw["returns"], parameters, has_large, "params" in raw, raw.get("deprecated"),
                        tuple(raw.get("also", ())), raw.get("text", ""))
    if any(len(function.c_parameters(form)) != len(large if form else small) for form in function.forms()):
        raise ValueError(f"{raw['name']}: the C parameters and the kinds in api.json do not match")
    return function


def _with_kinds(raw, small, large, has_large):
    parameters = []
    for p in raw["params"]:
        small_form = None if p.get("large_only") else next(small, None)
        large_form = next(large, None) if has_large else None
        declared = small_form or large_form
        is_array = bool(declared.suffix) or (p["kind"] == "STATUS" and "length" in p)
        name = declared.name or p["name"]  # the C binding of the standard calls an "index" "indx"
        parameters.append(Parameter(
            name, p["kind"], p.get("intent", "in"), small_form, large_form, is_array, p.get("root_only", False),
            p.get("length"), p["name"], p.get("constant", False), p.get("asynchronous", False), p.get("func_type")))
    return parameters
