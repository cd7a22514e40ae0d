// SPDX-License-Identifier: BSD-3-Clause
// The process whose MPI functions the user calls.
#pragma once

#include "proto/engine.hpp"
#include "proto/request.hpp"
#include "runtime/runtime.hpp"

namespace bowline::api {

using runtime::this_process;

/// The engine of the lane in which a request completes.
inline proto::Engine& engine_of(const proto::Request& request) noexcept {
  return this_process().lanes().of(request.context);
}

}  // namespace bowline::api
