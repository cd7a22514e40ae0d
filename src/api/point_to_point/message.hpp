// SPDX-License-Identifier: BSD-3-Clause
// Conversion of the user's message arguments to those of the protocol engine.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "comm/communicator.hpp"
#include "dtype/datatype.hpp"
#include "dtype/signature.hpp"
#include "proto/engine.hpp"
#include "proto/request.hpp"
#include "proto/wire.hpp"
#include "runtime/settings.hpp"

namespace bowline::api {

inline transport::Header envelope(const comm::Communicator& comm, int tag) noexcept {
  return {.context = comm.context(), .source = comm.rank(), .tag = tag};
}

/// With BOWLINE_CHECK=types the header says of what kind the data are, so that the receiver compares them with the
/// datatype of its receive. For sends that are not hot.
inline transport::Header envelope(const comm::Communicator& comm, int tag, const dtype::Datatype& type) noexcept {
  transport::Header header = envelope(comm, tag);
  if (!runtime::checks().types) return header;
  header.mark = static_cast<std::uint16_t>(dtype::signature_of(type));
  if (header.mark != 0) header.kind = static_cast<std::uint8_t>(proto::Kind::eager_typed);
  return header;
}

/// The mode of standard sends. For sends that are not hot.
inline proto::Mode standard_mode() noexcept {
  return runtime::checks().buffering ? proto::Mode::synchronous : proto::Mode::standard;
}

/// The user's buffer; sends only read it.
inline proto::Buffer view(const void* base, MPI_Count count, const dtype::Datatype& type) noexcept {
  return {static_cast<std::byte*>(const_cast<void*>(base)), static_cast<std::size_t>(count), &type};
}

/// Whether this is the handle of a message that a matched probe has returned and that has not been received.
bool is_message(MPI_Message handle) noexcept;

/// The buffer that buffered sends on the communicator use: its own, or else the process's.
proto::BsendBuffer& bsend_buffer_of(comm::Communicator& comm) noexcept;

/// The requests of operations with MPI_PROC_NULL. They are completed, and all such operations share them.
proto::Request& send_to_nobody() noexcept;
proto::Request& receive_from_nobody() noexcept;

}  // namespace bowline::api
