# SPDX-License-Identifier: BSD-3-Clause
"""Writes the kinds of handles, and their conversions, which are alike for all kinds.

An ABI's handle_values.hpp defines what it does with a handle of any kind: the function templates handle_in, handle_out,
handle_number and numbered_handle, with a specialization for each kind that differs.
"""

from . import kinds

NOTICE = "// SPDX-License-Identifier: BSD-3-Clause\n// Written by bindings/bindgen.py: do not edit. {purpose}\n"

KINDS_OPENING = """#pragma once

#include <mpi.h>

#include "abi_types.hpp"
#include "bowline_functions.hpp"

namespace abi {

"""

KIND = """struct {type}Handle {{
  using Standard = MPI_{type};
  using Here = {type};
  static constexpr auto number_of = bowline_PMPI_{function}_toint;
  static constexpr auto from_number = bowline_PMPI_{function}_fromint;
{more}}};

"""

NUMBERED = """/// Handles in Fortran that predefined handles may have.
inline constexpr int numbers_end = {end};
"""

CONVERSIONS_OPENING = """#pragma once

#include "handle_values.hpp"

namespace abi {

"""

CONVERSIONS = """inline MPI_{type} in_{noun}({type} here) noexcept {{
  return handle_in<{type}Handle>(here);
}}
inline {type} out_{noun}(MPI_{type} standard) noexcept {{
  return handle_out<{type}Handle>(standard);
}}
inline int {noun}_toint({type} here) noexcept {{
  return handle_number<{type}Handle>(here);
}}
inline {type} {noun}_fromint(int number) noexcept {{
  return numbered_handle<{type}Handle>(number);
}}

"""

CLOSING = "}  // namespace abi\n"
NUMBERS_END = 80


def header(abi):
    """The kinds of handles."""
    parts = [NOTICE.format(purpose="The kinds of handles."), KINDS_OPENING]
    more = ""
    if abi.symbols:
        parts.append(NUMBERED.format(end=NUMBERS_END))
        parts += [f"extern void* const {noun}_by_number[numbers_end];\n" for noun in kinds.HANDLES.values()]
        parts.append("\n")
        more = "  static constexpr auto& by_number = {noun}_by_number;  ///< a null pointer where there is none\n"
    parts += [KIND.format(type=kinds.handle_type(noun), function=noun.capitalize(), more=more.format(noun=noun))
              for noun in kinds.HANDLES.values()]
    return "".join(parts) + CLOSING


def conversions():
    """The functions that convert handles: in_X what the program passes, out_X what it gets, and those for Fortran."""
    return (NOTICE.format(purpose="Conversions of handles.") + CONVERSIONS_OPENING
            + "".join(CONVERSIONS.format(type=kinds.handle_type(noun), noun=noun) for noun in kinds.HANDLES.values())
            + CLOSING)


def tables(symbols):
    """The definitions of the tables by_number, where `symbols` are variables with the suffix "_object"."""
    yield "\nnamespace abi {\n"
    for noun in kinds.HANDLES.values():
        by_number = {s.fortran: s.name for s in symbols
                     if s.handle == f"MPI_{kinds.handle_type(noun)}" and s.fortran is not None}
        if any(not 0 <= number < NUMBERS_END for number in by_number):
            raise ValueError(f"a handle of kind {noun} has a number in Fortran that is not below {NUMBERS_END}")
        entries = ", ".join(f"&{by_number[i]}_object" if i in by_number else "nullptr"
                            for i in range(max(by_number) + 1))
        yield (f"extern void* const {noun}_by_number[{NUMBERS_END}];\n"
               f"void* const {noun}_by_number[{NUMBERS_END}] = {{{entries}}};\n")
    yield "}  // namespace abi\n"
