// SPDX-License-Identifier: BSD-3-Clause
// Virtual bridges (docker0, virbr0): devices that look like a network but do not lead to other nodes.
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
  std::vector<std::string> others;  ///< all other devices that are up, except the loopback device
};

/// Reads the devices from `directory`, in which the kernel keeps one folder per device. Both lists are sorted; they are
/// empty if the directory cannot be read.
NetworkDevices network_devices(const std::filesystem::path& directory = "/sys/class/net");

/// The bridge over which an endpoint sends although the node has another network; std::nullopt if there is none.
/// `lanes`: UCX's description of the endpoint, which names devices as in "tcp/eth0".
std::optional<std::string> bridge_in_use(const NetworkDevices& devices, std::string_view lanes);

}  // namespace bowline::ucx
