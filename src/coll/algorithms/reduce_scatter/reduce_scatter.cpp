// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/reduce_scatter/reduce_scatter.hpp"

#include "coll/algorithms/through_slots.hpp"

namespace bowline::coll {
namespace {

constexpr Algorithm reduce_scatter_table[] = {
    {.name = "reduce_scatter",
     .run = reduce_scatter_reduce_scatter,
     .summary = "a binomial reduction to one member, which scatters the result"},
    {.name = "recursive_halving",
     .run = reduce_scatter_recursive_halving,
     .ordered = false,
     .summary = "exchanges of half of the data, a quarter, and so on: log2 n rounds"},
    {.name = "pairwise",
     .run = reduce_scatter_pairwise,
     .summary = "every contribution straight to its member: n - 1 steps, for long data"},
    {.name = "ring",
     .run = reduce_scatter_ring,
     .ordered = false,
     .summary = "blocks travel around a ring: n - 1 steps between neighbours, for long data"},
    {.name = "slots",
     .run = reduce_scatter_slots,
     .shared = true,
     .compared = true,
     .summary = "each combines its block of what all write to memory that they share"},
    {.name = "single_copy",
     .run = reduce_scatter_single_copy,
     .shared = true,
     .compared = true,
     .summary = "each combines its block of the others' buffers, for long data"},
};

}  // namespace

std::span<const Algorithm> reduce_scatter_algorithms() noexcept {
  return reduce_scatter_table;
}

std::span<const Algorithm> reduce_scatter_block_algorithms() noexcept {
  return reduce_scatter_table;
}

}  // namespace bowline::coll
