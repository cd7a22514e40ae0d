// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/bcast/bcast.hpp"

#include "coll/algorithms/through_slots.hpp"

namespace bowline::coll {
namespace {

constexpr Algorithm bcast_table[] = {
    {.name = "binomial", .run = bcast_binomial, .summary = "a binomial tree: log2 n rounds, for short data"},
    {.name = "knomial", .run = bcast_knomial, .summary = "a tree with three children a level: log4 n, for short data"},
    {.name = "chain", .run = bcast_chain, .segmented = true, .summary = "a pipeline: for long data and few ranks"},
    {.name = "binary_tree",
     .run = bcast_binary_tree,
     .segmented = true,
     .summary = "a pipeline down a tree: for long data and many ranks"},
    {.name = "scatter_ring",
     .run = bcast_scatter_ring,
     .summary = "a scatter and a ring allgather: for long data, without segments"},
    {.name = "scatter_doubling",
     .run = bcast_scatter_doubling,
     .summary = "a scatter and an allgather in log2 n rounds: for data of medium length"},
    {.name = "hierarchical",
     .run = bcast_hierarchical,
     .composed = true,
     .summary = "among groups of switches, then switches, then within nodes: any algorithm in each"},
    {.name = "slots",
     .run = bcast_slots,
     .shared = true,
     .compared = true,
     .summary = "the root writes to memory that all members share, the others read"},
    {.name = "single_copy",
     .run = bcast_single_copy,
     .shared = true,
     .compared = true,
     .summary = "short data through shared memory, long ones straight from the root's buffer"},
};

}  // namespace

std::span<const Algorithm> bcast_algorithms() noexcept {
  return bcast_table;
}

}  // namespace bowline::coll
