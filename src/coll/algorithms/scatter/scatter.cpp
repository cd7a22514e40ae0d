// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/scatter/scatter.hpp"

#include "coll/algorithms/through_slots.hpp"

namespace bowline::coll {
namespace {

constexpr Algorithm linear_segmented = {
    .name = "linear_segmented",
    .run = scatter_linear_segmented,
    .segmented = true,
    .summary = "linear in segments, one member after the other, for very long data"};
constexpr Algorithm slots = {.name = "slots",
                             .run = scatter_slots,
                             .shared = true,
                             .compared = true,
                             .summary = "each reads what the root writes to memory that all share"};
constexpr Algorithm single_copy = {
    .name = "single_copy",
    .run = scatter_single_copy,
    .shared = true,
    .compared = true,
    .summary = "short blocks through shared memory, long ones straight from the root's buffer"};
constexpr Algorithm single_copy_v = {
    .name = "single_copy", .run = scatterv_single_copy, .shared = true, .summary = single_copy.summary};

constexpr Algorithm scatter_table[] = {
    {.name = "binomial", .run = scatter_binomial, .summary = "a binomial tree: log2 n rounds, for short data"},
    {.name = "linear", .run = scatter_linear, .summary = "the root sends to everyone, for long data"},
    linear_segmented,
    {.name = "hierarchical",
     .run = scatter_hierarchical,
     .composed = true,
     .summary = "among nodes, then within those: any algorithm in each"},
    slots,
    single_copy,
};

constexpr Algorithm scatterv_table[] = {
    {.name = "linear", .run = scatter_linear, .summary = "the root sends to everyone"},
    linear_segmented,
    slots,
    single_copy_v,
};

}  // namespace

std::span<const Algorithm> scatter_algorithms() noexcept {
  return scatter_table;
}

std::span<const Algorithm> scatterv_algorithms() noexcept {
  return scatterv_table;
}

}  // namespace bowline::coll
