# SPDX-License-Identifier: BSD-3-Clause
"""The hand-written bodies: their C++ signatures, and which of them exist."""

import re

from . import collectives

# Handles that a body gets as the object behind them. Every other handle kind stays a handle.
REFERENCES = {
    "COMMUNICATOR": "comm::Communicator&",
    "DATATYPE": "const dtype::Datatype&",
    "OPERATION": "const dtype::Op&",
    "ERRHANDLER": "comm::ErrorHandler&",
    "GROUP": "const comm::Group&",
    "WINDOW": "rma::Window&",
    "FILE": "mpiio::File&",
}

# Handles that are significant at some ranks only, in a way that the body alone can know, or that may be null.
RAW_HANDLES = {("MPI_Intercomm_create", "peer_comm"), ("MPI_Intercomm_create_from_groups", "remote_group"),
               ("MPI_Comm_get_name", "comm"), ("MPI_Type_get_name", "datatype"),
               ("MPI_Win_get_name", "win"),
               ("MPI_File_set_errhandler", "file"), ("MPI_File_get_errhandler", "file"),
               ("MPI_File_call_errhandler", "fh")}

# Functions that all processes of a file call together: a process with a wrong argument must still tell the others, so
# the body checks all arguments but the file.
FILE_COLLECTIVE = re.compile(r"MPI_File_(i?(read|write)_(at_)?all(_begin)?|(read|write)_ordered(_begin)?|set_view)$")

# A line that begins the definition of a body, e.g. "void send(".
DEFINITION = re.compile(r"^(?:void|double|int|MPI_\w+) (\w+)\(", re.MULTILINE)
API_NAMESPACE = "namespace bowline::api {"


# These change the datatype that they are given: its name, its attributes.
CHANGES_DATATYPE = {"MPI_Type_set_name", "MPI_Type_set_attr", "MPI_Type_delete_attr"}


def needs_form(function):
    """Whether the body must know if the caller used the small or the large form: a datatype remembers with which it was
    made, and shows it only to the same or a larger one."""
    return function.has_large and function.name.startswith("MPI_Type_") and any(
        p.kind in ("DATATYPE", "POLYNUM_PARAM_VALUES") and p.intent == "out" for p in function.parameters)


def name(function):
    """The name of the body. The three forms of a collective operation have one."""
    return collectives.operation(function) if collectives.form(function) else function.body


def reference_type(function, parameter):
    """The C++ type of a handle that the body gets as an object."""
    if parameter.kind == "DATATYPE" and function.name in CHANGES_DATATYPE:
        return "dtype::Datatype&"
    return REFERENCES[parameter.kind]


def is_reference(function, parameter):
    return (parameter.kind in REFERENCES and parameter.intent == "in" and not parameter.is_array
            and (function.name, parameter.name) not in RAW_HANDLES and not is_left_to_body(function, parameter))


def is_left_to_body(function, parameter):
    """Whether the body checks the argument."""
    return (FILE_COLLECTIVE.match(function.name) is not None
            and (parameter.kind == "DATATYPE" or "NUM_ELEM" in parameter.kind))


def is_on_file(function):
    """Whether errors go to the error handler of a file."""
    return (function.name.startswith("MPI_File_") and function.returns_code
            and function.name != "MPI_File_create_errhandler" or function.name == "MPI_Register_datarep")


def communicator(function):
    """The parameter whose communicator hears of the call's errors, or None."""
    return next((p for p in function.parameters if p.kind == "COMMUNICATOR" and is_reference(function, p)), None)


def window(function):
    """The parameter whose window hears of the call's errors, or None."""
    return next((p for p in function.parameters if p.kind == "WINDOW" and is_reference(function, p)), None)


def is_wide_result(parameter):
    """A count that the body stores as MPI_Count, and that the small form may have to narrow."""
    return parameter.is_polymorphic and parameter.intent != "in"


def is_polymorphic_callback(parameter):
    return parameter.kind == "POLYFUNCTION"


def cpp_type(text):
    """C's "const void *buf" as the project writes it: "const void* buf"."""
    return re.sub(r"\s*(\*+)\s*", r"\1 ", text).strip()


def is_left_out(function, parameter):
    """Whether the body does not get the argument."""
    return parameter.kind == "VARARGS" or (collectives.form(function) is not None
                                           and parameter.kind in collectives.OF_THE_FORM)


def parameter_types(function):
    """(type, name, suffix) of each parameter of the body, in MPI's order."""
    if needs_form(function):
        yield "CountWidth", "form", ""
    if collectives.form(function):
        yield "CollectiveForm", "form", ""
    for p in function.parameters:
        declared = p.widest()
        if is_left_out(function, p):
            continue
        if is_reference(function, p):
            yield reference_type(function, p), p.name, ""
        elif is_polymorphic_callback(p):
            # One of the two is null: the body learns from the other which of MPI's forms it serves.
            yield cpp_type(p.small.type), p.name, ""
            yield cpp_type(p.large.type), p.name + "_c", ""
        elif p.is_polymorphic and p.is_array:
            if p.intent != "in":
                raise ValueError(f"{function.name}: no rule yet for the polymorphic array {p.name} that is written to")
            yield "CountArray", p.name, ""
        elif p.is_polymorphic:
            yield "MPI_Count" if p.intent == "in" else "MPI_Count*", p.name, ""
        else:
            yield cpp_type(declared.type), p.name, declared.suffix


def returns(function):
    return "void" if function.returns_code else function.returns


def declaration(function):
    parameters = ", ".join(f"{type_} {name}{suffix}" for type_, name, suffix in parameter_types(function))
    return f"{returns(function)} {name(function)}({parameters});"


def defined_in(source):
    """The names of the functions that a C++ file defines at the start of a line within namespace bowline::api."""
    _, opening, text = source.partition(API_NAMESPACE)
    if not opening:
        return set()
    return {m[1] for m in DEFINITION.finditer(text) if _is_definition(text, m.end())}


def _is_definition(text, position):
    """Whether a block follows the parameter list that begins at `position`: a declaration ends with a semicolon."""
    depth = 1
    while depth > 0 and position < len(text):
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        position += 1
    return re.match(r"\s*(noexcept\s*)?\{", text[position:]) is not None


def implemented(api, sources):
    """The MPI functions that have a body. `sources` maps a path to its text."""
    places = {}
    wanted = {name(f) for f in api.all_functions()}
    for path, text in sources.items():
        for body in defined_in(text) & wanted:  # the rest is help
            if body in places:
                raise ValueError(f"the body {body} is defined twice: in {places[body]} and in {path}")
            places[body] = path
    return {f.name for f in api.all_functions() if name(f) in places}
