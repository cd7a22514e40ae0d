// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/bcast.hpp"

#include "coll/algorithms/slots.hpp"

namespace bowline::coll {
namespace {

constexpr Algorithm table[] = {
    {.name = "binomial", .run = bcast_binomial, .summary = "a binomial tree: log2 n rounds, for short data"},
    {.name = "slots",
     .run = bcast_slots,
     .shared = true,
     .summary = "the root writes to memory that all members share, the others read"},
    {.name = "direct",
     .run = bcast_direct,
     .shared = true,
     .summary = "all read from the root's buffer, for long data"},
};

}  // namespace

std::span<const Algorithm> bcast_algorithms() noexcept {
  return table;
}

}  // namespace bowline::coll
