// SPDX-License-Identifier: BSD-3-Clause
#include "coll/channel/algorithm.hpp"

#include <algorithm>
#include <array>

#include "coll/algorithms/allgather/allgather.hpp"
#include "coll/algorithms/allreduce/allreduce.hpp"
#include "coll/algorithms/alltoall/alltoall.hpp"
#include "coll/algorithms/barrier/barrier.hpp"
#include "coll/algorithms/bcast/bcast.hpp"
#include "coll/algorithms/gather/gather.hpp"
#include "coll/algorithms/neighbor/neighbor.hpp"
#include "coll/algorithms/reduce/reduce.hpp"
#include "coll/algorithms/reduce_scatter/reduce_scatter.hpp"
#include "coll/algorithms/scan/scan.hpp"
#include "coll/algorithms/scatter/scatter.hpp"

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
    case Operation::gather:
      return gather_algorithms();
    case Operation::gatherv:
      return gatherv_algorithms();
    case Operation::scatter:
      return scatter_algorithms();
    case Operation::scatterv:
      return scatterv_algorithms();
    case Operation::allgather:
      return allgather_algorithms();
    case Operation::allgatherv:
      return allgatherv_algorithms();
    case Operation::alltoall:
      return alltoall_algorithms();
    case Operation::alltoallv:
      return alltoallv_algorithms();
    case Operation::reduce:
      return reduce_algorithms();
    case Operation::allreduce:
      return allreduce_algorithms();
    case Operation::reduce_scatter_block:
      return reduce_scatter_block_algorithms();
    case Operation::reduce_scatter:
      return reduce_scatter_algorithms();
    case Operation::neighbor_allgather:
      return neighbor_allgather_algorithms();
    case Operation::neighbor_alltoall:
      return neighbor_alltoall_algorithms();
    case Operation::scan:
      return scan_algorithms();
    case Operation::exscan:
      return exscan_algorithms();
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
