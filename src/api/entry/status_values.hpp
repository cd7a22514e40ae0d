// SPDX-License-Identifier: BSD-3-Clause
// Conversion of the user's statuses.
#pragma once

#include <mpi.h>

#include <cstring>

#include "api/entry/private_interface.hpp"
#include "proto/request.hpp"

namespace bowline::api {

inline constexpr int status_bytes_word = StatusWords::bytes;
inline constexpr int status_cancelled_word = StatusWords::cancelled;

/// Fills the user's status, unless it is MPI_STATUS_IGNORE. Does not write MPI_ERROR, as required of calls with one
/// status.
inline void set_status(MPI_Status* target, const proto::Status& status) noexcept {
  if (target == MPI_STATUS_IGNORE) return;
  target->MPI_SOURCE = status.source;
  target->MPI_TAG = status.tag;
  const auto bytes = static_cast<MPI_Count>(status.bytes);
  std::memcpy(&target->MPI_internal[status_bytes_word], &bytes, sizeof bytes);
  target->MPI_internal[status_cancelled_word] = status.cancelled ? 1 : 0;
}

/// The contents of a user's status.
proto::Status read_status(const MPI_Status& status) noexcept;
/// The status of an operation that did not take place: any source, any tag, no data (MPI-5.0, section 3.7.3).
proto::Status empty_status() noexcept;
/// The status of a receive from MPI_PROC_NULL.
proto::Status no_process_status() noexcept;

/// The number of bytes in a status.
MPI_Count status_bytes(const MPI_Status& status) noexcept;

}  // namespace bowline::api
