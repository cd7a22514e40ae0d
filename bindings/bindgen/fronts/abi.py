# SPDX-License-Identifier: BSD-3-Clause
"""The facts of another MPI's ABI, from its abi.json: the values of constants, and its predefined handles."""

import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Symbol:
    """A predefined object whose handle is the address of a variable that programs may have a copy of."""

    name: str
    handle: str  # the C type of the handle, as the standard calls it
    size: int  # of the variable, in bytes
    constant: str | None  # which of the standard's constants it is; None: the standard has none
    fortran: int | None  # the handle in Fortran; None: Fortran has none


@dataclass(frozen=True)
class Abi:
    name: str  # of the MPI, in messages
    constants: dict[str, int]
    handles: dict[str, int]  # predefined handles that are numbers
    symbols: list[Symbol]  # those that are addresses
    synonyms: dict[str, str]  # further names of functions
    status_integers: int  # the length of a status in Fortran
    fortran_handles: dict[str, int]  # predefined handles in Fortran that differ from C's, or that C does not have


def load(path, api):
    with open(path, encoding="utf-8") as file:
        raw = json.load(file)
    known = {c.name for c in api.all_constants()}
    unknown = [name for name in (*raw["constants"], *raw["handles"]) if name not in known]
    if unknown:
        raise ValueError(f"{path}: not in api.json, nor in extensions.json: {', '.join(unknown)}")
    numbers = {name: int(value, 0) for name, value in raw["handles"].items() if isinstance(value, str)}
    fortran = {name: int(value, 0) for name, value in raw["fortran_handles"].items()}
    return Abi(raw["name"], raw["constants"], numbers, list(_symbols(raw, api)), raw.get("synonyms", {}),
               raw["status_integers"], fortran)


def _symbols(raw, api):
    types = {c.name: c.type for c in api.constants}
    sizes = raw.get("sizes", {})
    for constant, facts in raw["handles"].items():
        if isinstance(facts, dict):
            yield Symbol(facts["symbol"], types[constant], sizes[types[constant]], constant, facts.get("fortran"))
    for name, constant in raw.get("aliases", {}).items():
        yield Symbol(name, types[constant], sizes[types[constant]], constant, None)
    for name, facts in raw.get("without_counterpart", {}).items():
        yield Symbol(name, facts["type"], sizes[facts["type"]], None, facts.get("fortran"))
