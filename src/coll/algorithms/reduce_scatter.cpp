// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/reduce_scatter.hpp"

#include "coll/algorithms/slots.hpp"

namespace bowline::coll {
namespace {

constexpr Algorithm table[] = {
    {.name = "reduce_scatter",
     .run = reduce_scatter_reduce_scatter,
     .summary = "a binomial reduction to one member, which scatters the result"},
    {.name = "slots",
     .run = reduce_scatter_slots,
     .shared = true,
     .summary = "each combines its block of what all write to memory that they share"},
};

}  // namespace

std::span<const Algorithm> reduce_scatter_algorithms() noexcept {
  return table;
}

std::span<const Algorithm> reduce_scatter_block_algorithms() noexcept {
  return table;
}

}  // namespace bowline::coll
