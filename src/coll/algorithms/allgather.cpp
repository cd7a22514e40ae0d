// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/allgather.hpp"

#include "coll/algorithms/slots.hpp"

namespace bowline::coll {
namespace {

constexpr Algorithm table[] = {
    {.name = "bruck",
     .run = allgather_bruck,
     .summary = "doubles what it has in each of log2 n rounds, for short data"},
    {.name = "ring", .run = allgather_ring, .summary = "blocks travel around a ring: n - 1 steps, for long data"},
    {.name = "slots",
     .run = allgather_slots,
     .shared = true,
     .summary = "each reads what all write to memory that they share"},
    {.name = "direct",
     .run = allgather_direct,
     .shared = true,
     .summary = "each reads from the others' buffers, for long data"},
};

constexpr Algorithm v_table[] = {
    {.name = "ring", .run = allgather_ring, .summary = "blocks travel around a ring: n - 1 steps, for long data"},
    {.name = "slots",
     .run = allgather_slots,
     .shared = true,
     .summary = "each reads what all write to memory that they share"},
    {.name = "direct",
     .run = allgather_direct,
     .shared = true,
     .summary = "each reads from the others' buffers, for long data"},
};

}  // namespace

std::span<const Algorithm> allgather_algorithms() noexcept {
  return table;
}

std::span<const Algorithm> allgatherv_algorithms() noexcept {
  return v_table;
}

}  // namespace bowline::coll
