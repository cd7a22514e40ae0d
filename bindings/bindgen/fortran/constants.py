# SPDX-License-Identifier: BSD-3-Clause
"""The constants of Fortran: their values are those of C, but that strings need no room for a null character."""

import re
from dataclasses import dataclass

from .conversions import HANDLES

HANDLE_TYPES = set(HANDLES.values())
# What only C has.
NOT_IN_FORTRAN = re.compile(r"MPI_(T_(?!ERR_)|F_)")

KINDS = {"MPI_ADDRESS_KIND": 8, "MPI_COUNT_KIND": 8, "MPI_INTEGER_KIND": 4, "MPI_OFFSET_KIND": 8}


@dataclass(frozen=True)
class Number:
    name: str
    value: int
    kind: str = ""  # the kind of an INTEGER that is not a default one


@dataclass(frozen=True)
class Handle:
    name: str
    type: str
    value: int


@dataclass(frozen=True)
class Sentinel:
    """A variable whose address has a meaning, in a COMMON block or as a C variable."""

    name: str
    type: str
    shape: str = ""
    target: bool = False  # functions return its address
    common_prefix: str = "MPI_ABI_"

    @property
    def common(self):
        return self.name.replace("MPI_", self.common_prefix, 1)

    @property
    def symbol(self):
        return self.common.lower() + "_"


SENTINELS = (
    Sentinel("MPI_BOTTOM", "integer"),
    Sentinel("MPI_IN_PLACE", "integer"),
    Sentinel("MPI_BUFFER_AUTOMATIC", "integer", target=True),
    Sentinel("MPI_UNWEIGHTED", "integer", "(1)"),
    Sentinel("MPI_WEIGHTS_EMPTY", "integer", "(1)"),
    Sentinel("MPI_ERRCODES_IGNORE", "integer", "(1)"),
    Sentinel("MPI_ARGV_NULL", "character", "(1)"),
    Sentinel("MPI_ARGVS_NULL", "character", "(1,1)"),
)
# Compilers refuse one variable with two types, so those of mpi_f08 are others.
STATUS_SENTINELS = (
    Sentinel("MPI_STATUS_IGNORE", "integer", "(MPI_STATUS_SIZE)"),
    Sentinel("MPI_STATUSES_IGNORE", "integer", "(MPI_STATUS_SIZE,1)"),
)
F08_STATUS_SENTINELS = (
    Sentinel("MPI_STATUS_IGNORE", "type(MPI_Status)", common_prefix="MPI_ABI_F08_"),
    Sentinel("MPI_STATUSES_IGNORE", "type(MPI_Status)", "(1)", common_prefix="MPI_ABI_F08_"),
)


def numbers(api):
    """The constants that are numbers, with those that only Fortran has."""
    for name, value in KINDS.items():
        yield Number(name, value)
    by_name = {c.name: c.value for c in api.constants}
    yield Number("MPI_STATUS_SIZE", by_name["MPI_F_STATUS_SIZE"])
    for field in ("SOURCE", "TAG", "ERROR"):
        yield Number(f"MPI_{field}", by_name[f"MPI_F_{field}"] + 1)
    for c in api.constants:
        if c.type == "int" and not NOT_IN_FORTRAN.match(c.name):
            yield Number(c.name, c.value - 1 if c.name.startswith("MPI_MAX_") else c.value)
        elif c.type == "MPI_Offset":
            yield Number(c.name, c.value, "MPI_OFFSET_KIND")
    yield from _accepted(api)


def _accepted(api):
    """The constants that the Forum has accepted for a later version of the standard. Programs that were written for
    Open MPI find them beside those of the standard, and not beside the extensions."""
    values = {c.name: c.value for c in api.extensions.constants}
    return [Number(c.name, values[c.alias]) for c in api.extensions.constants if c.alias]


def extensions(api):
    """The other constants of include/mpi-ext.h."""
    return [Number(c.name, c.value) for c in api.extensions.constants if not c.alias]


def handles(api):
    by_name = {c.name: c for c in api.constants}
    for c in api.constants:
        meant = by_name[c.alias] if c.alias in by_name else c
        if meant.type in HANDLE_TYPES:
            yield Handle(c.name, meant.type, meant.value)
