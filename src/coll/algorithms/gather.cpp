// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/gather.hpp"

#include "coll/algorithms/slots.hpp"

namespace bowline::coll {
namespace {

constexpr Algorithm gather_table[] = {
    {.name = "binomial", .run = gather_binomial, .summary = "a binomial tree: log2 n rounds, for short data"},
    {.name = "linear", .run = gather_linear, .summary = "everyone sends to the root, for long data"},
    {.name = "linear_segmented",
     .run = gather_linear_segmented,
     .segmented = true,
     .summary = "linear, by turns in segments, for very long data"},
    {.name = "hierarchical",
     .run = gather_hierarchical,
     .composed = true,
     .summary = "within nodes, then among those: any algorithm in each"},
    {.name = "slots",
     .run = gather_slots,
     .shared = true,
     .summary = "the root reads what all write to memory that they share"},
    {.name = "direct",
     .run = gather_direct,
     .shared = true,
     .summary = "short blocks through shared memory, long ones straight to the root's buffer"},
};

constexpr Algorithm gatherv_table[] = {
    {.name = "linear", .run = gather_linear, .summary = "everyone sends to the root"},
    {.name = "linear_segmented",
     .run = gather_linear_segmented,
     .segmented = true,
     .summary = "linear, by turns in segments, for very long data"},
    {.name = "slots",
     .run = gather_slots,
     .shared = true,
     .summary = "the root reads what all write to memory that they share"},
    {.name = "direct",
     .run = gather_direct,
     .shared = true,
     .summary = "short blocks through shared memory, long ones straight to the root's buffer"},
};

}  // namespace

std::span<const Algorithm> gather_algorithms() noexcept {
  return gather_table;
}

std::span<const Algorithm> gatherv_algorithms() noexcept {
  return gatherv_table;
}

}  // namespace bowline::coll
