// SPDX-License-Identifier: BSD-3-Clause
// Handles of files.
#pragma once

#include <mpi.h>

#include "api/entry/handle_value.hpp"
#include "mpiio/file/file.hpp"

namespace bowline::api {

/// nullptr if the handle is null, unknown or freed.
inline mpiio::File* find_file(MPI_File handle) noexcept {
  if (handle_value(handle) < first_object) return nullptr;
  auto* const file = reinterpret_cast<mpiio::File*>(handle);
  return file->alive() ? file : nullptr;
}

inline MPI_File to_handle(mpiio::File& file) noexcept {
  return reinterpret_cast<MPI_File>(&file);
}

}  // namespace bowline::api
