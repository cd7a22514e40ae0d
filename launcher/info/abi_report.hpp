// SPDX-License-Identifier: BSD-3-Clause
// What bowline-info --abi says of a program.
#pragma once
#include <string>

namespace bowline::launcher {

/// Reports for which MPI the program was built, and what mpiexec does for it, in lines that end with a newline. Throws
/// UsageError if there is no such program, or if it cannot run on Bowline.
std::string abi_report(const std::string& program);

}  // namespace bowline::launcher
