// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/bcast.hpp"

namespace bowline::coll {
namespace {

constexpr Algorithm table[] = {
    {.name = "binomial", .run = bcast_binomial, .summary = "a binomial tree: log2 n rounds, for short data"},
    {.name = "hierarchical",
     .run = bcast_hierarchical,
     .summary = "among groups of switches, then switches, then within nodes: any algorithm in each"},
};

}  // namespace

std::span<const Algorithm> bcast_algorithms() noexcept {
  return table;
}

}  // namespace bowline::coll
