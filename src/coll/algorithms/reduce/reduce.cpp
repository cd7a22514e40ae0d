// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/reduce/reduce.hpp"

#include "coll/algorithms/through_slots.hpp"

namespace bowline::coll {
namespace {

constexpr Algorithm reduce_table[] = {
    {.name = "binomial", .run = reduce_binomial, .summary = "a binomial tree: log2 n rounds, for short data"},
    {.name = "knomial", .run = reduce_knomial, .summary = "a tree with three children a level: log4 n, for short data"},
    {.name = "chain", .run = reduce_chain, .segmented = true, .summary = "a pipeline: for long data and few ranks"},
    {.name = "binary_tree",
     .run = reduce_binary_tree,
     .segmented = true,
     .summary = "a pipeline up a tree: for long data and many ranks"},
    {.name = "rabenseifner",
     .run = reduce_rabenseifner,
     .summary = "a reduce-scatter by halving, and a gather: for data of medium length"},
    {.name = "hierarchical",
     .run = reduce_hierarchical,
     .by_placement = true,
     .composed = true,
     .summary = "within nodes, then switches, then among those: any algorithm in each"},
    {.name = "slots",
     .run = reduce_slots,
     .shared = true,
     .compared = true,
     .summary = "the root combines what all write to memory that they share"},
    {.name = "shares",
     .run = reduce_shares,
     .shared = true,
     .compared = true,
     .summary = "each combines its share of what all write to memory that they share, for long data"},
    {.name = "single_copy",
     .run = reduce_single_copy,
     .shared = true,
     .compared = true,
     .summary = "each reads and combines parts of all buffers, and writes to the root's: for long data"},
};

}  // namespace

std::span<const Algorithm> reduce_algorithms() noexcept {
  return reduce_table;
}

}  // namespace bowline::coll
