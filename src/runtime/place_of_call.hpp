// SPDX-License-Identifier: BSD-3-Clause
// Where the program has called MPI.
#pragma once

#include <string>

namespace bowline::runtime {

/// Where the program has called the MPI function that this thread executes, such as "solver.c:88"; nothing if there may
/// be no memory for the program that knows it, since the kernel would kill a process.
std::string place_of_call();

}  // namespace bowline::runtime
