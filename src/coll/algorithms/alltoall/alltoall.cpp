// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/alltoall/alltoall.hpp"

#include "coll/algorithms/through_slots.hpp"

namespace bowline::coll {
namespace {

constexpr Algorithm pairwise = {
    .name = "pairwise", .run = alltoall_pairwise, .summary = "one partner after the other: n - 1 steps, for long data"};
constexpr Algorithm linear = {
    .name = "linear", .run = alltoall_linear, .summary = "partners in the order of ranks, 16 at a time"};
constexpr Algorithm spread = {.name = "spread",
                              .run = alltoall_spread,
                              .summary = "16 partners at a time, everybody starting with the next above"};
constexpr Algorithm slots = {.name = "slots",
                             .run = alltoall_slots,
                             .shared = true,
                             .compared = true,
                             .summary = "each reads what all write to memory that they share"};
constexpr Algorithm single_copy = {
    .name = "single_copy",
    .run = alltoall_single_copy,
    .shared = true,
    .compared = true,
    .summary = "each reads from the others' buffers; short data through memory that they share"};
constexpr Algorithm single_copy_v = {
    .name = "single_copy", .run = alltoallv_single_copy, .shared = true, .summary = single_copy.summary};

constexpr Algorithm alltoall_table[] = {
    pairwise,
    {.name = "bruck", .run = alltoall_bruck, .summary = "through other members: log2 n rounds, for short data"},
    linear,
    spread,
    slots,
    single_copy,
    {.name = "agreed",
     .run = alltoall_agreed,
     .shared = true,
     .compared = true,
     .summary = "linear, once all have told the same length: for long data of ranks that share cores"},
};

constexpr Algorithm v_table[] = {
    pairwise, linear, spread, slots, single_copy_v,
};

}  // namespace

std::span<const Algorithm> alltoall_algorithms() noexcept {
  return alltoall_table;
}

std::span<const Algorithm> alltoallv_algorithms() noexcept {
  return v_table;
}

}  // namespace bowline::coll
