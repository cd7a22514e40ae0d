# SPDX-License-Identifier: BSD-3-Clause
"""Collective operations: MPI has each of them in three forms, which share one body that is told the form."""

from . import chapters

CHAPTERS = {"Collective communication and reduction operators", "Neighbourhood collectives"}

# What only the non-blocking and the persistent forms have; the form carries the request, and hints are not used so far.
OF_THE_FORM = {"REQUEST", "INFO"}


def form(function):
    """"blocking", "nonblocking" or "persistent"; None of all other functions."""
    if chapters.function_chapter(function.name) not in CHAPTERS or function.find("COMMUNICATOR") is None:
        return None
    if function.name.startswith("MPI_I"):
        return "nonblocking"
    return "persistent" if function.name.endswith("_init") else "blocking"


def operation(function):
    """The name of the operation, which is that of the body: MPI_Ibcast -> bcast."""
    short = function.name.removeprefix("MPI_").lower()
    return {"blocking": short, "nonblocking": short[1:], "persistent": short.removesuffix("_init")}[form(function)]


def is_intra_only(function):
    """Whether MPI defines it on intracommunicators alone."""
    return form(function) is not None and ("scan" in function.name or "neighbor" in function.name)


def has_root(function):
    return form(function) is not None and function.find("RANK", "root") is not None


def argument(function):
    """The C++ expression for the form of this function."""
    request = function.find("REQUEST", intent="out")
    return f"CollectiveForm::{form(function)}({request.name if request else ''})"
