# SPDX-License-Identifier: BSD-3-Clause
"""How a Fortran argument becomes a C argument: the C++ declaration that receives it, and the expression that converts
it with the classes and functions of fortran/procedures/. Decided by the kind of the parameter, where that is too little
by the name of the function."""

import re

HANDLES = {
    "COMMUNICATOR": "MPI_Comm", "DATATYPE": "MPI_Datatype", "ERRHANDLER": "MPI_Errhandler", "FILE": "MPI_File",
    "GROUP": "MPI_Group", "INFO": "MPI_Info", "MESSAGE": "MPI_Message", "OPERATION": "MPI_Op",
    "REQUEST": "MPI_Request", "SESSION": "MPI_Session", "WINDOW": "MPI_Win",
}
FUNCTIONS = {"FUNCTION", "FUNCTION_SMALL", "POLYFUNCTION"}
LOGICALS = {"LOGICAL", "LOGICAL_BOOLEAN"}
STRINGS = {"STRING", "STRING_ARRAY", "STRING_2DARRAY"}
# Parameters of C that Fortran does not have.
C_ONLY = {"ARGUMENT_COUNT", "ARGUMENT_LIST", "VARARGS"}

# The C++ type behind the address that Fortran passes, where it is not that of the C parameter.
FORTRAN_TYPES = {"ATTRIBUTE_VAL": "MPI_Aint", "ATTRIBUTE_VAL_10": "MPI_Fint", "EXTRA_STATE": "MPI_Aint",
                 "EXTRA_STATE2": "MPI_Fint", "STATUS": "MPI_Fint", "STRING": "char", "STRING_ARRAY": "char",
                 "STRING_2DARRAY": "char"}

# Procedures whose conversions are hand-written, in fortran/procedures/: callbacks, attributes, arrays of strings, and a
# result that is written after the call has returned.
WRITTEN = re.compile(r"MPIX?_(\w+_create_(keyval|errhandler)|Keyval_create|Op_create|Grequest_start|Register_datarep"
                     r"|\w+_[gs]et_attr|Attr_(get|put)|Comm_spawn(_multiple)?|Comm_idup(_with_info)?"
                     r"|Comm_ishrink)$")

# Functions whose results are indices of array elements, which Fortran counts from one.
RETURN_INDICES = re.compile(r"MPI_(Wait|Test|Request_get_status_)(any|some)$")

# Functions whose string arguments lose leading blanks too (MPI-5.0, chapter 10).
STRIP_BOTH_ENDS = re.compile(r"MPI_Info_")

# Lengths of strings that count the null character in C.
LENGTHS_WITH_END = {("MPI_Info_get_string", "buflen"), ("MPI_Session_get_nth_pset", "pset_len")}

# The room that C needs for a string that it returns, where api.json does not say it: a C++ expression.
ROOM = {("MPI_Info_get", "value"): "length_of(valuelen) + 1", ("MPI_Info_get_string", "value"): "length_of(buflen) + 1",
        ("MPI_Info_get_nthkey", "key"): "MPI_MAX_INFO_KEY", ("MPI_File_get_view", "datarep"): "MPI_MAX_DATAREP_STRING",
        ("MPI_Session_get_nth_pset", "pset_name"): "length_of(pset_len) + 1"}


def is_fortran(function):
    """Whether the standard has the function in Fortran."""
    return function.has_kinds and not function.is_tool


def is_f08(function):
    """Whether the module mpi_f08 has it: not what was deprecated before that module existed."""
    return is_fortran(function) and function.deprecated != "MPI-2.0"


def is_written(function):
    return WRITTEN.match(function.name) is not None


def has_ierror(function):
    """Whether the last argument is the error code."""
    return function.returns_code and function.name != "MPI_Pcontrol"


def parameters(function, large):
    """The parameters that Fortran has, in its order."""
    return [p for p in function.parameters if p.declaration(large) is not None and p.kind not in C_ONLY]


def base_type(parameter, large):
    """The C type of what the parameter is, points to or is an array of."""
    return re.sub(r"\bconst\b|\*", "", parameter.declaration(large).type).strip()


def is_input(parameter):
    return parameter.intent == "in"


def declaration(parameter, large):
    """The parameter of the C++ procedure: Fortran passes addresses."""
    kind, name = parameter.kind, parameter.name
    constant = "const " if is_input(parameter) and parameter.kind != "STATUS" else ""
    if kind in FUNCTIONS:
        return f"Procedure* {name}"
    if kind in HANDLES or kind in LOGICALS:
        return f"{constant}MPI_Fint* {name}"
    if kind == "BUFFER":
        constant = "const " if parameter.constant else ""
        return f"{constant}void* {name}"
    if kind.startswith("C_BUFFER") or kind == "LOGICAL_VOID":
        return f"void* {name}"
    return f"{constant}{FORTRAN_TYPES.get(kind) or base_type(parameter, large)}* {name}"


def string_lengths(function, large):
    """The hidden arguments behind all others."""
    return [f"std::size_t {p.name}_length" for p in parameters(function, large) if p.kind in STRINGS]


def allocates(function, large):
    """Whether a conversion may need memory: arrays and strings of any length."""
    return any(p.kind in STRINGS or p.is_array and (p.kind in HANDLES or p.kind in LOGICALS)
               for p in parameters(function, large))


def expression(function, parameter, large, f08):
    """The C argument."""
    kind, name = parameter.kind, parameter.name
    if kind in C_ONLY:
        return "nullptr" if "*" in parameter.declaration(large).type or parameter.is_array else "0"
    if kind in HANDLES:
        return _array_of_handles(function, parameter) if parameter.is_array else _handle(parameter, large)
    if kind in LOGICALS:
        return _logical(function, parameter)
    if kind == "STRING":
        return _string(function, parameter)
    if kind == "STATUS":
        return _status(parameter)
    if kind == "BUFFER":
        return f"{buffer_conversion(function)}({name})"
    if kind == "C_BUFFER2":
        # The other interfaces than mpi_f08 pass no variable for an address.
        return f"ResultBuffer({name})" if f08 else f"Unused({name}).place()"
    if kind == "WEIGHT":
        return f"weights_or_sentinel({name})"
    if kind == "INDEX" and RETURN_INDICES.match(function.name):
        return f"ResultIndices({name}, outcount)" if parameter.is_array else f"ResultIndex({name})"
    if (function.name, name) in LENGTHS_WITH_END:
        return f"LengthWithEnd({name})"
    return _plain(parameter, large)


def buffer_conversion(function):
    """Which of the addresses with a special meaning the buffers of the function may be."""
    if "attach_buffer" in function.name or function.name == "MPI_Buffer_attach":
        return "attached_buffer"
    names = {p.name for p in function.parameters}
    collective = "comm" in names and not names & {"dest", "source", "tag", "position"}
    return "collective_buffer" if collective else "choice_buffer"


def _plain(parameter, large):
    declared = parameter.declaration(large)
    name = parameter.name
    if declared.suffix.count("[") > 1:
        return f"triples({name})"
    pointer = parameter.is_array or "*" in declared.type or declared.suffix
    return name if pointer else f"*{name}"


def _handle(parameter, large):
    type_, name = HANDLES[parameter.kind], parameter.name
    if parameter.intent == "out":
        return f"ResultHandle<{type_}>({name})"
    if parameter.intent == "inout":
        return f"UpdatedHandle<{type_}>({name})"
    if "*" in parameter.declaration(large).type:
        return f"HandleCopy<{type_}>({name})"
    return f"handle<{type_}>({name})"


def _array_of_handles(function, parameter):
    type_, name = HANDLES[parameter.kind], parameter.name
    class_ = {"in": "Handles", "inout": "UpdatedHandles", "out": "ResultHandles"}[parameter.intent]
    return f"{class_}<{type_}>({name}, {array_length(function, parameter)})"


def array_length(function, parameter):
    """The number of elements of an array that has to be converted: a C++ expression."""
    if parameter.length != "*":
        return f"length_of({parameter.length})"
    if function.name == "MPI_Cart_sub":
        return "dimensions(comm)"
    side = parameter.name.removesuffix("types")  # "send" or "recv"
    if "eighbor" in function.name:
        return f"{'destinations' if side == 'send' else 'sources'}(comm)"
    return f"members(comm, {side}buf)"


def _logical(function, parameter):
    name = parameter.name
    if parameter.is_array:
        class_ = "Logicals" if is_input(parameter) else "ResultLogicals"
        return f"{class_}({name}, {array_length(function, parameter)})"
    return f"logical({name})" if is_input(parameter) else f"ResultLogical({name})"


def _string(function, parameter):
    name = parameter.name
    if is_input(parameter):
        class_ = "StrippedText" if STRIP_BOTH_ENDS.match(function.name) else "Text"
        return f"{class_}({name}, {name}_length)"
    room = ROOM.get((function.name, name)) or parameter.length
    return f"ResultText({name}, {name}_length, {room})"


def _status(parameter):
    if parameter.intent != "out":
        return f"given_status({parameter.name})"
    return f"{'statuses' if parameter.is_array else 'status'}_or_ignore({parameter.name})"
