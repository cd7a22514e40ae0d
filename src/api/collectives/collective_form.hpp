// SPDX-License-Identifier: BSD-3-Clause
// CollectiveForm: which of the three forms of a collective function was called. They share one body.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace bowline::api {

struct CollectiveForm {
  enum class Returns : std::uint8_t { blocking, nonblocking, persistent };

  static CollectiveForm blocking() noexcept { return {Returns::blocking, nullptr}; }
  /// MPI_Ibcast and the other non-blocking functions.
  static CollectiveForm nonblocking(MPI_Request* request) noexcept { return {Returns::nonblocking, request}; }
  /// MPI_Bcast_init and the other initialization functions.
  static CollectiveForm persistent(MPI_Request* request) noexcept { return {Returns::persistent, request}; }

  Returns kind;
  MPI_Request* request;  ///< where to store the handle; nullptr for the blocking form
};

}  // namespace bowline::api
