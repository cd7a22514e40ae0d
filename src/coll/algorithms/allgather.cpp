// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/allgather.hpp"

namespace bowline::coll {
namespace {

constexpr Algorithm table[] = {
    {.name = "bruck",
     .run = allgather_bruck,
     .summary = "doubles what it has in each of log2 n rounds, for short data"},
    {.name = "ring", .run = allgather_ring, .summary = "blocks travel around a ring: n - 1 steps, for long data"},
    {.name = "hierarchical",
     .run = allgather_hierarchical,
     .summary = "gathered within nodes, exchanged among them, and spread: any algorithm in each"},
};

constexpr Algorithm v_table[] = {
    {.name = "ring", .run = allgather_ring, .summary = "blocks travel around a ring: n - 1 steps, for long data"},
};

}  // namespace

std::span<const Algorithm> allgather_algorithms() noexcept {
  return table;
}

std::span<const Algorithm> allgatherv_algorithms() noexcept {
  return v_table;
}

}  // namespace bowline::coll
