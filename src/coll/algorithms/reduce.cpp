// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/reduce.hpp"

namespace bowline::coll {
namespace {

constexpr Algorithm table[] = {
    {.name = "binomial", .run = reduce_binomial, .summary = "a binomial tree: log2 n rounds, for short data"},
    {.name = "hierarchical",
     .run = reduce_hierarchical,
     .summary = "within nodes, then switches, then among those: any algorithm in each"},
};

}  // namespace

std::span<const Algorithm> reduce_algorithms() noexcept {
  return table;
}

}  // namespace bowline::coll
