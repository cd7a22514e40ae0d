// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/allgather.hpp"

namespace bowline::coll {
namespace {

constexpr Algorithm table[] = {
    {.name = "bruck",
     .run = allgather_bruck,
     .summary = "doubles what it has in each of log2 n rounds, for short data"},
};

}  // namespace

std::span<const Algorithm> allgather_algorithms() noexcept {
  return table;
}

}  // namespace bowline::coll
