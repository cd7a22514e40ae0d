// SPDX-License-Identifier: BSD-3-Clause
// Where a Python program is, if the process is one.
#pragma once

#include <string>

namespace bowline {

/// The innermost line of Python code that this thread executes, as "solver.py:88"; empty if it executes none, or the
/// interpreter does not tell. Does not need the interpreter's lock, which extension modules release while they wait.
/// Takes some microseconds, and two descriptors meanwhile. Throws std::bad_alloc.
std::string python_place();

}  // namespace bowline
