// SPDX-License-Identifier: BSD-3-Clause
#include "ucx/bridges.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <system_error>

namespace bowline::ucx {
namespace {

bool is_up(const std::filesystem::path& device) {
  std::string state;  // "unknown" if the driver does not report it, like drivers of virtual devices
  return std::ifstream(device / "operstate") >> state && (state == "up" || state == "unknown");
}

bool ends_a_name(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0 || c == '.';  // UCX appends a number: "tcp/eth0.0"
}

bool names(std::string_view lanes, const std::string& device) {
  const std::string after = "/" + device;
  for (std::size_t at = lanes.find(after); at != std::string_view::npos; at = lanes.find(after, at + 1)) {
    const std::size_t end = at + after.size();
    if (end == lanes.size() || ends_a_name(lanes[end])) return true;
  }
  return false;
}

}  // namespace

NetworkDevices network_devices(const std::filesystem::path& directory) {
  NetworkDevices devices;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(directory, none)) {
    const std::string name = entry.path().filename();
    if (std::filesystem::exists(entry.path() / "bridge", none)) {
      devices.bridges.push_back(name);
    } else if (name != "lo" && is_up(entry.path())) {
      devices.others.push_back(name);
    }
  }
  std::ranges::sort(devices.bridges);
  std::ranges::sort(devices.others);
  return devices;
}

std::optional<std::string> bridge_in_use(const NetworkDevices& devices, std::string_view lanes) {
  if (devices.others.empty()) return {};
  const auto used = std::ranges::find_if(devices.bridges, [&](const auto& bridge) { return names(lanes, bridge); });
  if (used == devices.bridges.end()) return {};
  return *used;
}

}  // namespace bowline::ucx
