// SPDX-License-Identifier: BSD-3-Clause
// The calls of the program in words: "MPI_Isend (halo.c:88)".
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/diagnosis/mpi_call.hpp"

namespace bowline::api::checking {

/// Without a place where the source line is not known. Starts a process: to be called for few calls, or at the end.
std::vector<std::string> in_words(std::span<const MpiCall> calls);

}  // namespace bowline::api::checking
