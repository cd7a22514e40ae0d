# SPDX-License-Identifier: BSD-3-Clause
"""Writes mpif.h and mpif-ext.h, which have to be valid in fixed and in free form: lines of at most 72 columns, none
continued."""

from . import callbacks, constants, conversions

OPENING = """\
! SPDX-License-Identifier: BSD-3-Clause
! MPI-{standard} for Fortran, with the standard ABI. Written by
! bindings/bindgen.py from bindings/api.json: do not edit.
! New programs use the module mpi_f08 instead.
"""

EXTENSIONS_OPENING = """\
! SPDX-License-Identifier: BSD-3-Clause
! What Bowline adds to MPI, to be included beside mpif.h. Written by
! bindings/bindgen.py from bindings/extensions.json: do not edit.
"""

COLUMNS = 72


def text(api):
    return OPENING.format(standard=api.standard) + _lines(_parts(api))


def extensions(api):
    """The text of mpif-ext.h."""
    return EXTENSIONS_OPENING + _lines(_parameter("INTEGER", n.name, n.value) for n in constants.extensions(api))


def _lines(parts):
    lines = [line for part in parts for line in part]
    longest = max(lines, key=len)
    if len(longest) > COLUMNS:
        raise ValueError(f"the line '{longest}' is too long for fixed form")
    return "".join(line + "\n" for line in lines)


def _parts(api):
    for number in constants.numbers(api):
        yield _parameter(f"INTEGER(KIND={number.kind})" if number.kind else "INTEGER", number.name, number.value)
    for handle in constants.handles(api):
        yield _parameter("INTEGER", handle.name, handle.value)
    for name in ("MPI_SUBARRAYS_SUPPORTED", "MPI_ASYNC_PROTECTS_NONBLOCKING"):
        yield _parameter("LOGICAL", name, ".FALSE.")
    for sentinel in constants.SENTINELS + constants.STATUS_SENTINELS:
        yield (f"      {sentinel.type.upper()} {sentinel.name}{sentinel.shape}",
               f"      COMMON /{sentinel.common}/ {sentinel.name}")
    for name, _ in callbacks.predefined(False):
        yield (f"      EXTERNAL {name}",)
    for function in api.functions:
        if conversions.is_fortran(function) and not function.returns_code:
            type_ = "DOUBLE PRECISION" if function.returns == "double" else "INTEGER(KIND=MPI_ADDRESS_KIND)"
            for name in (function.name.upper(), "P" + function.name.upper()):
                yield f"      {type_} {name}", f"      EXTERNAL {name}"


def _parameter(type_, name, value):
    return f"      {type_} {name}", f"      PARAMETER ({name}={value})"
