// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/allgather/allgather.hpp"

#include "coll/algorithms/through_slots.hpp"

namespace bowline::coll {
namespace {

constexpr Algorithm ring = {
    .name = "ring", .run = allgather_ring, .summary = "blocks travel around a ring: n - 1 steps, for long data"};
constexpr Algorithm linear = {
    .name = "linear", .run = allgather_linear, .summary = "everybody sends to everybody: one latency, n - 1 messages"};
constexpr Algorithm slots = {.name = "slots",
                             .run = allgather_slots,
                             .shared = true,
                             .compared = true,
                             .summary = "each reads what all write to memory that they share"};
constexpr Algorithm single_copy = {
    .name = "single_copy",
    .run = allgather_single_copy,
    .shared = true,
    .compared = true,
    .summary = "each reads from the others' buffers; short data through memory that they share"};

constexpr Algorithm allgather_table[] = {
    {.name = "bruck",
     .run = allgather_bruck,
     .summary = "doubles what it has in each of log2 n rounds, for short data"},
    {.name = "recursive_doubling",
     .run = allgather_recursive_doubling,
     .power_of_two = true,
     .summary = "exchanges at distance 1, 2, 4...: log2 n rounds without copies"},
    ring,
    {.name = "neighbor_exchange",
     .run = allgather_neighbor_exchange,
     .summary = "pairs of blocks between neighbours: n / 2 steps, for long data"},
    linear,
    {.name = "hierarchical",
     .run = allgather_hierarchical,
     .composed = true,
     .summary = "gathered within nodes, exchanged among them, and spread: any algorithm in each"},
    slots,
    single_copy,
};

constexpr Algorithm v_table[] = {
    ring,
    linear,
    slots,
    single_copy,
};

}  // namespace

std::span<const Algorithm> allgather_algorithms() noexcept {
  return allgather_table;
}

std::span<const Algorithm> allgatherv_algorithms() noexcept {
  return v_table;
}

}  // namespace bowline::coll
