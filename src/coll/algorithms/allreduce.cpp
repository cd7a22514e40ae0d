// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/allreduce.hpp"

namespace bowline::coll {
namespace {

constexpr Algorithm table[] = {
    {.name = "recursive_doubling",
     .run = allreduce_recursive_doubling,
     .summary = "exchanges at distance 1, 2, 4...: log2 n rounds, for short data"},
    {.name = "reduce_bcast", .run = allreduce_reduce_bcast, .summary = "a binomial reduction, then a broadcast"},
    {.name = "hierarchical",
     .run = allreduce_hierarchical,
     .summary = "reduced within nodes and switches, combined among those, and spread: any algorithm in each"},
};

}  // namespace

std::span<const Algorithm> allreduce_algorithms() noexcept {
  return table;
}

}  // namespace bowline::coll
