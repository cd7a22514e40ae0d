// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/bcast.hpp"

namespace bowline::coll {
namespace {

constexpr Algorithm table[] = {
    {.name = "binomial", .run = bcast_binomial, .summary = "a binomial tree: log2 n rounds, for short data"},
};

}  // namespace

std::span<const Algorithm> bcast_algorithms() noexcept {
  return table;
}

}  // namespace bowline::coll
