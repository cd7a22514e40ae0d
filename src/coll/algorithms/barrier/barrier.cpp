// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/barrier/barrier.hpp"

#include "coll/algorithms/through_slots.hpp"

namespace bowline::coll {
namespace {

constexpr Algorithm barrier_table[] = {
    {.name = "dissemination", .run = barrier_dissemination, .summary = "signals at distance 1, 2, 4...: log2 n rounds"},
    {.name = "central", .run = barrier_central, .summary = "all report to one member: where ranks share cores"},
    {.name = "tree",
     .run = barrier_tree,
     .summary = "up and down a tree of four children: few messages for many members"},
    {.name = "hierarchical",
     .run = barrier_hierarchical,
     .composed = true,
     .summary = "within nodes, then switches, then among those: any algorithm in each"},
    {.name = "flags", .run = barrier_flags, .shared = true, .summary = "flags in memory that all members share"},
    {.name = "groups",
     .run = barrier_groups,
     .shared = true,
     .summary = "flags, in groups that share a cache: for many members of a node"},
};

}  // namespace

std::span<const Algorithm> barrier_algorithms() noexcept {
  return barrier_table;
}

}  // namespace bowline::coll
