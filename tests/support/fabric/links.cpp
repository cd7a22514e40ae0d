// SPDX-License-Identifier: BSD-3-Clause
#include "support/fabric/links.hpp"

#include <limits>
#include <string>

#include "support/fabric/adapter.hpp"
#include "support/fabric/counts.hpp"
#include "support/fabric/fabric_settings.hpp"
#include "support/fabric/misuse.hpp"

namespace fabric {
namespace {

constexpr std::uint64_t until_told = std::numeric_limits<std::uint64_t>::max();

void take_down(int port, int milliseconds) {
  std::uint64_t& until = subnet().ports[port].down_until;
  if (milliseconds == 0) {
    until = 0;
  } else {
    until = milliseconds < 0 ? until_told : now() + static_cast<std::uint64_t>(milliseconds) * 1'000'000;
  }
}

}  // namespace

bool link_is_up(int port) {
  const std::uint64_t until = subnet().ports[port].down_until;
  return until == 0 || (until != until_told && now() >= until);
}

void count_towards_link_down() {
  static int operations = 0;
  if (settings().down_after < 0 || operations++ != settings().down_after) return;
  const std::string& only = settings().down_port;
  for (int device = 0; device != settings().devices; ++device) {
    for (int port = 1; port <= settings().ports; ++port) {
      const std::string name = "fabric" + std::to_string(device) + ":" + std::to_string(port);
      if (only.empty() || only == name) take_down(fabric_port(device, port), settings().down_for);
    }
  }
}

}  // namespace fabric

void fabric_count(fabric_counts* counts) {
  const fabric::SubnetLock lock;
  *counts = fabric::counts;
}

void fabric_link_down(int device, int port, int milliseconds) {
  if (device < 0 || device >= fabric::settings().devices || port < 1 || port > fabric::settings().ports) {
    fabric::misuse("fabric_link_down of port %d of device %d, which does not exist", port, device);
  }
  const fabric::SubnetLock lock;
  fabric::take_down(fabric::fabric_port(device, port), milliseconds);
}
