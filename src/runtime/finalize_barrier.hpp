// SPDX-License-Identifier: BSD-3-Clause
// The finalize barrier, at the end of a job on several nodes. A process that ends closes its connections, and data that
// its peers have not read from them by then are lost. So the processes wait for each other first.
#pragma once

#include <functional>

#include "proto/engine.hpp"

namespace bowline::runtime {

/// Returns when all processes of the job that can be reached have called it. The barrier sends messages along a binary
/// tree over the world ranks: up to the root when all ranks below have arrived, then down again. Each branch of the
/// tree is a range of ranks, so most edges lie within nodes, and a process has three neighbours at most, whatever the
/// size. No rank waits for a neighbour that has ended without the barrier. No rank waits at all after `gives_up`, which
/// is called repeatedly, has returned true. `engine` is that of lane 0; the caller does not hold its lock.
void finalize_barrier(proto::Engine& engine, int rank, int size, const std::function<bool()>& gives_up);

}  // namespace bowline::runtime
