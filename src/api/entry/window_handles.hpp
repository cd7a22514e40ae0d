// SPDX-License-Identifier: BSD-3-Clause
// Handles of windows.
#pragma once

#include <mpi.h>

#include "api/entry/handle_value.hpp"
#include "rma/window.hpp"

namespace bowline::api {

/// nullptr if the handle is null, unknown or freed.
inline rma::Window* find_win(MPI_Win handle) noexcept {
  if (handle_value(handle) < first_object) return nullptr;
  auto* const window = reinterpret_cast<rma::Window*>(handle);
  return window->alive() ? window : nullptr;
}

inline MPI_Win to_handle(rma::Window& window) noexcept {
  return reinterpret_cast<MPI_Win>(&window);
}

}  // namespace bowline::api
