# SPDX-License-Identifier: BSD-3-Clause
"""The calls that BOWLINE_CHECK looks at: what the C++ class CheckedCall is told of an MPI function
(src/api/checking/checked_call.hpp)."""

from . import bodies, chapters, collectives
from .checked_facts import (ACCESSES, COMPLETIONS, ONE_SIDED, RECEIVES, SYNCHRONIZATION, SYNCHRONIZING,
                            WITH_BODIES_OF_THEIR_OWN, buffers, learns, made, result, statuses, taken, tells)


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
    replaced = {kept.name: "statuses.get()"} if kept else {}
    written = result(function)
    if written:
        replaced[written[0].name] = "into"
    arguments = ", ".join(replaced.get(d.name, d.name) for d in function.c_parameters(large))
    after = list(_after(function))
    executed_here = function.name in WITH_BODIES_OF_THEIR_OWN
    plain = ", ".join(d.name for d in function.c_parameters(large))
    lines = ["const FollowedCall following;",
             f"if (!CheckedCall::is_checked()) return bowline_P{function.entry_name(large)}({plain});",
             f'CheckedCall call("{function.entry_name(large)}"{", CheckedCall::executed_here" * executed_here});']
    lines += _before(function)
    if before:
        length = f", {before.length}" if before.is_array else ""
        lines.append(f"call.takes({before.name}{length});")
    if written:
        lines.append(f"void* const into = {written[1]};")
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
        yield f"call.may_be_told({_looked_at(requests)});"
    if function.name == "MPI_Request_free":
        yield "call.frees(request);"
    if function.name == "MPI_Win_free":
        yield "call.frees(win);"
    if tells(function):
        yield "call.tells();"


def _at_the_root(function, request):
    """The buffers of which the root only reads."""
    if collectives.operation(function) == "scatter":
        yield ("if (call.is_root(comm, root)) call.uses_in(comm, sendbuf, call.of_all(comm, sendcount), sendtype, "
               f"checking::Access::reads{request});")
    else:
        yield ("call.uses_in(comm, buffer, count, datatype, call.is_root(comm, root) ? checking::Access::reads : "
               f"checking::Access::writes{request});")


def _looked_at(requests):
    return f"{requests.name}, {requests.length}" if requests.is_array else f"&{requests.name}"


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
    if collectives.form(function) and collectives.operation(function) in ("scatter", "bcast"):
        yield from _at_the_root(function, request)
    if function.name in SYNCHRONIZING:
        yield "call.synchronized(win, rank);" if function.find("RANK_NNI", "rank") else "call.synchronized(win);"
    if function.name.startswith("MPI_Request_get_status"):
        yield f"call.may_look({_looked_at(next(p for p in function.parameters if p.kind == 'REQUEST'))});"
    if result(function):
        guard = next((f"if ({name} != MPI_PROC_NULL) " for name in ("source", "target_rank") if name in {
            p.name for p in function.parameters}), "")
        yield f"{guard}call.keeps_stand_in({'*request' if request else 'win, target_rank'});"
    if function.name in RECEIVES:
        yield from _received(function)
    if function.name == "MPI_Barrier":
        yield "call.passed_barrier(comm);"
    yield from _one_sided(function)
