// SPDX-License-Identifier: BSD-3-Clause
// Message arguments: from what the user gives to what the protocol engine takes.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "comm/communicator.hpp"
#include "proto/engine.hpp"

namespace bowline::api {

inline transport::Header envelope(const comm::Communicator& comm, int tag) noexcept {
  return {.context = comm.context(), .source = comm.rank(), .tag = tag};
}

/// The user's buffer; sends only read it.
inline proto::Buffer view(const void* base, MPI_Count count, const dtype::Datatype& type) noexcept {
  return {static_cast<std::byte*>(const_cast<void*>(base)), static_cast<std::size_t>(count), &type};
}

/// Whether it is the handle of a message that a probe has taken out and nobody has received.
bool is_message(MPI_Message handle) noexcept;

/// The buffer that buffered sends on the communicator use: its own, or else the process's.
proto::BsendBuffer& bsend_buffer_of(comm::Communicator& comm) noexcept;

/// The requests of operations with MPI_PROC_NULL: done at once, shared by all users.
proto::Request& send_to_nobody() noexcept;
proto::Request& receive_from_nobody() noexcept;

}  // namespace bowline::api
