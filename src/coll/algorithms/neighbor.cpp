// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/neighbor.hpp"

namespace bowline::coll {
namespace {

constexpr std::string_view linear = "every block straight from its source to its destination";

constexpr Algorithm allgather_table[] = {
    {.name = "linear", .run = neighbor_allgather_linear, .summary = linear},
};

constexpr Algorithm alltoall_table[] = {
    {.name = "linear", .run = neighbor_alltoall_linear, .summary = linear},
};

}  // namespace

std::span<const Algorithm> neighbor_allgather_algorithms() noexcept {
  return allgather_table;
}

std::span<const Algorithm> neighbor_alltoall_algorithms() noexcept {
  return alltoall_table;
}

}  // namespace bowline::coll
