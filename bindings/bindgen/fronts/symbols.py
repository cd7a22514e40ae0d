# SPDX-License-Identifier: BSD-3-Clause
"""Writes the variables of an ABI in which predefined handles are the addresses of variables."""

from . import handles

NOTICE = "// SPDX-License-Identifier: BSD-3-Clause\n// Written by bindings/bindgen.py: do not edit. {purpose}\n"

HEADER_OPENING = """#pragma once

#include "abi.hpp"

extern "C" {
"""

SOURCE_OPENING = """
// Their sizes are part of the ABI: a program may have copies of them. Each is therefore a structure as long as the
// variable, which is declared with its first members only.
#include <cstddef>
#include <cstdint>

namespace {

template <std::size_t size>
struct alignas(8) Object {
  std::uintptr_t standard;
  long fortran;
  char rest[size - sizeof(std::uintptr_t) - sizeof(long)];
};

}  // namespace

#pragma GCC visibility push(default)
extern "C" {
"""

NO_HANDLE = 0xFFE  # of the standard ABI


def header(abi):
    declarations = "".join(f"extern abi::Predefined {s.name};\n" for s in abi.symbols)
    return (NOTICE.format(purpose="The variables behind predefined handles.") + HEADER_OPENING + declarations
            + "}\n\nnamespace abi {\n" + _array("all_objects", [s.name for s in abi.symbols])
            + "}  // namespace abi\n")


def source(abi, api):
    values = {c.name: c.value for c in api.constants}
    parts = [NOTICE.format(purpose="The variables behind predefined handles."), SOURCE_OPENING]
    for symbol in abi.symbols:
        standard = NO_HANDLE if symbol.constant is None else values[symbol.constant]
        fortran = -1 if symbol.fortran is None else symbol.fortran
        parts.append(f'extern Object<{symbol.size}> {symbol.name}_object __asm__("{symbol.name}");\n'
                     f'[[gnu::section("predefined_objects")]] Object<{symbol.size}> {symbol.name}_object = '
                     f"{{{standard:#x}, {fortran}, {{}}}};\n")
    parts.append("\n// Their addresses, of those that Fortran has.\n")
    for symbol in abi.symbols:
        if symbol.fortran is not None:
            parts.append(f'extern void* {symbol.name}_addr;\nvoid* {symbol.name}_addr = &{symbol.name}_object;\n')
    parts.append('}  // extern "C"\n#pragma GCC visibility pop\n')
    return "".join([*parts, *handles.tables(abi.symbols)])


def _array(name, symbols):
    return f"inline constexpr const Predefined* {name}[] = {{{', '.join('&' + s for s in symbols)}}};\n"
