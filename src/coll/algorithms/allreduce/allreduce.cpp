// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/allreduce/allreduce.hpp"

#include "coll/algorithms/through_slots.hpp"

namespace bowline::coll {
namespace {

constexpr Algorithm allreduce_table[] = {
    {.name = "recursive_doubling",
     .run = allreduce_recursive_doubling,
     .summary = "exchanges at distance 1, 2, 4...: log2 n rounds, for short data"},
    {.name = "reduce_bcast", .run = allreduce_reduce_bcast, .summary = "a binomial reduction, then a broadcast"},
    {.name = "rabenseifner",
     .run = allreduce_rabenseifner,
     .summary = "reduce-scatter by halving, allgather by doubling: 2 log2 n rounds, for long data"},
    {.name = "ring",
     .run = allreduce_ring,
     .ordered = false,
     .summary = "parts travel around a ring twice: 2 (n - 1) steps, for long data"},
    {.name = "segmented_ring",
     .run = allreduce_segmented_ring,
     .ordered = false,
     .segmented = true,
     .summary = "the ring, combining one segment while others travel, for very long data"},
    {.name = "pipelined_tree",
     .run = allreduce_pipelined_tree,
     .segmented = true,
     .summary = "segments go up and come down a binary tree at the same time, for long data and many members"},
    {.name = "hierarchical",
     .run = allreduce_hierarchical,
     .by_placement = true,
     .composed = true,
     .summary = "reduced within nodes and switches, combined among those, and spread: any algorithm in each"},
    {.name = "slots",
     .run = allreduce_slots,
     .shared = true,
     .compared = true,
     .summary = "each combines what all write to memory that they share"},
    {.name = "groups",
     .run = allreduce_groups,
     .ordered = false,
     .shared = true,
     .by_placement = true,
     .summary = "combined within groups that share a cache, then among those: for many members of a node"},
    {.name = "shares",
     .run = allreduce_shares,
     .shared = true,
     .compared = true,
     .summary = "each combines its share of what all write to memory that they share, for long data"},
    {.name = "single_copy",
     .run = allreduce_single_copy,
     .shared = true,
     .compared = true,
     .summary = "each combines its share of the others' buffers, for long data"},
};

}  // namespace

std::span<const Algorithm> allreduce_algorithms() noexcept {
  return allreduce_table;
}

}  // namespace bowline::coll
