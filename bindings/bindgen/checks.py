# SPDX-License-Identifier: BSD-3-Clause
"""Which validator of src/api/entry/validators.hpp each argument goes through: decided by the kind, where that is
too little by the name of the parameter, and only in the last resort by the function."""

from . import bodies, chapters, collectives

RECEIVES = {"MPI_Recv", "MPI_Irecv", "MPI_Recv_init", "MPI_Probe", "MPI_Iprobe", "MPI_Mprobe", "MPI_Improbe"}
RECEIVES_MESSAGES = {"MPI_Mrecv", "MPI_Imrecv"}

# Pointers that may be null, or one of MPI's special addresses.
OPTIONAL_RESULTS = {"STATUS", "BUFFER", "ARGUMENT_COUNT", "ARGUMENT_LIST", "LOGICAL_OPTIONAL", "LOGICAL_VOID"}
LENGTHS_OF_STRINGS = {"STRING_LENGTH", "INFO_VALUE_LENGTH"}


def is_transfer(function):
    """Whether data of the call itself goes to or comes from a named rank."""
    return any(p.kind == "BUFFER" for p in function.parameters) and any(
        p.kind == "RANK" and p.name in ("dest", "source") for p in function.parameters)


def uses_data(function):
    """Whether the call reads or writes user data through its datatypes, which then have to be committed."""
    return any(p.kind == "BUFFER" for p in function.parameters) or function.name == "MPI_File_set_view"


def has_two_sides(function):
    """Whether it is a collective operation where MPI_IN_PLACE makes the datatype and count of one side meaningless."""
    names = {p.name for p in function.parameters}
    return {"sendbuf", "recvbuf", "recvtype", "sendtype"} <= names and "comm" in names and "dest" not in names


def is_rooted(function):
    return collectives.has_root(function) and any(
        p.root_only and p.kind in ("DATATYPE", "POLYXFER_NUM_ELEM_NNI") for p in function.parameters)


def is_intra_only(function):
    """Whether an intercommunicator is refused."""
    return (chapters.function_chapter(function.name) in ("Topologies", "One-sided communication")
            or collectives.is_intra_only(function) or function.name == "MPI_File_open")


def length_of(function, datatype):
    """The number of elements in a message or a broadcast whose data the datatype describes; None in other functions."""
    if not is_transfer(function) and function.name not in RECEIVES_MESSAGES and _operation(function) != "bcast":
        return None
    return function.parameters[function.parameters.index(datatype) - 1]


def significance(function, parameter):
    """The C++ condition under which an argument of a collective operation is significant; None means always."""
    conditions = []
    if is_rooted(function):
        conditions.append("at_root" if parameter.root_only else "at_leaf")
    elif collectives.has_root(function):
        conditions.append("root != MPI_PROC_NULL")
    if parameter.name.startswith("origin") and "Get_accumulate" in function.name.replace("Rget", "Get"):
        conditions.append("op != MPI_NO_OP")
    if has_two_sides(function):
        conditions.append(f"{parameter.name[:4]}buf != MPI_IN_PLACE")
    return " && ".join(conditions) or None


def lines(function):
    """The C++ statements that turn handles into references and refuse bad arguments."""
    handles = [p for p in function.parameters if bodies.is_reference(function, p)]
    # The communicator or the file first: every later error goes to its error handler. The errors of MPI_File_open go to
    # that of MPI_FILE_NULL.
    for p in handles:
        if p.kind == "FILE":
            yield f'auto& {p.name}_ = call.file({p.name}, "{p.name}");'
        if p.kind == "COMMUNICATOR":
            method = "comm_argument" if bodies.is_on_file(function) else "comm"
            yield f'auto& {p.name}_ = call.{method}({p.name}, "{p.name}");'
            if is_intra_only(function):
                yield f'check::intra({p.name}_, "{p.name}");'
        if p.kind == "WINDOW":
            yield f'auto& {p.name}_ = call.win({p.name}, "{p.name}");'
    if collectives.has_root(function):
        yield 'check::root(root, "root", comm_);'
    if is_rooted(function):
        yield "const bool at_root = check::is_root(root, comm_);"
        yield "const bool at_leaf = check::is_leaf(root, comm_);"
    for p in handles:
        if p.kind not in ("COMMUNICATOR", "WINDOW", "FILE"):
            yield _reference(function, p)
    for p in function.parameters:
        line = _check(function, p)
        if line:
            yield line


def _reference(function, p):
    if p.kind == "DATATYPE":
        validator = "committed" if uses_data(function) else "datatype"
        condition = significance(function, p)
        length = length_of(function, p)
        if length:
            handle = f"{condition} ? {p.name} : MPI_BYTE" if condition else p.name
            return f'const auto& {p.name}_ = check::committed_for({length.name}, {handle}, "{p.name}");'
        if condition:
            return f'const auto& {p.name}_ = check::committed_if({condition}, {p.name}, "{p.name}");'
        constant = "" if function.name in bodies.CHANGES_DATATYPE else "const "
        return f'{constant}auto& {p.name}_ = check::{validator}({p.name}, "{p.name}");'
    if p.kind == "OPERATION" and collectives.has_root(function):
        return f'const auto& {p.name}_ = check::op(root != MPI_PROC_NULL ? {p.name} : MPI_SUM, "{p.name}");'
    if p.kind in ("OPERATION", "GROUP"):
        validator = "op" if p.kind == "OPERATION" else "group"
        return f'const auto& {p.name}_ = check::{validator}({p.name}, "{p.name}");'
    return f'auto& {p.name}_ = check::errhandler({p.name}, "{p.name}");'


def _check(function, p):
    name = p.name
    if bodies.is_left_to_body(function, p):
        return None
    if p.intent != "in":
        return _check_result(function, p)
    if p.is_array:
        return f'check::array({name}, {p.length}, "{name}");' if _has_known_length(function, p) else None
    if p.kind == "BUFFER":
        return _check_buffer(function, p)
    if p.kind == "INFO" and collectives.form(function):
        return f'api::hints_of({name}, "{name}");'  # only whether it is one
    if p.kind == "OPERATION":
        datatype = function.find("DATATYPE", "datatype")
        if datatype is None or not _is_reduction(function):
            return None
        condition = significance(function, p)
        return f"{f'if ({condition}) ' if condition else ''}check::defined({name}_, {datatype.name}_);"
    if p.kind == "RANK" or p.kind == "RANK_NNI" and bodies.window(function):
        return _check_rank(function, p)
    if p.kind == "TAG":
        # A status may say MPI_ANY_TAG: that of an operation which did not take place does.
        any_tag = function.name in RECEIVES or name == "recvtag" or function.name == "MPI_Status_set_tag"
        validator = "receive_tag" if any_tag else "tag"
        return f'check::{validator}({name}, "{name}");'
    if p.kind in ("STATUS", "STRING") and not p.root_only or _is_required_function(p):
        return f'check::pointer({name}, "{name}");'
    return _check_number(function, p)


def _check_number(function, p):
    if p.kind == "RMA_DISPLACEMENT_NNI":
        return f'check::displacement({p.name}, "{p.name}");'
    if "NUM_ELEM" in p.kind and p.name != "stride":
        condition = significance(function, p)
        return f"{f'if ({condition}) ' if condition else ''}check::count({p.name}, \"{p.name}\");"
    if p.kind.startswith("ARRAY_LENGTH") or p.kind.endswith("_NNI") and not p.kind.startswith("RANK"):
        validator = "count" if "count" in p.name else "positive" if p.kind.endswith("_PI") else "non_negative"
        return f'check::{validator}({p.name}, "{p.name}");' if not p.root_only else None
    return None


def _check_rank(function, p):
    window = bodies.window(function)
    if window is not None:
        return f'check::target({p.name}, "{p.name}", {window.name}_);'
    communicator = bodies.communicator(function)
    if communicator is None or p.name == "remote_leader":
        return None  # of a status or a group: the body knows what is allowed
    if p.name == "root" and collectives.has_root(function):
        return None  # done before everything whose meaning depends on the root
    validator = {"dest": "dest", "source": "source", "root": "root"}.get(p.name, "rank")
    if function.name == "MPI_Precv_init":
        validator = "dest"  # a partitioned receive has no wildcards
    return f'check::{validator}({p.name}, "{p.name}", {communicator.name}_);'


def _check_result(function, p):
    name = p.name
    if p.kind == "BUFFER":
        return _check_buffer(function, p)
    if function.is_tool or p.declaration(False) is None:
        return None
    if p.kind == "STATUS" and p.intent == "inout":
        return f'check::pointer({name}, "{name}");'
    if p.is_array:
        return f'check::array({name}, {p.length}, "{name}");' if _has_known_length(function, p) else None
    if p.kind in OPTIONAL_RESULTS:
        return None
    if p.kind == "STRING" and any(q.kind in LENGTHS_OF_STRINGS and q.intent == "inout" for q in function.parameters):
        return None  # asking for the length alone is allowed
    return f'check::pointer({name}, "{name}");'


def _check_buffer(function, p):
    """Only what a send or a receive touches: in collective operations the buffer's meaning depends on the rank."""
    if not is_transfer(function):
        return None
    after = function.parameters[function.parameters.index(p) + 1:]
    count = next((q for q in after if "NUM_ELEM" in q.kind), None)
    datatype = next((q for q in after if q.kind == "DATATYPE"), None)
    return f'check::buffer({p.name}, {count.name}, {datatype.name}_, "{p.name}");'


def _operation(function):
    return collectives.operation(function) if collectives.form(function) else None


def _has_known_length(function, p):
    return p.kind == "REQUEST" and any(q.name == p.length for q in function.parameters)


def _is_reduction(function):
    return all(p.kind != "WINDOW" for p in function.parameters)


def _is_required_function(p):
    return p.kind.startswith("FUNCTION") and ("errhandler" in p.small.type or "Grequest" in p.small.type)
