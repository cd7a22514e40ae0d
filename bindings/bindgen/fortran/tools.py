# SPDX-License-Identifier: BSD-3-Clause
"""Which C function a procedure calls, and so which calls from Fortran a tool sees that defines MPI_X in C.

The rule: a procedure whose name begins with P calls PMPI_X, and any other calls MPI_X. What the library needs for
itself, such as the conversion of a handle, it always calls by PMPI_X."""

import re

from . import conversions

PROFILING = "P"
FORMS = (PROFILING, "")

# Procedures that call no C function of their name, and why (docs/fortran.md lists them, too).
UNSEEN = {
    r"Op_create|(Comm|Win|File|Session)_create_errhandler":
        "the library calls the procedure of the program with a context, for which the C function has no argument",
    r"(Comm|Type|Win)_create_keyval|Keyval_create|(Comm|Type|Win)_[gs]et_attr|Attr_(get|put)":
        "attributes of Fortran are numbers, and the C function takes and returns addresses",
    r"Comm_idup(_with_info)?|Comm_ishrink":
        "the handle of the new communicator becomes an INTEGER when the request completes, after the C function has "
        "returned",
}


def is_seen(function):
    """Whether calls of the function reach the C function of its name."""
    bare = re.sub(r"^MPIX?_", "", function.name)
    return not any(re.fullmatch(names, bare) for names in UNSEEN)


def callee(form, entry):
    """The C function that a procedure with this beginning of its name calls."""
    return form + entry


def call(function, form, large, arguments):
    """The call of the C function, whose result is the error code."""
    entry = function.entry_name(large)
    if conversions.allocates(function, large):
        yield f'guarded(ierror, "{entry}", [&] {{ return {callee(form, entry)}({arguments}); }});'
    else:
        yield f"finish(ierror, {callee(form, entry)}({arguments}));"


def callee_parameter(function, large):
    """The parameter of a C++ function by which a procedure tells it what to call."""
    return f"decltype(P{function.entry_name(large)})* callee"
