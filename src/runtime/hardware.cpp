// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/hardware.hpp"

#include <algorithm>

#include "node/hardware_around.hpp"
#include "runtime/runtime.hpp"

namespace bowline::runtime {

Hardware Hardware::read() {
  Hardware result;
  result.mine[0] = this_process().first_rank_here();
  std::ranges::copy(node::instances_here(), result.mine.begin() + 1);
  return result;
}

comm::HardwarePlace place_here() {
  const Hardware hardware = Hardware::read();
  return {{hardware.mine[0], hardware.mine[1], hardware.mine[3], hardware.mine[6]}};
}

}  // namespace bowline::runtime
