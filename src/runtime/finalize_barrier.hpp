// SPDX-License-Identifier: BSD-3-Clause
// The finalize barrier, at the end of a job on several nodes or connected to other jobs. A process that ends closes its
// connections, and data that its peers have not read from them by then are lost. So the processes wait for each other
// first.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "proto/engine.hpp"

namespace bowline::runtime {

/// Processes that end together: a job, or the members of a connection between two jobs (jobs/jobs.hpp).
struct EndTogether {
  int position;                   ///< position of this process
  int size;                       ///< their number
  std::vector<int> members = {};  ///< process indices, in the same order at each of them; empty: 0, 1, 2 ...
  std::uint32_t id = 0;           ///< id of a connection; no other group of any of the members has it

  bool is_job() const { return members.empty(); }
  int process(int at) const { return members.empty() ? at : members[static_cast<std::size_t>(at)]; }
};

/// Which collectives this process has called on MPI_COMM_WORLD: equal for ranks that have called the same ones in the
/// same order, and different for nearly all others. 0: not to be compared.
using CallsMark = std::uint16_t;

/// Returns when all processes of each of the groups that can be reached have called finalize_barrier(). The barrier of
/// a group sends messages along a binary tree over the positions: up to the root when all processes below have arrived,
/// then down again. Each branch of the tree is a range of positions, so most edges lie within nodes, and a process has
/// three neighbours at most, whatever the size. The barriers of several groups advance independently, because other
/// processes may have the groups in another order. No process waits for a neighbour that has ended without the barrier.
/// No process waits at all after `abandons`, which is called repeatedly, has returned true. `engine` is that of lane 0;
/// the caller does not hold its lock.
///
/// The ranks of this job tell the rank above them in the tree what they have called. Returns a rank below this process
/// whose mark differs from `mine`; negative if there is none.
int finalize_barrier(proto::Engine& engine, std::span<const EndTogether> groups, CallsMark mine,
                     const std::function<bool()>& abandons);

}  // namespace bowline::runtime
