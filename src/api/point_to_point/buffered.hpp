// SPDX-License-Identifier: BSD-3-Clause
// What MPI_X_attach_buffer and its companions do, whoever the buffer belongs to: the process, a session or a
// communicator. Each throws Error (MPI_ERR_BUFFER).
#pragma once

#include <mpi.h>

#include <cstdint>

#include "proto/bsend_buffer.hpp"
#include "proto/request.hpp"

namespace bowline::api {

/// Memory, or MPI_BUFFER_AUTOMATIC.
void attach_buffer(proto::BsendBuffer& target, void* buffer, MPI_Count size);
/// Waits until every message sent so far has left.
void flush_buffer(proto::BsendBuffer& buffer);
/// The same without waiting: a request that is done then.
proto::Request& flush_request(proto::BsendBuffer& buffer, std::uint32_t context);
/// Waits, and tells the user what was attached.
void detach_buffer(proto::BsendBuffer& source, void* buffer_addr, MPI_Count* size);

}  // namespace bowline::api
