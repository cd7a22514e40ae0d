// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/neighbor/neighbor.hpp"

namespace bowline::coll {
namespace {

constexpr std::string_view linear = "every block straight from its source to its destination";
constexpr std::string_view combining = "dimension by dimension through a torus: few messages, for short blocks";

constexpr Algorithm allgather_table[] = {
    {.name = "linear", .run = neighbor_allgather_linear, .summary = linear},
    {.name = "combining", .run = neighbor_allgather_combining, .summary = combining},
};

constexpr Algorithm alltoall_table[] = {
    {.name = "linear", .run = neighbor_alltoall_linear, .summary = linear},
    {.name = "combining", .run = neighbor_alltoall_combining, .summary = combining},
};

}  // namespace

std::span<const Algorithm> neighbor_allgather_algorithms() noexcept {
  return allgather_table;
}

std::span<const Algorithm> neighbor_alltoall_algorithms() noexcept {
  return alltoall_table;
}

}  // namespace bowline::coll
