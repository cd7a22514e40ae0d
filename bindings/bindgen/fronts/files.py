# SPDX-License-Identifier: BSD-3-Clause
"""Puts together the files that the build of a front end compiles."""

from ..fortran import procedures
from . import (entry_points, fortran_extras, fortran_header, fortran_modules, handles, kinds, linker_names, symbols,
               tables)

NOTICE = "// SPDX-License-Identifier: BSD-3-Clause\n// Written by bindings/bindgen.py: do not edit. {purpose}\n"

ENTRY_POINTS_OPENING = """
#include <mpi.h>

#include "abi.hpp"
#include "front/arguments.hpp"
#include "front/functions.hpp"
#include "front/values.hpp"

#pragma GCC visibility push(default)

"""

FUNCTIONS_OPENING = """// They have names of their own, because the libraries that call them define MPI's names.
#pragma once

#include <mpi-ext.h>
#include <mpi.h>

extern "C" {
"""


INTERFACE_OPENING = """\
// The private interface with this ABI's types, which the front end offers to the library for Fortran.
#pragma once

#include "abi.hpp"

#include <atomic>
#include <cstddef>

"""


def files(api, abi, private_interface, parts):
    """Everything that is generated for a front end, by file name. `private_interface`: the text of Bowline's header."""
    result = {
        "abi_values.hpp": tables.text(abi, api),
        "abi_callbacks.hpp": NOTICE.format(purpose="The types of callbacks.") + "".join(tables.callbacks(api)),
        "abi_handles.hpp": handles.header(abi),
        "abi_conversions.hpp": handles.conversions(),
        "bowline_functions.hpp": _functions(api),
        "abi_interface.hpp": _interface(private_interface),
    }
    if abi.symbols:
        result["predefined_objects.hpp"] = symbols.header(abi)
        result["predefined_objects.cpp"] = symbols.source(abi, api)
    for part in range(parts):
        functions = api.all_functions()[part::parts]
        texts = [entry_points.text(f, large, abi) for f in functions for large in f.forms()]
        opening = NOTICE.format(purpose=f"Entry points with {abi.name}'s ABI.") + ENTRY_POINTS_OPENING
        result[f"entry_points_{part + 1}.cpp"] = opening + "\n".join(texts)
    return result


def fortran_files(api, abi, parts):
    """What is generated for its library for Fortran."""
    names = linker_names.of(abi)
    return {
        "mpi.h": fortran_header.text(api, abi),
        "modules.cpp": fortran_modules.text(abi),
        "extras.cpp": fortran_extras.text(abi, names),
        **procedures.files(api, names, parts),
    }


def _interface(private_interface):
    begin, end = "namespace bowline {\n", "}  // namespace bowline\n"
    table = private_interface[private_interface.index(begin) + len(begin):private_interface.index(end)]
    return (NOTICE.format(purpose="") + INTERFACE_OPENING + "namespace abi {\n" + kinds.foreign_type(table)
            + "}  // namespace abi\n")


def _functions(api):
    lines = "".join(f"extern decltype(P{name}) bowline_P{name};\n"
                    for name in (f.entry_name(large) for f in api.all_functions() for large in f.forms()))
    return NOTICE.format(purpose="Bowline's entry points, for front ends.") + FUNCTIONS_OPENING + lines + "}\n"
