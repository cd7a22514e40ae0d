// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/alltoall.hpp"

#include "coll/algorithms/slots.hpp"

namespace bowline::coll {
namespace {

constexpr Algorithm table[] = {
    {.name = "pairwise",
     .run = alltoall_pairwise,
     .summary = "one partner after the other: n - 1 steps, for long data"},
    {.name = "slots",
     .run = alltoall_slots,
     .shared = true,
     .summary = "each reads what all write to memory that they share"},
    {.name = "direct",
     .run = alltoall_direct,
     .shared = true,
     .summary = "each reads from the others' buffers, for long data"},
};

constexpr Algorithm v_table[] = {
    {.name = "pairwise",
     .run = alltoall_pairwise,
     .summary = "one partner after the other: n - 1 steps, for long data"},
    {.name = "slots",
     .run = alltoall_slots,
     .shared = true,
     .summary = "each reads what all write to memory that they share"},
    {.name = "direct",
     .run = alltoall_direct,
     .shared = true,
     .summary = "each reads from the others' buffers, for long data"},
};

}  // namespace

std::span<const Algorithm> alltoall_algorithms() noexcept {
  return table;
}

std::span<const Algorithm> alltoallv_algorithms() noexcept {
  return v_table;
}

}  // namespace bowline::coll
