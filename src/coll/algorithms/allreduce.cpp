// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/allreduce.hpp"

#include "coll/algorithms/slots.hpp"

namespace bowline::coll {
namespace {

constexpr Algorithm table[] = {
    {.name = "recursive_doubling",
     .run = allreduce_recursive_doubling,
     .summary = "exchanges at distance 1, 2, 4...: log2 n rounds, for short data"},
    {.name = "reduce_bcast", .run = allreduce_reduce_bcast, .summary = "a binomial reduction, then a broadcast"},
    {.name = "slots",
     .run = allreduce_slots,
     .shared = true,
     .summary = "each combines what all write to memory that they share"},
    {.name = "shares",
     .run = allreduce_shares,
     .shared = true,
     .summary = "each combines its share of what all write to memory that they share, for long data"},
    {.name = "direct",
     .run = allreduce_direct,
     .shared = true,
     .summary = "each combines its share of the others' buffers, for long data"},
};

}  // namespace

std::span<const Algorithm> allreduce_algorithms() noexcept {
  return table;
}

}  // namespace bowline::coll
