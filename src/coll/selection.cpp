// SPDX-License-Identifier: BSD-3-Clause
#include "coll/selection.hpp"

#include "base/tunable.hpp"
#include "coll/algorithms/allreduce.hpp"
#include "coll/algorithms/barrier.hpp"

namespace bowline::coll {
namespace {

Tunable<std::size_t> doubling_limit{"allreduce_doubling_limit", 16 << 10, 0, std::size_t{1} << 40,
                                    "longest data that MPI_Allreduce combines by recursive doubling, in bytes"};

}  // namespace

std::size_t bytes_of(Operation operation, const Arguments& arguments) noexcept {
  switch (operation) {
    case Operation::barrier:
    case Operation::gatherv:
    case Operation::scatterv:
    case Operation::alltoallv:
    case Operation::neighbor_allgather:
    case Operation::neighbor_alltoall:
      return 0;
    case Operation::bcast:
    case Operation::scatter:
      return arguments.result.size();
    case Operation::alltoall:
      return arguments.send.each();
    case Operation::allgatherv:  // blocks differ, and a member would have to add them all up
      return 0;
    default:
      return arguments.input.size();
  }
}

Situation situation_of(const Team& team, Operation operation, const Arguments& arguments) noexcept {
  return {.ranks = team.size,
          .bytes = bytes_of(operation, arguments),
          .ordered = arguments.reduction != nullptr && !arguments.reduction->commutative(),
          .crowded = team.crowded};
}

Choice choose(Operation operation, const Situation& situation) {
  const auto named = [operation](std::string_view name) { return Choice{find_algorithm(operation, name), 0}; };
  if (operation == Operation::barrier && situation.crowded) return named("central");
  if (operation == Operation::allreduce && situation.bytes > doubling_limit.value()) return named("reduce_bcast");
  return {&algorithms(operation).front(), 0};
}

}  // namespace bowline::coll
