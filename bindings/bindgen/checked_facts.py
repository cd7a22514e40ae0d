# SPDX-License-Identifier: BSD-3-Clause
"""What BOWLINE_CHECK has to know of MPI functions: which objects they make, which buffers they use, and by which of
them processes learn of each other. It follows from the kinds and intents of their parameters."""

from . import chapters, collectives

# Handles of objects that the user has to free or to complete.
KINDS = {"COMMUNICATOR", "DATATYPE", "FILE", "GROUP", "MESSAGE", "OPERATION", "REQUEST", "WINDOW"}

# They give objects that the user does not free.
GIVES_WHAT_STAYS = {"MPI_Comm_get_parent", "MPI_Type_get_value_index", "MPI_Type_match_size",
                    "MPI_Type_create_f90_integer", "MPI_Type_create_f90_real", "MPI_Type_create_f90_complex"}

# Their buffers are in use for the time of the call, or until the request that the call makes is completed.
CHAPTERS_WITH_BUFFERS = {"Point-to-point communication and requests", "Buffered sends"} | collectives.CHAPTERS
# They have bodies of their own, whose messages say of what kind their data are (api/point_to_point/checked_sends.hpp).
WITH_BODIES_OF_THEIR_OWN = {"MPI_Send", "MPI_Ssend", "MPI_Rsend", "MPI_Isend", "MPI_Issend", "MPI_Irsend",
                            "MPI_Sendrecv", "MPI_Isendrecv", "MPI_Sendrecv_replace", "MPI_Isendrecv_replace"}

ONE_SIDED = "One-sided communication"
# They complete one-sided operations, as far as the buffers at the origin are concerned.
SYNCHRONIZING = {"MPI_Win_fence", "MPI_Win_complete", "MPI_Win_unlock", "MPI_Win_unlock_all", "MPI_Win_flush",
                 "MPI_Win_flush_all", "MPI_Win_flush_local", "MPI_Win_flush_local_all"}
NUMBER_OF_ELEMENTS = "POLYXFER_NUM_ELEM_NNI"

# What a process may learn of others, and tell them: by communication, and by functions that several call together.
COMMUNICATING = {"Point-to-point communication and requests", "Buffered sends", "Partitioned communication", "Files",
                 "Dynamic processes"}
TOGETHER = {"MPI_Comm_free", "MPI_Win_free", "MPIX_Comm_agree", "MPIX_Comm_iagree", "MPIX_Comm_agree_failed"}
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


# The buffers into which non-blocking functions receive: of one block, or of a block from each member. Not that of a
# reduce-scatter, which is longer in place, nor that of an exscan, which means nothing at rank 0.
RESULTS = {"MPI_Irecv": "buf", "MPI_Imrecv": "buf", "MPI_Isendrecv": "recvbuf", "MPI_Rget": "origin_addr",
           "MPI_Get": "origin_addr"}
OF_ALL_MEMBERS = {"allgather", "alltoall", "gather"}
OF_ONE_MEMBER = {"bcast", "scatter", "reduce", "allreduce", "scan"}
IN_BLOCKS = {"allgatherv", "alltoallv", "gatherv"}


def result(function):
    """The buffer that gets a stand-in, and the C++ expression for its address; None if there is none."""
    if collectives.form(function) == "nonblocking":
        return _collective_result(function)
    if function.name not in RESULTS:
        return None
    buffer, count, datatype = next(b for b in buffers(function) if b[0].name == RESULTS[function.name])
    return buffer, f"call.into({buffer.name}, {count.name}, {datatype.name})"


def _collective_result(function):
    operation = collectives.operation(function)
    buffer = next((p for p in function.parameters if p.kind == "BUFFER" and p.intent != "in"), None)
    if operation in IN_BLOCKS:
        counts, displacements, datatype = _three_after(function, buffer)
        address = f"call.into(comm, {buffer.name}, CountArray({counts}), CountArray({displacements}), {datatype})"
    elif operation in OF_ALL_MEMBERS | OF_ONE_MEMBER:
        count, datatype = _three_after(function, buffer)[:2]
        number = "all" if operation in OF_ALL_MEMBERS else "one"
        address = f"call.into({buffer.name}, call.of_{number}(comm, {count}), {datatype})"
    else:
        return None
    if operation == "bcast":
        address = f"call.is_root(comm, root) ? {buffer.name} : {address}"
    elif buffer.root_only:
        address = f"call.is_root(comm, root) ? {address} : {buffer.name}"
    return buffer, address


def _three_after(function, buffer):
    place = function.parameters.index(buffer)
    return [p.name for p in function.parameters[place + 1:place + 4]]


def is_one(function):
    return bool(function.returns_code and (made(function) or taken(function) or list(buffers(function))
                                           or function.name in SYNCHRONIZING or learns(function) or tells(function)))
