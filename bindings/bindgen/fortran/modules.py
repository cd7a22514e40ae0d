# SPDX-License-Identifier: BSD-3-Clause
"""Writes the modules mpi and mpi_f08, and those that they share. They hold interfaces only: every procedure is in
libmpifort_abi, so nothing has to be linked that a compiler has made of the modules."""

from . import callbacks, constants, conversions
from .interfaces import BY_DESCRIPTOR, WITHOUT_INTERFACE, Style, any_type, body, has_interface, ierror
from .predefined import HANDLE_TYPES, comparison_name, sizes
from .procedures import returns_address
from .source import indented, wrapped

NOTICE = """\
! SPDX-License-Identifier: BSD-3-Clause
! Written by bindings/bindgen.py: do not edit. {purpose}
"""


def files(api, choice):
    """The sources by name. `choice`: how choice buffers are passed. There is no mpi_f08 without interfaces."""
    result = {"mpi_abi_types.f90": _types(api, choice), "mpi.f90": _mpi(api, Style(False, choice)),
              "mpi_ext.f90": _extensions(api, Style(False, choice))}
    if choice != WITHOUT_INTERFACE:
        result |= {"mpi_abi_callbacks.f90": _callbacks(), "mpi_f08.f90": _mpi_f08(api, Style(True, choice)),
                   "mpi_f08_ext.f90": _extensions(api, Style(True, choice))}
    return result


def _module(name, purpose, lines):
    text = "\n".join([f"module {name}", *indented(lines), f"end module {name}", ""])
    return NOTICE.format(purpose=purpose) + text


def _interface(name, bodies, kind="interface"):
    yield f"{kind} {name}".rstrip()
    yield from indented([line for lines in bodies for line in lines])
    yield f"end interface{' ' + name if name and not name.startswith('operator') else ''}"


# ---- what both modules have

def _types(api, choice):
    lines = ["implicit none", "public", ""]
    for number in constants.numbers(api):
        kind = f"(kind={number.kind})" if number.kind else ""
        lines.append(f"integer{kind}, parameter :: {number.name} = {number.value}")
    lines.append("")
    for type_ in HANDLE_TYPES:
        lines += [f"type, bind(C) :: {type_}", "  integer :: MPI_VAL", f"end type {type_}"]
    lines += ["type, bind(C) :: MPI_Status", "  integer :: MPI_SOURCE, MPI_TAG, MPI_ERROR",
              "  integer, private :: internal(MPI_STATUS_SIZE - 3)", "end type MPI_Status", ""]
    for sentinel in constants.SENTINELS:
        lines += _sentinel(sentinel, choice)
    lines.append("")
    for operator, name in (("==", "eq"), ("/=", "ne")):
        lines += _interface(f"operator({operator})", [_comparison(type_, name) for type_ in HANDLE_TYPES])
    return _module("mpi_abi_types", "Types, numbers and variables of both modules.", lines)


def _sentinel(sentinel, choice):
    """A variable in the library, so that all parts of a program use the same; or, for old compilers, in a COMMON block,
    which the linker merges with that variable."""
    type_ = sentinel.type + (", target" if sentinel.target else "")
    name = sentinel.name + sentinel.shape
    if choice == BY_DESCRIPTOR:
        return wrapped(f'{type_}, bind(C, name="{sentinel.symbol}") :: {name}')
    return [f"{type_} :: {name}", f"common /{sentinel.common}/ {sentinel.name}"]


def _comparison(type_, operator):
    name = comparison_name(type_, operator)
    return [f"elemental function {name}(a, b)", f"  import :: {type_}", f"  type({type_}), intent(in) :: a, b",
            f"  logical :: {name}", "end function"]


def _callbacks():
    bodies = [callbacks.body(name, arguments) for name, arguments in callbacks.callbacks()]
    lines = ["use mpi_abi_types", "implicit none", "", *_interface("", bodies, "abstract interface")]
    return _module("mpi_abi_callbacks", "The types of callbacks, for mpi_f08.", lines)


# ---- the module mpi

def _mpi(api, style):
    lines = ["use mpi_abi_types", "implicit none", "public", ""]
    for handle in constants.handles(api):
        lines.append(f"integer, parameter :: {handle.name} = {handle.value}")
    lines += _features(False)
    lines += [line for s in constants.STATUS_SENTINELS for line in _sentinel(s, style.choice)]
    bodies = [callbacks.body(name, arguments) for name, arguments in callbacks.predefined(False)]
    externals, generics = [], []
    for prefix in ("", "P"):
        for f in api.functions:
            if not conversions.is_fortran(f):
                continue
            if not has_interface(f, style):
                externals.append(f"external :: {prefix}{f.name}")
            elif returns_address(f):
                generics += _by_address_or_pointer(api, f, prefix, style)
            else:
                bodies.append(body(api, f, False, style, prefix))
        bodies += [_status_conversion(prefix, n, n, style) for n in ("MPI_Status_f2f08", "MPI_Status_f082f")]
        if style.choice == WITHOUT_INTERFACE:
            externals.append(f"external :: {prefix}MPI_F_sync_reg")
        else:
            bodies.append(_sync_reg(prefix, "MPI_F_sync_reg", False))
            generics += _sizeof(prefix, style)
    lines += ["", *externals, "", *_interface("", bodies), *generics]
    return _module("mpi", "The module mpi.", lines)


def _by_address_or_pointer(api, function, prefix, style):
    """A function that returns an address, as a number or as a TYPE(C_PTR) (MPI-5.0, section 9.2)."""
    number = list(body(api, function, False, style, prefix))
    pointer = list(body(api, function, False, Pointers(False, style.choice), prefix, function.name + "_cptr"))
    return _interface(prefix + function.name, [number, pointer])


class Pointers(Style):
    """The module mpi, but addresses are pointers of C."""

    def fortran_type(self, api, parameter, large):
        return "type(C_PTR)" if parameter.kind == "C_BUFFER" else super().fortran_type(api, parameter, large)


def _features(supported):
    value = ".true." if supported else ".false."
    return [f"logical, parameter :: {name} = {value}"
            for name in ("MPI_SUBARRAYS_SUPPORTED", "MPI_ASYNC_PROTECTS_NONBLOCKING")]


# ---- the module mpi_f08

def _mpi_f08(api, style):
    lines = ["use mpi_abi_callbacks", "implicit none", "public", ""]
    for handle in constants.handles(api):
        lines.append(f"type({handle.type}), parameter :: {handle.name} = {handle.type}({handle.value})")
    lines += _features(style.choice == BY_DESCRIPTOR)
    lines += [line for s in constants.F08_STATUS_SENTINELS for line in _sentinel(s, style.choice)]
    bodies = [callbacks.body(name, arguments) for name, arguments in callbacks.predefined(True)]
    lines += ["", *_interface("", bodies)]
    for prefix in ("", "P"):
        for f in api.functions:
            if conversions.is_f08(f):
                lines += _generics(api, f, style, prefix)
        described = style.choice == BY_DESCRIPTOR
        sync_reg = _sync_reg(prefix, "MPI_F_sync_reg" + ("_f08ts" if described else "_f08"), described)
        lines += _interface(prefix + "MPI_F_sync_reg", [sync_reg])
        for name in ("MPI_Status_f2f08", "MPI_Status_f082f"):
            lines += _interface(prefix + name, [_status_conversion(prefix, name, name + "_f08", style)])
        lines += _sizeof(prefix, style)
    return _module("mpi_f08", "The module mpi_f08.", lines)


# ---- extensions: the modules mpi_ext and mpi_f08_ext, beside mpi and mpi_f08

def _extensions(api, style):
    lines = ["use mpi_abi_types, only: MPI_Comm, MPI_Group, MPI_Request", ""] if style.f08 else []
    lines += ["implicit none", "public", ""]
    lines += [f"integer, parameter :: {number.name} = {number.value}" for number in constants.extensions(api)]
    lines.append("")
    for prefix in ("", "P"):
        for function in api.extensions.under_all_names():
            lines += _interface(prefix + function.name, [body(api, function, False, style, prefix)])
    name = "mpi_f08_ext" if style.f08 else "mpi_ext"
    return _module(name, f"The module {name}: what Bowline adds to MPI.", lines)


# ---- both

def _generics(api, function, style, prefix):
    """One generic name for both counts, where the compiler can tell them apart."""
    small = list(body(api, function, False, style, prefix))
    if not function.has_large:
        return _interface(prefix + function.name, [small])
    large = list(body(api, function, True, style, prefix))
    if is_callable_as_c(function):
        return [*_interface(prefix + function.name, [small]), *_interface(prefix + function.name + "_c", [large])]
    if are_told_apart(api, function, style):
        return _interface(prefix + function.name, [small, large])
    return _interface(prefix + function.name, [small])


def is_callable_as_c(function):
    """Functions whose two forms differ by the interface of a callback only."""
    return any(p.kind == "POLYFUNCTION" for p in function.parameters)


def are_told_apart(api, function, style):
    if len(conversions.parameters(function, False)) != len(conversions.parameters(function, True)):
        return True
    def kinds(large):
        types = [style.fortran_type(api, p, large) or "" for p in conversions.parameters(function, large)]
        return [type_.replace("MPI_COUNT_KIND", "8").replace("MPI_ADDRESS_KIND", "8") for type_ in types]
    return kinds(False) != kinds(True)


# ---- procedures without a counterpart in C

def _sync_reg(prefix, name, with_descriptors):
    if with_descriptors:
        return [f'subroutine {prefix}{name}(buf) bind(C, name="{(prefix + name).lower()}_")',
                "  type(*), dimension(..), asynchronous :: buf", "end subroutine"]
    return [f"subroutine {prefix}{name}(buf)", *any_type("type(*) :: {}(*)", "buf"), "end subroutine"]


def _status_conversion(prefix, generic, name, style):
    to_f08 = generic.endswith("f2f08")
    arguments = ["f_status", "f08_status"] if to_f08 else ["f08_status", "f_status"]
    declared = {"f_status": "integer{} :: f_status(MPI_STATUS_SIZE)",
                "f08_status": "type(MPI_Status){} :: f08_status"}
    yield f"subroutine {prefix}{name}({', '.join(arguments)}, ierror)"
    yield "  import :: MPI_Status, MPI_STATUS_SIZE"
    for argument, intent in zip(arguments, ("in", "out")):
        yield "  " + declared[argument].format(f", intent({intent})")
    yield ierror(style)
    yield "end subroutine"


def _sizeof(prefix, style):
    if style.choice == BY_DESCRIPTOR:
        name = prefix + "MPI_Sizeof" + ("_f08ts" if style.f08 else "_fts")
        return _interface(prefix + "MPI_Sizeof", [[
            f'subroutine {name}(x, size, ierror) bind(C, name="{name.lower()}_")',
            "  type(*), dimension(..), intent(in) :: x", "  integer, intent(out) :: size", ierror(style),
            "end subroutine"]])
    return _interface(prefix + "MPI_Sizeof", [[
        f"subroutine {prefix}MPI_Sizeof_{type_}{kind}(x, size, ierror)", "  !DIR$ IGNORE_TKR (R) x",
        f"  {type_}(kind={kind}) :: x(*)", "  integer, intent(out) :: size",
        ierror(style), "end subroutine"] for type_, kind, _ in sizes()])
