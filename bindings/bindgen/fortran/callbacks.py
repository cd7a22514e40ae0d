# SPDX-License-Identifier: BSD-3-Clause
"""Interfaces of the callbacks (MPI-5.0, appendix A.1.3): their arguments have no INTENT there."""

ADDRESS = "integer(kind=MPI_ADDRESS_KIND)"
VALUE = "type(C_PTR), value"

# Objects with attributes or error handlers: the name of their functions, the type of their handles, the argument.
WITH_ATTRIBUTES = (("Comm", "MPI_Comm", "comm"), ("Type", "MPI_Datatype", "datatype"), ("Win", "MPI_Win", "win"))
WITH_ERRORS = (("Comm", "MPI_Comm", "comm"), ("Win", "MPI_Win", "win"), ("File", "MPI_File", "file"),
               ("Session", "MPI_Session", "session"))


def callbacks():
    """(name, [(type, arguments)]) of each type of callback, arguments in their order."""
    for suffix, count in (("", "integer"), ("_c", "integer(kind=MPI_COUNT_KIND)")):
        yield f"MPI_User_function{suffix}", [(VALUE, "invec, inoutvec"), (count, "len"),
                                             ("type(MPI_Datatype)", "datatype")]
        yield f"MPI_Datarep_conversion_function{suffix}", [
            (VALUE, "userbuf"), ("type(MPI_Datatype)", "datatype"), (count, "count"), (VALUE, "filebuf"),
            ("integer(kind=MPI_OFFSET_KIND)", "position"), (ADDRESS, "extra_state"), ("integer", "ierror")]
    yield "MPI_Datarep_extent_function", [("type(MPI_Datatype)", "datatype"), (ADDRESS, "extent, extra_state"),
                                          ("integer", "ierror")]
    for object_, type_, name in WITH_ATTRIBUTES:
        yield f"MPI_{object_}_copy_attr_function", copy_arguments(object_, f"type({type_})", "old" + name, ADDRESS)
        yield f"MPI_{object_}_delete_attr_function", delete_arguments(object_, f"type({type_})", name, ADDRESS)
    for object_, type_, name in WITH_ERRORS:
        yield f"MPI_{object_}_errhandler_function", [(f"type({type_})", name), ("integer", "error_code")]
    yield "MPI_Grequest_query_function", [(ADDRESS, "extra_state"), ("type(MPI_Status)", "status"),
                                          ("integer", "ierror")]
    yield "MPI_Grequest_free_function", [(ADDRESS, "extra_state"), ("integer", "ierror")]
    yield "MPI_Grequest_cancel_function", [(ADDRESS, "extra_state"), ("logical", "complete"), ("integer", "ierror")]


def copy_arguments(object_, handle, name, number):
    name = "oldtype" if name == "olddatatype" else name
    return [(handle, name), ("integer", f"{object_.lower()}_keyval"),
            (number, "extra_state, attribute_val_in, attribute_val_out"), ("logical", "flag"), ("integer", "ierror")]


def delete_arguments(object_, handle, name, number):
    return [(handle, name), ("integer", f"{object_.lower()}_keyval"), (number, "attribute_val, extra_state"),
            ("integer", "ierror")]


def predefined(f08):
    """(name, the arguments) of the callbacks that MPI provides."""
    types = dict(callbacks())
    for object_, type_, name in WITH_ATTRIBUTES:
        if f08:
            copy = types[f"MPI_{object_}_copy_attr_function"]
            delete = types[f"MPI_{object_}_delete_attr_function"]
        else:
            copy = copy_arguments(object_, "integer", "old" + name, ADDRESS)
            delete = delete_arguments(object_, "integer", name, ADDRESS)
        prefix = f"MPI_{object_.upper()}"
        yield from ((f"{prefix}_NULL_COPY_FN", copy), (f"{prefix}_DUP_FN", copy), (f"{prefix}_NULL_DELETE_FN", delete))
    if not f08:
        copy = copy_arguments("Comm", "integer", "oldcomm", "integer")
        yield from (("MPI_NULL_COPY_FN", copy), ("MPI_DUP_FN", copy))
        yield "MPI_NULL_DELETE_FN", delete_arguments("Comm", "integer", "comm", "integer")
    for suffix in ("", "_c"):
        arguments = types[f"MPI_Datarep_conversion_function{suffix}"]
        if not f08:
            arguments = [("integer" if "MPI_Datatype" in type_ else type_, names) for type_, names in arguments]
        yield f"MPI_CONVERSION_FN_NULL{suffix.upper()}", arguments


def body(name, arguments):
    """The lines of an interface body."""
    text = " ".join(type_ for type_, _ in arguments)
    yield f"subroutine {name}({', '.join(names for _, names in arguments)})"
    if "C_PTR" in text:
        yield "  use, intrinsic :: iso_c_binding, only: C_PTR"
    needed = sorted({word.strip("(),=") for type_ in text.split() for word in type_.replace("=", "(").split("(")
                     if word.startswith("MPI_")})
    if needed:
        yield f"  import :: {', '.join(needed)}"
    for type_, names in arguments:
        yield f"  {type_} :: {names}"
    yield "end subroutine"
