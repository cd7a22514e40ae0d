// SPDX-License-Identifier: BSD-3-Clause
// Handles of communicators.
#pragma once

#include <mpi.h>

#include "api/entry/handle_value.hpp"
#include "api/entry/this_process.hpp"
#include "comm/communicator.hpp"

namespace bowline::api {

/// nullptr if the handle is null, unknown or freed.
inline comm::Communicator* find_comm(MPI_Comm handle) noexcept {
  if (handle == MPI_COMM_WORLD) [[likely]]
    return this_process().world();
  if (handle == MPI_COMM_SELF) return this_process().public_self();
  if (handle_value(handle) < first_object) return nullptr;
  auto* const comm = reinterpret_cast<comm::Communicator*>(handle);
  return comm->alive() ? comm : nullptr;
}

inline MPI_Comm to_handle(comm::Communicator& comm) noexcept {
  if (&comm == this_process().world()) return MPI_COMM_WORLD;
  if (&comm == this_process().public_self()) return MPI_COMM_SELF;
  return reinterpret_cast<MPI_Comm>(&comm);
}

}  // namespace bowline::api
