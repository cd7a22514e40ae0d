// SPDX-License-Identifier: BSD-3-Clause
// The parents of a process that MPI_Comm_spawn has started.
#pragma once

#include <mpi.h>

#include <optional>

namespace bowline::api {

/// The intercommunicator with the parents; MPI_COMM_NULL if there are none, or it is freed.
MPI_Comm parent_handle() noexcept;
void set_parent_handle(MPI_Comm parent) noexcept;

/// The position of this process's program among those of the call that has started it, from 0; none if none has.
std::optional<int> spawned_program() noexcept;

/// Connects MPI_COMM_WORLD to the parents if the environment names their port. Collective over MPI_COMM_WORLD; called
/// by MPI_Init. Throws Error.
void meet_parents();

}  // namespace bowline::api
