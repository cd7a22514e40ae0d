// SPDX-License-Identifier: BSD-3-Clause
// Attaching, flushing and detaching the buffer of buffered sends, for the process, a session or a communicator. Each
// function throws Error (MPI_ERR_BUFFER).
#pragma once

#include <mpi.h>

#include <cstdint>

#include "proto/request.hpp"
#include "proto/sending/bsend_buffer.hpp"

namespace bowline::api {

/// Attaches `size` bytes of memory, or MPI_BUFFER_AUTOMATIC.
void attach_buffer(proto::BsendBuffer& target, void* buffer, MPI_Count size);
/// Waits until every message sent so far has left.
void flush_buffer(proto::BsendBuffer& buffer);
/// Returns a request that completes when every message sent so far has left.
proto::Request& flush_request(proto::BsendBuffer& buffer, std::uint32_t context);
/// Waits until every message sent so far has left, detaches the buffer, and stores its address and size.
void detach_buffer(proto::BsendBuffer& source, void* buffer_addr, MPI_Count* size);

}  // namespace bowline::api
