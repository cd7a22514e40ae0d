# SPDX-License-Identifier: BSD-3-Clause
"""The calls that BOWLINE_CHECK looks at: what the C++ class CheckedCall is told of an MPI function follows from the
kinds and intents of its parameters (src/api/checking/checked_call.hpp)."""

from . import bodies, chapters, collectives

# Handles of objects that the user has to free or to complete.
KINDS = {"COMMUNICATOR", "DATATYPE", "FILE", "GROUP", "MESSAGE", "OPERATION", "REQUEST", "WINDOW"}

# They give objects that the user does not free.
GIVES_WHAT_STAYS = {"MPI_Comm_get_parent", "MPI_Type_get_value_index", "MPI_Type_match_size",
                    "MPI_Type_create_f90_integer", "MPI_Type_create_f90_real", "MPI_Type_create_f90_complex"}

# Their buffers are in use for the time of the call, or until the request that the call makes is completed.
CHAPTERS_WITH_BUFFERS = {"Point-to-point communication and requests", "Buffered sends"} | collectives.CHAPTERS
# They have bodies of their own, whose messages say of what kind their data are (api/point_to_point/checked_sends.hpp).
WITH_BODIES_OF_THEIR_OWN = {"MPI_Send", "MPI_Ssend", "MPI_Rsend", "MPI_Isend", "MPI_Issend", "MPI_Irsend"}

ONE_SIDED = "One-sided communication"
# They complete one-sided operations, as far as the buffers at the origin are concerned.
SYNCHRONIZING = {"MPI_Win_fence", "MPI_Win_complete", "MPI_Win_unlock", "MPI_Win_unlock_all", "MPI_Win_flush",
                 "MPI_Win_flush_all", "MPI_Win_flush_local", "MPI_Win_flush_local_all"}
NUMBER_OF_ELEMENTS = "POLYXFER_NUM_ELEM_NNI"


def made(function):
    """The parameters that get a handle."""
    if function.name in GIVES_WHAT_STAYS:
        return []
    return [p for p in function.parameters if p.kind in KINDS and p.intent == "out" and not p.is_array]


def taken(function):
    """The parameter with the handles that the function may set to null; None if there is none."""
    return next((p for p in function.parameters if p.kind in KINDS and p.intent == "inout"), None)


def buffers(function):
    """The buffers with their numbers of elements and their datatypes. Left out: what only the root gives, because the
    others may give anything; data of different lengths; broadcasts, which read at the root and write elsewhere; and
    functions whose operator says whether they read."""
    if chapters.function_chapter(function.name) not in CHAPTERS_WITH_BUFFERS | {ONE_SIDED}:
        return
    if "et_accumulate" in function.name:
        return
    if collectives.form(function) and collectives.operation(function) == "bcast":
        return
    for place, buffer in enumerate(function.parameters):
        if buffer.kind != "BUFFER" or buffer.root_only:
            continue
        after = [p for p in function.parameters[place + 1:] if p.kind != "BUFFER"]
        if len(after) > 1 and after[0].kind == NUMBER_OF_ELEMENTS and after[1].kind == "DATATYPE" and not any(
                p.is_array for p in after[:2]):
            yield buffer, after[0], after[1]


def is_one(function):
    return bool(function.returns_code and (made(function) or taken(function) or list(buffers(function))
                                           or function.name in SYNCHRONIZING))


def name(function, large):
    return "checked_" + function.entry_name(large)


def test(function, large):
    """The line of the entry point that goes on here."""
    arguments = ", ".join(d.name for d in function.c_parameters(large))
    return (f"if (Call::is_special() && CheckedCall::is_due()) [[unlikely]] return "
            f"{name(function, large)}({arguments});")


def _signature(function, large):
    parameters = ", ".join(bodies.cpp_type(d.text()) for d in function.c_parameters(large))
    return f"[[gnu::cold, gnu::noinline]] static int {name(function, large)}({parameters})"


def declaration(function, large):
    """For the entry point, which stands before the definition."""
    return _signature(function, large) + ";"


def text(function, large):
    """The C++ function that calls the entry point, and says what has happened. It uses a name of the entry point that
    no other library defines: the library of a foreign ABI has functions of the other names, too."""
    arguments = ", ".join(d.name for d in function.c_parameters(large))
    before = taken(function)
    after = list(_after(function))
    executed_here = function.name in WITH_BODIES_OF_THEIR_OWN
    lines = [f'CheckedCall call("{function.entry_name(large)}"{", CheckedCall::executed_here" * executed_here});']
    if before:
        length = f", {before.length}" if before.is_array else ""
        lines.append(f"call.takes({before.name}{length});")
    executed = f"executed_{function.entry_name(large)}" if executed_here else f"bowline_P{function.entry_name(large)}"
    lines.append(f"const int code = {executed}({arguments});")
    if before:
        lines.append("call.taken();")
    if after:
        lines += ["if (code == MPI_SUCCESS) {", *("  " + line for line in after), "}"]
    lines.append("return code;")
    return "\n".join([_signature(function, large) + " {", *("  " + line for line in lines), "}"])


def _after(function):
    handles = made(function)
    found = function.find("LOGICAL", "flag", "out")
    for handle in handles:
        yield ("if (*flag != 0) " if found else "") + f"call.made({handle.name});"
    request = next((f", {p.name}" for p in handles if p.kind == "REQUEST"), "")
    peers = {p.name for p in function.parameters if p.kind == "RANK"}
    for buffer, count, datatype in buffers(function):
        access = "checking::Access::" + ("reads" if buffer.constant else "writes")
        peer = peers & {"dest" if buffer.constant else "source"}
        arguments = f"{buffer.name}, {count.name}, {datatype.name}, {access}{request}"
        one_sided = chapters.function_chapter(function.name) == ONE_SIDED
        if one_sided and not request:
            arguments += ", win, target_rank"
        if collectives.form(function):
            yield f"call.uses_in(comm, {arguments});"
        elif peer:
            yield f"if ({peer.pop()} != MPI_PROC_NULL) call.uses({arguments});"
        elif one_sided and request:
            yield f"if (target_rank != MPI_PROC_NULL) call.uses({arguments});"
        else:
            yield f"call.uses({arguments});"
    if function.name in SYNCHRONIZING:
        yield "call.synchronized(win, rank);" if function.find("RANK_NNI", "rank") else "call.synchronized(win);"
