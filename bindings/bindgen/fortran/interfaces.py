# SPDX-License-Identifier: BSD-3-Clause
"""Interface bodies of the procedures, for the modules mpi and mpi_f08 (MPI-5.0, appendix A.4 and A.5)."""

import re
from dataclasses import dataclass

from . import conversions, descriptors
from .source import wrapped

# Kinds whose results may be written to a variable that only stands for "do not", which forbids INTENT(OUT).
MAY_BE_IGNORED = {"STATUS", "WEIGHT"}

# api.json writes Fortran's keywords in capital letters.
KEYWORDS = re.compile(r"\b(INTEGER|TYPE|LOGICAL|KIND|DOUBLE PRECISION)\b")

# Non-blocking in the sense of ASYNCHRONOUS, without a note in api.json.
PARTITIONED = {"MPI_Psend_init", "MPI_Precv_init"}

# The directives by which a choice buffer of any type and rank is passed by address, for every compiler.
ANY_TYPE = ("!DIR$ IGNORE_TKR {0}", "!GCC$ ATTRIBUTES NO_ARG_CHECK :: {0}", "!DEC$ ATTRIBUTES NO_ARG_CHECK :: {0}")


# How choice buffers can be passed: by descriptor; by address, after directives that make the compiler take any type; or
# by address, to procedures whose interfaces the compiler does not know.
BY_DESCRIPTOR, BY_ADDRESS, WITHOUT_INTERFACE = "descriptors", "addresses", "externals"


@dataclass(frozen=True)
class Style:
    """How a module declares procedures."""

    f08: bool
    choice: str = BY_ADDRESS  # how choice buffers are passed

    def fortran_type(self, api, parameter, large):
        kind = api.kinds[parameter.kind]
        if self.f08:
            return kind.f08_large if large else kind.f08
        return kind.f90_large if large else kind.f90


def has_interface(function, style):
    """Whether the compiler can be told the interface of the procedure."""
    any_type = {"BUFFER", "C_BUFFER2", "LOGICAL_VOID"}
    return style.choice != WITHOUT_INTERFACE or not any(p.kind in any_type for p in function.parameters)


def uses_descriptors(function, style):
    """Only mpi_f08 passes descriptors of buffers."""
    return style.f08 and style.choice == BY_DESCRIPTOR and descriptors.has_buffers(function)


def specific_name(function, large, style):
    """The name of the specific procedure (MPI-5.0, table 19.1)."""
    name = function.entry_name(large)
    if not style.f08:
        return name
    return name + ("_f08ts" if uses_descriptors(function, style) else "_f08")


def body(api, function, large, style, prefix="", name=None):
    """The lines of an interface body. `prefix`: "P" for the profiling name."""
    name = prefix + (name or specific_name(function, large, style))
    parameters = conversions.parameters(function, large)
    names = [p.standard_name for p in parameters]
    is_function = not function.returns_code
    if conversions.has_ierror(function):
        names.append("ierror")
    binding = f' bind(C, name="{name.lower()}_")' if uses_descriptors(function, style) else ""
    unit = "function" if is_function else "subroutine"
    yield from wrapped(f"{unit} {name}({', '.join(names)}){binding}")
    yield from _imports(api, parameters, large, style, is_function and function.returns)
    if is_function:
        yield f"  {_result_type(function)} :: {name}"
    for p in parameters:
        yield from declaration(api, function, p, large, style)
    if conversions.has_ierror(function):
        yield ierror(style)
    yield f"end {unit}"


def ierror(style):
    """The declaration of the error code. That it is optional in the module mpi too goes beyond the standard."""
    return f"  integer, optional{', intent(out)' if style.f08 else ''} :: ierror"


def _result_type(function):
    return "double precision" if function.returns == "double" else "integer(kind=MPI_ADDRESS_KIND)"


def _imports(api, parameters, large, style, returns):
    text = " ".join(_type(api, p, large, style) for p in parameters)
    if "C_PTR" in text.upper():
        yield "  use, intrinsic :: iso_c_binding, only: C_PTR"
    needed = set(re.findall(r"MPI_\w+", text)) | ({"MPI_ADDRESS_KIND"} if returns == "MPI_Aint" else set())
    if not style.f08 and any(p.kind == "STATUS" for p in parameters):
        needed.add("MPI_STATUS_SIZE")
    if needed:
        yield from wrapped("  import :: " + ", ".join(sorted(needed)))


def _type(api, parameter, large, style):
    """The type in its declaration, without attributes."""
    kind = parameter.kind
    if kind in conversions.FUNCTIONS:
        # The large form of a function that exists in one form only has no suffix.
        suffix = "_c" if large and kind == "POLYFUNCTION" else ""
        return f"procedure({parameter.callback}{suffix})" if style.f08 else "external"
    if kind == "BUFFER" or kind == "C_BUFFER2" and not style.f08:
        return "type(*)"
    if kind == "LOGICAL_VOID":
        return "type(*)"
    if kind in conversions.STRINGS:
        return "character(len=*)"
    return KEYWORDS.sub(lambda word: word[0].lower(), style.fortran_type(api, parameter, large))


def declaration(api, function, parameter, large, style):
    name, kind = parameter.standard_name, parameter.kind
    type_ = _type(api, parameter, large, style)
    if type_ == "external":
        yield f"  external :: {name}"
        return
    if type_ == "type(*)" and kind != "LOGICAL_VOID":
        yield from _buffer(function, parameter, style)
        return
    if kind == "LOGICAL_VOID":
        yield from any_type("type(*) :: {}(*)", name)
        return
    attributes = [type_] + (_attributes(parameter) if style.f08 else [])
    yield from wrapped(f"  {', '.join(attributes)} :: {name}{_shape(parameter, style)}")


def _buffer(function, parameter, style):
    name = parameter.standard_name
    attributes = _buffer_attributes(function, parameter) if style.f08 else []
    if uses_descriptors(function, style):
        yield f"  {', '.join(['type(*), dimension(..)', *attributes])} :: {name}"
    else:
        yield from any_type(f"{', '.join(['type(*)', *attributes])} :: {{}}(*)", name)


def any_type(text, name):
    """The declaration of a choice buffer that is passed by address."""
    for directive in ANY_TYPE:
        yield "  " + directive.format(name)
    yield "  " + text.format(name)


def _buffer_attributes(function, parameter):
    attributes = ["intent(in)"] if parameter.constant else []
    if parameter.asynchronous or function.name in PARTITIONED:
        attributes.append("asynchronous")
    return attributes


def _attributes(parameter):
    kind = parameter.kind
    attributes = []
    is_result = parameter.intent == "out"
    ignorable = kind in MAY_BE_IGNORED or parameter.name == "array_of_errcodes"
    if kind not in conversions.FUNCTIONS and not (is_result and ignorable):
        attributes.append(f"intent({parameter.intent})")
    if parameter.asynchronous:
        attributes.append("asynchronous")
    return attributes


def _shape(parameter, style):
    if parameter.kind == "STATUS":
        first = "" if style.f08 else "MPI_STATUS_SIZE"
        sizes = [size for size in (first, "*" if parameter.is_array else "") if size]
        return f"({', '.join(sizes)})" if sizes else ""
    if parameter.kind == "STRING_2DARRAY":
        return "(count, *)"
    if parameter.kind == "STRING_ARRAY":
        return "(*)"
    if not parameter.is_array or parameter.kind == "STRING":
        return ""
    if (parameter.length or "").startswith("["):
        return f"(3, {'*' if not style.f08 else parameter.length[1:]})"
    explicit = style.f08 and parameter.length not in ("*", "", None)
    return f"({parameter.length})" if explicit else "(*)"
