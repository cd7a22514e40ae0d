// SPDX-License-Identifier: BSD-3-Clause
// A look at the queues of this process for a tool, which may read variables in any thread.
#pragma once

#include <functional>

#include "proto/engine.hpp"

namespace bowline::api {

/// Calls `action` with the matching of the lane if nothing changes its queues meanwhile: if no thread is in the lane,
/// or at the thread levels that know no such lock, in the thread that calls MPI. Returns whether it has done so. Never
/// waits, because a callback of a tool may hold what a thread in the lane waits for.
bool look_at_queues(proto::Engine& lane, const std::function<void(proto::Matching&)>& action);

}  // namespace bowline::api
