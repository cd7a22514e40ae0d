// SPDX-License-Identifier: BSD-3-Clause
// Virtual bridges (docker0, virbr0): devices that look like a network, but join only what runs on this node.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bowline::ucx {

/// The network devices of a node.
struct NetworkDevices {
  std::vector<std::string> bridges;
  std::vector<std::string> others;  ///< that are up, without the loopback device
};

/// As the kernel lists them in `directory`, one folder for each; nothing if it does not.
NetworkDevices network_devices(const std::filesystem::path& directory = "/sys/class/net");

/// The bridge over which messages go although there is another network; nothing if there is none. `lanes`: what UCX
/// prints about an endpoint, which names its devices as in "tcp/eth0".
std::optional<std::string> bridge_in_use(const NetworkDevices& devices, std::string_view lanes);

}  // namespace bowline::ucx
