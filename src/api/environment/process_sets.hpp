// SPDX-License-Identifier: BSD-3-Clause
// Process sets: groups of processes that have names (MPI-5.0, section 11.3.3).
#pragma once

#include <string>
#include <vector>

#include "comm/group.hpp"

namespace bowline::api {

/// The names of all process sets; MPI's own first. mpi://PARENT is one of them while this process has a communicator
/// with the processes that have spawned it.
std::vector<std::string> process_sets();

/// The members of a process set. The names of MPI's own sets are case-insensitive. Throws Error (arg) if there is no
/// such set.
comm::Group members_of_set(const std::string& name);

}  // namespace bowline::api
