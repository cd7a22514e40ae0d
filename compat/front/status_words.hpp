// SPDX-License-Identifier: BSD-3-Clause
// What a status of the standard ABI holds besides its public members.
#pragma once

#include <mpi.h>

#include <cstring>

#include "api/entry/private_interface.hpp"

namespace front {

inline MPI_Count status_bytes(const MPI_Status& status) noexcept {
  MPI_Count bytes = 0;
  std::memcpy(&bytes, &status.MPI_internal[bowline::StatusWords::bytes], sizeof bytes);
  return bytes;
}

inline bool status_cancelled(const MPI_Status& status) noexcept {
  return status.MPI_internal[bowline::StatusWords::cancelled] != 0;
}

inline MPI_Status make_status(int source, int tag, int error, MPI_Count bytes, bool cancelled) noexcept {
  MPI_Status status{source, tag, error, {}};
  std::memcpy(&status.MPI_internal[bowline::StatusWords::bytes], &bytes, sizeof bytes);
  status.MPI_internal[bowline::StatusWords::cancelled] = cancelled ? 1 : 0;
  return status;
}

}  // namespace front
