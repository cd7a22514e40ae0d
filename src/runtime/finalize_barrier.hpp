// SPDX-License-Identifier: BSD-3-Clause
// The end of a job on several nodes: whoever ends closes its connections, and what has not been read from them by then
// is lost; so the processes wait for each other first.
#pragma once

#include <functional>

#include "proto/engine.hpp"

namespace bowline::runtime {

/// Returns when all processes of the job have called it, as far as they can be reached: a barrier by messages along a
/// binary tree over the world ranks (up to the root when all below have come, then down again). Each of its branches is
/// a range of ranks, so most edges lie within nodes, and a process has three neighbours at most, whatever the size.
/// Nobody waits for a neighbour that has ended without it, nor at all once `gives_up` says so, which is asked again and
/// again. `engine` is that of lane 0, whose lock the caller does not hold.
void finalize_barrier(proto::Engine& engine, int rank, int size, const std::function<bool()>& gives_up);

}  // namespace bowline::runtime
