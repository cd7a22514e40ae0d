// SPDX-License-Identifier: BSD-3-Clause
// Algorithm: one implementation of a collective operation, and the properties by which it is chosen.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/task.hpp"
#include "coll/channel/arguments.hpp"
#include "coll/channel/channel.hpp"

namespace bowline::coll {

enum class Operation : std::uint8_t {
  barrier,
  bcast,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,  ///< also MPI_Alltoallw: blocks are bytes here
  reduce,
  allreduce,
  reduce_scatter_block,
  reduce_scatter,
  scan,
  exscan,
  neighbor_allgather,  ///< also the v-form
  neighbor_alltoall,   ///< also the v- and w-forms
};
inline constexpr int operations = 18;

/// E.g. "reduce_scatter_block".
std::string_view name_of(Operation operation) noexcept;
std::optional<Operation> find_operation(std::string_view name) noexcept;
/// Whether the operation combines the members' contributions.
constexpr bool reduces(Operation operation) noexcept {
  return operation >= Operation::reduce && operation <= Operation::exscan;
}

/// Whether members exchange data with their neighbours only.
constexpr bool is_among_neighbours(Operation operation) noexcept {
  return operation >= Operation::neighbor_allgather;
}
/// Whether one member, the root, has another part than the others.
constexpr bool has_root(Operation operation) noexcept {
  switch (operation) {
    case Operation::bcast:
    case Operation::gather:
    case Operation::gatherv:
    case Operation::scatter:
    case Operation::scatterv:
    case Operation::reduce:
      return true;
    default:
      return false;
  }
}

/// Run by every member with matching arguments, which, as the channel, must outlive the task.
using Run = Task (*)(Channel& channel, const Arguments& arguments);

struct Algorithm {
  std::string_view name;
  Run run;
  bool ordered = true;        ///< whether the algorithm combines operands in the order of ranks, which non-commutative
                              ///< operators need; true if it combines nothing
  bool segmented = false;     ///< whether the algorithm uses Arguments::segment
  bool power_of_two = false;  ///< whether the number of members must be a power of two
  bool shared = false;        ///< whether the algorithm needs memory that all members share: Channel::slots
  bool by_placement = false;  ///< whether the order of operands depends on where members run, not on their ranks and
                              ///< the counts alone
  bool composed = false;      ///< whether the algorithm works in the stages of the members' hierarchy
  bool compared = false;      ///< whether members compare the algorithm's time with the times of the operation's other
                              ///< compared algorithms; all of them combine operands in the same order
  std::string_view summary = {};  ///< one line for users who choose by hand
};

/// All algorithms of an operation; the first serves every call.
std::span<const Algorithm> algorithms(Operation operation) noexcept;
/// The algorithm of this name; nullptr if the operation has none.
const Algorithm* find_algorithm(Operation operation, std::string_view name) noexcept;

}  // namespace bowline::coll
