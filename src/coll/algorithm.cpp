// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithm.hpp"

#include <algorithm>
#include <array>

#include "coll/algorithms/allgather.hpp"
#include "coll/algorithms/allreduce.hpp"
#include "coll/algorithms/barrier.hpp"
#include "coll/algorithms/bcast.hpp"
#include "coll/algorithms/reduce.hpp"

namespace bowline::coll {
namespace {

constexpr std::array<std::string_view, operations> names = {"barrier",
                                                            "bcast",
                                                            "gather",
                                                            "gatherv",
                                                            "scatter",
                                                            "scatterv",
                                                            "allgather",
                                                            "allgatherv",
                                                            "alltoall",
                                                            "alltoallv",
                                                            "reduce",
                                                            "allreduce",
                                                            "reduce_scatter_block",
                                                            "reduce_scatter",
                                                            "scan",
                                                            "exscan",
                                                            "neighbor_allgather",
                                                            "neighbor_alltoall"};

}  // namespace

std::string_view name_of(Operation operation) noexcept {
  return names[static_cast<std::size_t>(operation)];
}

std::optional<Operation> find_operation(std::string_view name) noexcept {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Operation>(found - names.begin());
}

std::span<const Algorithm> algorithms(Operation operation) noexcept {
  switch (operation) {
    case Operation::barrier:
      return barrier_algorithms();
    case Operation::bcast:
      return bcast_algorithms();
    case Operation::allgather:
      return allgather_algorithms();
    case Operation::reduce:
      return reduce_algorithms();
    case Operation::allreduce:
      return allreduce_algorithms();
    default:
      return {};
  }
}

const Algorithm* find_algorithm(Operation operation, std::string_view name) noexcept {
  const auto all = algorithms(operation);
  const auto found = std::ranges::find(all, name, &Algorithm::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace bowline::coll
