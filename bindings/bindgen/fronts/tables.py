# SPDX-License-Identifier: BSD-3-Clause
"""Writes abi_values.hpp: the values of constants and handles in the other ABI, beside those of the standard's ABI."""

import re

from . import kinds

OPENING = """// SPDX-License-Identifier: BSD-3-Clause
// Written by bindings/bindgen.py: do not edit. The values of constants in {name}'s ABI, and conversions of them.
#pragma once

#include <mpi.h>

#include "front/pair.hpp"

namespace abi {{

inline constexpr const char* name = "{name}";

"""

CLOSING = "}  // namespace abi\n"


def text(abi, api):
    parts = [OPENING.format(name=abi.name)]
    for name, value in abi.constants.items():
        parts.append(f"inline constexpr long {re.sub('^MPIX?_', '', name).lower()} = {value};\n")
    for value in kinds.CONSTANTS:
        parts += ["\n", *_conversions(value, abi, api)]
    if abi.handles:
        parts += ["\n", *_numbers(abi, api)]
    return "".join(parts) + CLOSING


def _conversions(value, abi, api):
    standard = {c.name: c.value for c in api.all_constants()}
    names = kinds.constants_of(value, abi)
    rows = ", ".join(f"{{{standard[name]}, {abi.constants[name]}}}" for name in names)
    pairs = f"{value}_pairs"
    if not names:  # functions with this kind of value are younger than the ABI
        yield f"inline int in_{value}(int number) noexcept {{ return number; }}\n"
        yield f"inline int out_{value}(int number) noexcept {{ return number; }}\n"
        return
    yield f"inline constexpr front::Pair {pairs}[] = {{{rows}}};\n"
    before = ""
    if all(standard[name] < 0 and abi.constants[name] < 0 for name in names):
        before = "number >= 0 ? number : "
    for direction in ("in", "out"):
        yield (f"inline int {direction}_{value}(int number) noexcept {{ "
               f"return {before}{_expression(value, direction, pairs)}; }}\n")


def _expression(value, direction, pairs):
    if value in kinds.BIT_SETS:
        return f"front::bits_{direction}({pairs}, number)"
    if value == "error":
        return f"front::error_{direction}({pairs}, err_lastcode, number)"
    return f"front::special_{direction}({pairs}, number{', number' if direction == 'out' else ''})"


def _numbers(abi, api):
    values = {c.name: c.value for c in api.constants}
    rows = "".join(f"    {{{values[name]:#06x}, {value:#010x}}},  // {name}\n" for name, value in abi.handles.items())
    yield f"struct PredefinedHandle {{\n  unsigned standard;\n  unsigned here;\n}};\n"
    yield f"inline constexpr PredefinedHandle predefined_handles[] = {{\n{rows}}};\n"


def callbacks(api):
    """The types of callback functions with this ABI's handles, for the namespace abi."""
    for declaration in api.callbacks:
        if "MPI_T_" not in declaration:
            yield re.sub(r"\bMPI_(?!Aint|Offset|Count)(\w+)", r"\1", declaration) + "\n"
