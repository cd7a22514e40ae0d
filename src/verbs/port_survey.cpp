// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/port_survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <span>
#include <sstream>
#include <string>

#include "base/error.hpp"
#include "base/log.hpp"
#include "node/numa.hpp"
#include "verbs/managed/managed_adapters.hpp"
#include "verbs/verbs_handles.hpp"
#include "verbs/verbs_library.hpp"
#include "verbs/verbs_settings.hpp"

namespace bowline::verbs {
namespace {

/// The first word of one of the kernel's files about an adapter; empty if there is none.
std::string kernel_says(const std::string& device, const std::string& file) {
  std::string word;
  std::ifstream("/sys/class/infiniband/" + device + "/" + file) >> word;
  return word;
}

/// The whole line of one of the kernel's files about an adapter; empty if there is none.
std::string kernel_line(const std::string& device, const std::string& file) {
  std::string line;
  std::ifstream input("/sys/class/infiniband/" + device + "/" + file);
  std::getline(input, line);
  return line;
}

bool is_ipv4(const ibv_gid& gid) noexcept {
  static constexpr std::array<std::uint8_t, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return std::equal(mapped.begin(), mapped.end(), gid.raw);
}

bool is_empty(const ibv_gid& gid) noexcept {
  return std::ranges::all_of(gid.raw, [](std::uint8_t byte) { return byte == 0; });
}

/// An old libibverbs does not tell the type of a GID, but the kernel does.
Fabric type_of_gid(ibv_context* device, const Port& port, unsigned index) {
  if (library().query_gid_ex != nullptr) {
    ibv_gid_entry entry{};
    if (library().query_gid_ex(device, port.number, index, &entry, 0, sizeof entry) == 0)
      return entry.gid_type == IBV_GID_TYPE_ROCE_V2 ? Fabric::roce_v2 : Fabric::roce_v1;
  }
  const auto type = kernel_line(port.device, fmt::format("ports/{}/gid_attrs/types/{}", port.number, index));
  return type.starts_with("RoCE v2") ? Fabric::roce_v2 : Fabric::roce_v1;
}

/// How well an entry of the table of GIDs suits: the greater the better.
int worth_of_gid(Fabric type, const ibv_gid& gid) noexcept {
  return (type == Fabric::roce_v2 ? 2 : 0) + (is_ipv4(gid) ? 1 : 0);
}

/// Chooses the GID of an Ethernet port.
void choose_gid(ibv_context* device, Port& port, unsigned entries) {
  const int wanted = gid_index_choice.value();
  int best = -1;
  for (unsigned index = 0; index < entries; ++index) {
    if (wanted >= 0 && static_cast<unsigned>(wanted) != index) continue;
    ibv_gid gid{};
    if (library().query_gid(device, port.number, static_cast<int>(index), &gid) != 0 || is_empty(gid)) continue;
    const Fabric type = type_of_gid(device, port, index);
    const int worth = worth_of_gid(type, gid);
    if (worth <= best) continue;
    best = worth;
    port.address.fabric = type;
    port.gid_index = static_cast<int>(index);
    std::ranges::copy(gid.raw, port.address.gid.begin());
  }
  if (best >= 0) return;
  port.unusable = wanted >= 0 ? fmt::format(
                                    "its table of GIDs has no entry {}, which BOWLINE_VERBS_GID_INDEX names, "
                                    "or that entry is empty",
                                    wanted)
                              : "its table of GIDs is empty: give its network interface an address";
}

std::string_view in_words(ibv_port_state state) noexcept {
  switch (state) {
    case IBV_PORT_DOWN:
      return "down";
    case IBV_PORT_INIT:
      return "initializing: does a subnet manager run?";
    case IBV_PORT_ARMED:
      return "armed, not active";
    default:
      return "not active";
  }
}

/// Gbit/s as the kernel writes it: "100 Gb/sec (4X EDR)".
std::uint64_t rate_of(const Port& port) {
  const std::string rate = kernel_says(port.device, fmt::format("ports/{}/rate", port.number));
  return rate.empty() ? 0 : static_cast<std::uint64_t>(std::strtod(rate.c_str(), nullptr) * 1000);
}

/// The distance from the NUMA node that the kernel names; 0 if it names none.
unsigned distance_of(const Port& port) {
  int node = -1;
  std::istringstream(kernel_says(port.device, "device/numa_node")) >> node;
  return node::numa_distance(node);
}

/// Decides what connects the queue pairs of a port that is usable otherwise.
void choose_connecting(Port& port) {
  const std::string_view chosen = connect_choice.value();
  const bool must = port.address.fabric == Fabric::iwarp || chosen == "cm";
  if (chosen == "direct" && must) {
    port.unusable = "iWARP needs the connection manager, which BOWLINE_VERBS_CONNECT=direct excludes";
    return;
  }
  if (!must && (chosen == "direct" || !is_routable(port.address))) return;
  try {
    port.interface = find_interface(port);
    port.connecting = must ? Connecting::managed : Connecting::either;
  } catch (const Error& error) {
    if (must)
      port.unusable = error.what();
    else
      log::info("{} reaches no InfiniBand port of another subnet: {}", to_text(port), error.what());
  }
}

void describe(ibv_context* device, Port& port, bool iwarp) {
  ibv_port_attr facts{};
  // The function of the library fills the older form of the structure, which is the beginning of the present form.
  const int failed = library().query_port(device, port.number, reinterpret_cast<_compat_ibv_port_attr*>(&facts));
  if (failed != 0) {
    port.unusable = fmt::format("asking for its state failed: {}", std::strerror(failed));
    return;
  }
  port.rate = rate_of(port);
  port.distance = distance_of(port);
  port.address.mtu = static_cast<std::uint8_t>(facts.active_mtu);
  port.address.lid = facts.lid;
  if (facts.state != IBV_PORT_ACTIVE) {
    port.unusable = fmt::format("it is {}", in_words(facts.state));
  } else if (iwarp) {
    port.address.fabric = Fabric::iwarp;
  } else if (facts.link_layer == IBV_LINK_LAYER_ETHERNET) {
    choose_gid(device, port, static_cast<unsigned>(facts.gid_tbl_len));
  } else {
    ibv_gid gid{};
    port.gid_index = std::max(gid_index_choice.value(), 0);
    if (library().query_gid(device, port.number, port.gid_index, &gid) == 0)
      std::ranges::copy(gid.raw, port.address.gid.begin());
    if (facts.lid == 0) port.unusable = "the subnet manager has given it no LID";
  }
}

}  // namespace

std::vector<Port> find_ports() {
  const Library& verbs = library();
  int count = 0;
  ibv_device** const list = verbs.get_device_list(&count);
  if (list == nullptr)
    throw Error(ErrorClass::other,
                fmt::format("listing the RDMA adapters of this node failed: {}", std::strerror(errno)));
  const std::unique_ptr<ibv_device*, decltype(verbs.free_device_list)> holder(list, verbs.free_device_list);
  std::vector<Port> ports;
  for (ibv_device* const each : std::span(list, static_cast<std::size_t>(count))) {
    Port port;
    port.device = verbs.get_device_name(each);
    const OpenDevice device(verbs.open_device(each));
    ibv_device_attr facts{};
    if (device == nullptr || verbs.query_device(device.get(), &facts) != 0) {
      port.unusable =
          fmt::format("it cannot be opened: {}; may this user open /dev/infiniband/uverbs*?", std::strerror(errno));
      ports.push_back(port);
      continue;
    }
    for (unsigned number = 1; number <= facts.phys_port_cnt; ++number) {
      port.number = static_cast<std::uint8_t>(number);
      port.unusable.clear();
      port.connecting = Connecting::direct;
      describe(device.get(), port, each->transport_type == IBV_TRANSPORT_IWARP);
      if (port.unusable.empty() && facts.max_srq == 0) port.unusable = "it has no shared receive queues; UCX serves it";
      if (port.unusable.empty()) choose_connecting(port);
      ports.push_back(port);
    }
  }
  return ports;
}

}  // namespace bowline::verbs
