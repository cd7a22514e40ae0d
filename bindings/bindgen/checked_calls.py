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

# What a process may learn of others, and tell them: by communication, and by functions that several call together.
COMMUNICATING = {"Point-to-point communication and requests", "Buffered sends", "Partitioned communication", "Files",
                 "Dynamic processes"}
TOGETHER = {"MPI_Comm_free", "MPI_Win_free"}
LOCAL = {"MPI_Cancel", "MPI_Request_free", "MPI_Test_cancelled", "MPI_Buffer_attach", "MPI_Comm_attach_buffer",
         "MPI_Comm_get_parent"}
LOCAL_PREFIXES = ("MPI_Status_", "MPI_Grequest_", "MPI_Register_", "MPI_File_get_", "MPI_File_call_errhandler",
                  "MPI_File_set_errhandler", "MPI_File_create_errhandler")
# They only take what others have told.
TAKING = ("MPI_Recv", "MPI_Irecv", "MPI_Mrecv", "MPI_Imrecv", "MPI_Precv", "MPI_Parrived", "MPI_Wait", "MPI_Test",
          "MPI_Request_get_status", "MPI_Probe", "MPI_Iprobe", "MPI_Mprobe", "MPI_Improbe")
PROBES = {"MPI_Probe", "MPI_Iprobe", "MPI_Mprobe", "MPI_Improbe"}
RECEIVES = {"MPI_Recv", "MPI_Irecv", "MPI_Recv_init"} | PROBES
COMPLETIONS = {"MPI_Wait", "MPI_Waitany", "MPI_Waitall", "MPI_Waitsome", "MPI_Test", "MPI_Testany", "MPI_Testall",
               "MPI_Testsome"}

ACCESSES = {"MPI_Put": "put", "MPI_Rput": "put", "MPI_Get": "get", "MPI_Rget": "get", "MPI_Accumulate": "accumulate",
            "MPI_Raccumulate": "accumulate", "MPI_Get_accumulate": "accumulate", "MPI_Rget_accumulate": "accumulate",
            "MPI_Fetch_and_op": "accumulate", "MPI_Compare_and_swap": "swap"}
# By these calls a process may learn of others; by flushes and unlocks only what it has read.
TEACHING = {"MPI_Win_fence", "MPI_Win_start", "MPI_Win_complete", "MPI_Win_wait", "MPI_Win_test", "MPI_Win_sync"}
# What the record of a window is told of synchronization.
SYNCHRONIZATION = {
    "MPI_Win_start": "started(win, group)", "MPI_Win_post": "posted(win, group)",
    "MPI_Win_complete": "access_ended(win)", "MPI_Win_lock": "locked(win, rank, lock_type)",
    "MPI_Win_lock_all": "locked_all(win)", "MPI_Win_unlock": "unlocked(win, rank)",
    "MPI_Win_unlock_all": "unlocked(win)", "MPI_Win_flush": "flushed(win, rank)", "MPI_Win_flush_all": "flushed(win)",
}


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


def communicates(function):
    """Whether the process may learn something of others by this function, or tell them something."""
    if function.name in LOCAL or function.name.startswith(LOCAL_PREFIXES):
        return False
    makes_together = any(p.kind in ("COMMUNICATOR", "WINDOW", "FILE") for p in made(function))
    return bool(makes_together or function.name in TOGETHER or collectives.form(function)
                or chapters.function_chapter(function.name) in COMMUNICATING)


def learns(function):
    return communicates(function) or function.name in TEACHING


def tells(function):
    if function.name.startswith(TAKING):
        return False
    return communicates(function) or function.name in ACCESSES or function.name in SYNCHRONIZATION or (
        function.name == "MPI_Win_fence")


def statuses(function):
    """The parameter with the statuses of the messages that the function takes; None if nothing is asked of them."""
    if function.name not in (RECEIVES | COMPLETIONS):
        return None
    return next((p for p in function.parameters if p.kind == "STATUS"), None)


def is_one(function):
    return bool(function.returns_code and (made(function) or taken(function) or list(buffers(function))
                                           or function.name in SYNCHRONIZING or learns(function) or tells(function)))


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
    before, kept = taken(function), statuses(function)
    arguments = ", ".join("statuses.get()" if kept and d.name == kept.name else d.name
                          for d in function.c_parameters(large))
    after = list(_after(function))
    executed_here = function.name in WITH_BODIES_OF_THEIR_OWN
    lines = [f'CheckedCall call("{function.entry_name(large)}"{", CheckedCall::executed_here" * executed_here});']
    lines += _before(function)
    if before:
        length = f", {before.length}" if before.is_array else ""
        lines.append(f"call.takes({before.name}{length});")
    executed = f"executed_{function.entry_name(large)}" if executed_here else f"bowline_P{function.entry_name(large)}"
    lines.append(f"const int code = {executed}({arguments});")
    if function.name in COMPLETIONS:
        lines.append(_completed(function))
    if before:
        lines.append("call.taken();")
    if learns(function):
        lines.append("call.learns();")
    if function.name == "MPI_Win_fence":
        lines.append("call.fenced(win, code);")
    if after:
        lines += ["if (code == MPI_SUCCESS) {", *("  " + line for line in after), "}"]
    lines.append("return code;")
    return "\n".join([_signature(function, large) + " {", *("  " + line for line in lines), "}"])


def _before(function):
    if kept := statuses(function):
        length = f", {next(p.length for p in function.parameters if p.kind == 'REQUEST')}" if kept.is_array else ""
        yield f"checking::KeptStatuses statuses({kept.name}{length});"
    if function.name in RECEIVES:
        yield "call.receives(comm, source, tag);"
    if function.name.startswith("MPI_Request_get_status"):
        requests = next(p for p in function.parameters if p.kind == "REQUEST")
        yield f"call.may_be_told({requests.name}, {requests.length});" if requests.is_array else (
            f"call.may_be_told(&{requests.name});")
    if function.name == "MPI_Win_free":
        yield "call.frees(win);"
    if tells(function):
        yield "call.tells();"


def _completed(function):
    """The line that finds out which receives among the requests have been completed."""
    known = {"MPI_Waitany": "indx, 1", "MPI_Testany": "indx, 1", "MPI_Waitsome": "array_of_indices, *outcount",
             "MPI_Testsome": "array_of_indices, *outcount"}.get(function.name)
    return f"if (code == MPI_SUCCESS) call.completed_receives(statuses{', ' + known if known else ''});"


def _received(function):
    found = "if (*flag != 0) " if function.find("LOGICAL", "flag", "out") else ""
    if function.find("REQUEST", intent="out"):
        yield "call.began_receive(*request);"
    else:
        yield f"{found}call.received(statuses);"


def _one_sided(function):
    """What the record of a window is told."""
    kind = ACCESSES.get(function.name)
    if kind:
        counted = function.find("RANK_NNI", "target_rank") and any(
            p.name == "target_count" for p in function.parameters)
        place = "{target_rank, target_disp, " + ("target_count, target_datatype}" if counted else "1, datatype}")
        if kind == "put":
            yield f"call.puts(win, {place}, origin_addr, origin_count, origin_datatype);"
        else:
            op = "op" if function.find("OPERATION", "op") else "MPI_OP_NULL"
            requested = ", true" if function.name.startswith("MPI_Rget") else ""
            yield f"call.accesses(win, {place}, checking::WindowAccess::Kind::{kind}, {op}{requested});"
    if function.name in SYNCHRONIZATION:
        yield f"call.{SYNCHRONIZATION[function.name]};"


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
    if function.name in RECEIVES:
        yield from _received(function)
    if function.name == "MPI_Barrier":
        yield "call.passed_barrier(comm);"
    yield from _one_sided(function)
