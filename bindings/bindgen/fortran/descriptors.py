# SPDX-License-Identifier: BSD-3-Clause
"""The procedures of mpi_f08 that get descriptors of their choice buffers, which may be sections of arrays.

A section that is not contiguous is passed to the C function as an address and a datatype that stand for it
(fortran/procedures/sections.hpp).

`strings`: whether they get a descriptor of a string too, and not its length behind all other arguments."""

import re

from . import conversions, tools

# Functions that use one element of each buffer.
ELEMENT = re.compile(r"MPI_(Compare_and_swap|Fetch_and_op)$")
# Functions that want the address alone.
ADDRESS = re.compile(r"MPI_(Get_address|Free_mem|Win_detach|File_\w+_end)$")
# Packed data: the parameter, and the one that says how long it is.
PACKED = {("MPI_Pack", "outbuf"): "outsize", ("MPI_Pack_external", "outbuf"): "outsize",
          ("MPI_Unpack", "inbuf"): "insize", ("MPI_Unpack_external", "inbuf"): "insize"}


def has_buffers(function):
    return any(p.kind == "BUFFER" for p in function.parameters)


def declarations(function, large, strings):
    """The parameters of the C++ procedure but for ierror, and those behind it."""
    described = ("BUFFER", "STRING") if strings else ("BUFFER",)
    return ([f"const Descriptor* {p.name}" if p.kind in described else conversions.declaration(p, large)
             for p in conversions.parameters(function, large)],
            [] if strings else conversions.string_lengths(function, large))


def statements(function, form, large, f08, strings):
    """The common case: every buffer is passed as it is."""
    buffers = [p.name for p in function.parameters if p.kind == "BUFFER"]
    if not takes_address(function):
        condition = " && ".join(f"is_plain({name})" for name in buffers)
        yield f"if (!({condition})) [[unlikely]]"
        given = _names(function, large, strings)
        if not _must_be_whole(function):
            given.insert(0, tools.callee(form, function.entry_name(large)))
        yield f"  return {sections_name(function, large)}({', '.join(given)});"
    arguments = ", ".join(_plain_argument(function, p, large, f08, strings)
                          for p in function.parameters if p.declaration(large) is not None)
    yield from tools.call(function, form, large, arguments)


def takes_address(function):
    """Whether the function wants the address of the buffer alone."""
    return ADDRESS.match(function.name) is not None


def sections_name(function, large):
    return "sections_of_" + function.entry_name(large)


def sections_procedure(function, large, f08, strings):
    """The procedure for buffers that are not contiguous, as lines."""
    declared, behind = declarations(function, large, strings)
    callee = [] if _must_be_whole(function) else [tools.callee_parameter(function, large)]
    parameters = ", ".join([*callee, *declared, "MPI_Fint* ierror", *behind])
    name = sections_name(function, large)
    yield f"[[gnu::cold, gnu::noinline]] static void {name}({parameters}) noexcept {{"
    yield from ("  " + line for line in _sections_statements(function, large, f08, strings))
    yield "}"


def _names(function, large, strings):
    declared, behind = declarations(function, large, strings)
    return [text.split()[-1] for text in (*declared, "MPI_Fint* ierror", *behind)]


def _sections_statements(function, large, f08, strings):
    entry = function.entry_name(large)
    whole = _must_be_whole(function)
    if whole:
        unused = [name for name in _names(function, large, strings) if name not in (*whole, "ierror")]
        yield from (f"static_cast<void>({name});" for name in (*unused, *whole))
        yield f'finish(ierror, refuse_section("{entry}", "{whole[0]}"));'
        return
    pairs = list(_described(function))
    lines = [f"const {class_} {object_}({', '.join(arguments)});" for object_, class_, arguments, _ in pairs]
    replaced = {name: text for *_, uses in pairs for name, text in uses.items()}
    arguments = ", ".join(_argument(function, p, large, f08, strings, replaced)
                          for p in function.parameters if p.declaration(large) is not None)
    yield f'guarded(ierror, "{entry}", [&] {{'
    yield from ("  " + line for line in lines)
    yield f"  return callee({arguments});"
    yield "});"


def _plain_argument(function, parameter, large, f08, strings):
    if parameter.kind == "BUFFER":
        return f"{conversions.buffer_conversion(function)}({parameter.name}->base)"
    if parameter.kind == "STRING" and strings:
        return f"Text({parameter.name})"
    text = conversions.expression(function, parameter, large, f08)
    buffers = [p.name for p in function.parameters if p.kind == "BUFFER"]
    return re.sub(rf"\bcomm, ({'|'.join(buffers)})\)", r"comm, \1->base)", text)


def _argument(function, parameter, large, f08, strings, replaced):
    if parameter.name in replaced:
        return replaced[parameter.name]
    return _plain_argument(function, parameter, large, f08, strings)


def _must_be_whole(function):
    """Buffers without a datatype that have to be one run of memory."""
    if any(p.kind == "DATATYPE" for p in function.parameters):
        return []
    return [p.name for p in function.parameters if p.kind == "BUFFER"]


def _described(function):
    """(object, its class, its arguments, the C arguments that it gives) for each datatype with its buffers."""
    pending = []
    for p in function.parameters:
        if (function.name, p.name) in PACKED:
            yield (p.name + "_", "PackedSection" if p.name == "outbuf" else "UnpackedSection",
                   [p.name, "*" + PACKED[function.name, p.name], "position"], {p.name: p.name + "_.address()"})
        elif p.kind == "BUFFER":
            pending.append(p.name)
        elif p.kind == "DATATYPE" and pending:
            yield from _typed(function, p, pending)
            pending = []


def _typed(function, datatype, buffers):
    if ELEMENT.match(function.name):
        for name in buffers:
            yield (name + "_", "ElementOfSection", [name, datatype.name], {name: name + "_.address()"})
    elif datatype.is_array:
        length = conversions.array_length(function, datatype).replace(buffers[0], f"{buffers[0]}->base")
        side = buffers[0]
        yield (side + "_", "SectionOfTypes", [side, datatype.name, length],
               {side: side + "_.address()", datatype.name: side + "_.datatypes()"})
    elif len(buffers) == 1:
        name = buffers[0]
        yield (name + "_", "Section", [name, datatype.name],
               {name: name + "_.address()", datatype.name: name + "_.datatype()"})
    else:
        first, second = buffers
        yield ("both", "SectionPair", [first, second, datatype.name],
               {first: "both.first()", second: "both.second()", datatype.name: "both.datatype()"})
