// SPDX-License-Identifier: BSD-3-Clause
// The model of what collectives with long data cost on one node, from a few figures of the machine. All members of a
// team have the same figures (slots/team_slots.hpp), so they choose the same algorithm. The simulator uses the same
// model.
//
// The model only compares algorithms that combine operands in the same order, so results do not depend on the figures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "coll/selection/rules.hpp"

namespace bowline::coll {

/// Figures of a node, in nanoseconds. It travels as bytes.
struct NodeCosts {
  float copy = 0.06F;  ///< of a byte that one process writes to shared memory while another one reads the byte before
                       ///< it, as long as all data stay in the caches
  float copy_far = 0.12F;      ///< the same for more data than that
  float call = 600;            ///< of a system call that accesses the memory of another process
  float page = 300;            ///< of finding, pinning and copying a page of that memory
  float flag = 100;            ///< from the write of a flag by one process until another one has seen it
  float message = 500;         ///< of a message between processes, without its data
  float change = 1500;         ///< of a change of process on a core
  float near_bytes = 1 << 20;  ///< the most data of a process that stay in the caches
  float cores = 0;             ///< of the node, for ranks that share cores
  float readers = 4;           ///< most processes that access the memory of one process without waiting for each other

  bool operator==(const NodeCosts&) const = default;
};

/// Costs on which the members of a team have agreed.
struct KnownCosts {
  NodeCosts costs;
  std::uint64_t number = 0;  ///< different for each agreement in this process; 0: usual costs
};

/// The time that this algorithm takes in shared memory, in nanoseconds. Nothing if the model does not describe it.
std::optional<double> predicted_time(Operation operation, std::string_view algorithm, const Situation& call,
                                     const NodeCosts& costs) noexcept;

/// The shortest data that it pays to copy straight from one member's buffer to another's in this operation (bcast,
/// gather, scatter, allgather, alltoall), in bytes, if all data have that length. The greatest number if it never
/// pays.
std::size_t lends_from(Operation operation, int members, bool oversubscribed, const NodeCosts& costs) noexcept;

}  // namespace bowline::coll
