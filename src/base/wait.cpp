// SPDX-License-Identifier: BSD-3-Clause
#include "base/wait.hpp"

#include "base/tunable.hpp"

namespace bowline {
namespace {

Tunable<int> wait_spins{"wait_spins", 4000, 0, 1 << 30,
                        "attempts a waiting call makes before it yields its core, when every rank has a core"};
Tunable<int> wait_yields{"wait_yields", 1000, 0, 1 << 30, "times a waiting call yields its core before it sleeps"};

}  // namespace

WaitPolicy WaitPolicy::make(bool more_ranks_than_cores) noexcept {
  WaitPolicy policy;
  policy.spins = more_ranks_than_cores ? 0 : static_cast<std::uint32_t>(wait_spins.value());
  policy.yields = static_cast<std::uint32_t>(wait_yields.value());
  return policy;
}

}  // namespace bowline
