// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/alltoall.hpp"

namespace bowline::coll {
namespace {

constexpr Algorithm pairwise = {
    .name = "pairwise", .run = alltoall_pairwise, .summary = "one partner after the other: n - 1 steps, for long data"};
constexpr Algorithm linear = {
    .name = "linear", .run = alltoall_linear, .summary = "partners in the order of ranks, 16 at a time"};
constexpr Algorithm spread = {.name = "spread",
                              .run = alltoall_spread,
                              .summary = "16 partners at a time, everybody starting with the next above"};

constexpr Algorithm table[] = {
    pairwise,
    {.name = "bruck", .run = alltoall_bruck, .summary = "through other members: log2 n rounds, for short data"},
    linear,
    spread,
};

constexpr Algorithm v_table[] = {pairwise, linear, spread};

}  // namespace

std::span<const Algorithm> alltoall_algorithms() noexcept {
  return table;
}

std::span<const Algorithm> alltoallv_algorithms() noexcept {
  return v_table;
}

}  // namespace bowline::coll
