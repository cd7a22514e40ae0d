// SPDX-License-Identifier: BSD-3-Clause
// Stands in for src/base/cpu_relax.hpp: lets another thread of the model run, so that a loop ends.
#pragma once

#include "relacy.hpp"

namespace bowline {

inline void cpu_relax() {
  rl::yield(1, RL_INFO);
}

}  // namespace bowline
