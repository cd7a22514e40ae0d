// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/gather/gather.hpp"

#include "coll/algorithms/through_slots.hpp"

namespace bowline::coll {
namespace {

constexpr Algorithm linear_segmented = {
    .name = "linear_segmented",
    .run = gather_linear_segmented,
    .segmented = true,
    .summary = "linear in segments, one member after the other, for very long data"};
constexpr Algorithm slots = {.name = "slots",
                             .run = gather_slots,
                             .shared = true,
                             .compared = true,
                             .summary = "the root reads what all write to memory that they share"};
constexpr Algorithm single_copy = {
    .name = "single_copy",
    .run = gather_single_copy,
    .shared = true,
    .compared = true,
    .summary = "short blocks through shared memory, long ones straight to the root's buffer"};
constexpr Algorithm single_copy_v = {
    .name = "single_copy", .run = gatherv_single_copy, .shared = true, .summary = single_copy.summary};

constexpr Algorithm gather_table[] = {
    {.name = "binomial", .run = gather_binomial, .summary = "a binomial tree: log2 n rounds, for short data"},
    {.name = "linear", .run = gather_linear, .summary = "everyone sends to the root, for long data"},
    linear_segmented,
    {.name = "hierarchical",
     .run = gather_hierarchical,
     .composed = true,
     .summary = "within nodes, then among those: any algorithm in each"},
    slots,
    single_copy,
};

constexpr Algorithm gatherv_table[] = {
    {.name = "linear", .run = gather_linear, .summary = "everyone sends to the root"},
    linear_segmented,
    slots,
    single_copy_v,
};

}  // namespace

std::span<const Algorithm> gather_algorithms() noexcept {
  return gather_table;
}

std::span<const Algorithm> gatherv_algorithms() noexcept {
  return gatherv_table;
}

}  // namespace bowline::coll
