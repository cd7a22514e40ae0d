// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/verbs_port.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "transport/striping/rail.hpp"
#include "verbs/port_survey.hpp"
#include "verbs/verbs_settings.hpp"

namespace bowline::verbs {
namespace {

constexpr std::size_t subnet_prefix_bytes = 8;

bool is_named(const Port& port, const std::string& name) {
  return name == port.device || name == fmt::format("{}:{}", port.device, port.number);
}

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream text(list);
  for (std::string name; std::getline(text, name, ',');) {
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

std::string all_names(const std::vector<Port>& ports) {
  std::string all;
  for (const Port& port : ports) all += fmt::format("{}{}:{}", all.empty() ? "" : ", ", port.device, port.number);
  return all.empty() ? "none" : all;
}

/// Whether long messages may be shared with a further port: this needs completions that prove that data have arrived,
/// which iWARP does not have.
bool can_share(const Port& first, const Port& further) noexcept {
  return first.address.fabric != Fabric::iwarp && further.address.fabric != Fabric::iwarp;
}

/// Chooses the usable ports whose adapter has this name.
void choose_named(std::vector<Port>& ports, std::size_t& chosen, const std::string& name) {
  bool there = false;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (!is_named(ports[i], name)) continue;
    there = true;
    if (ports[i].chosen || !ports[i].unusable.empty() || chosen == transport::most_rails) continue;
    if (chosen > 0 && !can_share(ports.front(), ports[i])) {
      ports[i].verdict = "not used: adapters of iWARP do not share long messages";
      continue;
    }
    ports[i].chosen = true;
    ports[i].verdict = chosen == 0 ? "chosen: BOWLINE_VERBS_DEVICE names it"
                                   : "chosen: for long messages, because BOWLINE_VERBS_DEVICE names it";
    const auto place = ports.begin() + static_cast<std::ptrdiff_t>(i);
    std::rotate(ports.begin() + static_cast<std::ptrdiff_t>(chosen++), place, place + 1);
  }
  if (there) return;
  throw Error(ErrorClass::arg, fmt::format("BOWLINE_VERBS_DEVICE names {}, but this node's RDMA adapters have these "
                                           "ports: {}; name some of them, or leave the variable out",
                                           name, all_names(ports)));
}

/// Whether two adapters may share the work of a message half and half.
bool are_alike(const Port& one, const Port& other) noexcept {
  return one.distance == other.distance && one.rate == other.rate && connect_directly(one.address, other.address);
}

/// Chooses the nearest usable port, the fastest one if several are equally near, and beside it others like it.
void choose_nearest(std::vector<Port>& ports, std::size_t most) {
  const auto order = [](const Port& port) {
    return std::tuple(!port.unusable.empty(), port.distance, ~port.rate, port.device, port.number);
  };
  std::ranges::sort(ports, {}, order);
  if (ports.empty() || !ports.front().unusable.empty()) return;
  const Port& first = ports.front();
  ports.front().chosen = true;
  ports.front().verdict = "chosen: the nearest active port";
  std::size_t chosen = 1;
  for (std::size_t i = 1; i < ports.size(); ++i) {
    if (!ports[i].unusable.empty() || !are_alike(first, ports[i])) continue;
    if (chosen == most) {
      ports[i].verdict = fmt::format("not used: BOWLINE_VERBS_RAILS is {}", most);
      continue;
    }
    ports[i].chosen = true;
    ports[i].verdict = fmt::format("chosen: for long messages, beside {}", to_text(first));
    std::swap(ports[i], ports[chosen++]);
  }
}

}  // namespace

bool connect_directly(const PortAddress& one, const PortAddress& other) noexcept {
  if (one.fabric != other.fabric || one.fabric == Fabric::iwarp) return false;
  if (one.fabric != Fabric::infiniband) return true;
  return std::equal(one.gid.begin(), one.gid.begin() + subnet_prefix_bytes, other.gid.begin());
}

/// Subnets without a prefix of their own have that of link-local addresses, which no router forwards.
bool is_routable(const PortAddress& port) noexcept {
  static constexpr std::array<std::uint8_t, subnet_prefix_bytes> link_local{0xfe, 0x80};
  return port.fabric == Fabric::infiniband && !std::equal(link_local.begin(), link_local.end(), port.gid.begin());
}

std::optional<SocketAddress> place_in_gid(const PortAddress& port) noexcept {
  static constexpr std::array<std::uint8_t, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (port.fabric != Fabric::roce_v1 && port.fabric != Fabric::roce_v2) return std::nullopt;
  SocketAddress place;
  if (std::equal(mapped.begin(), mapped.end(), port.gid.begin())) {
    std::copy(port.gid.begin() + mapped.size(), port.gid.end(), place.bytes.begin());
    return place;
  }
  if (port.gid[0] == 0xfe && port.gid[1] == 0x80) return std::nullopt;
  place.version_6 = true;
  place.bytes = port.gid;
  return place;
}

void choose_ports(std::vector<Port>& ports, const std::string& wanted, std::size_t most) {
  const std::vector<std::string> names = names_in(wanted);
  std::size_t chosen = 0;
  for (const std::string& name : names) choose_named(ports, chosen, name);
  if (names.empty()) choose_nearest(ports, most);
  for (Port& port : ports) {
    if (!port.verdict.empty()) continue;
    if (!port.unusable.empty()) {
      port.verdict = "not used: " + port.unusable;
    } else if (!names.empty()) {
      port.verdict = "not used: BOWLINE_VERBS_DEVICE names others";
    } else if (ports.front().distance == port.distance && ports.front().rate == port.rate) {
      port.verdict = fmt::format("not used: {} is as near, and on another fabric", to_text(ports.front()));
    } else {
      port.verdict = fmt::format("not used: {} is as near or nearer", to_text(ports.front()));
    }
  }
}

std::vector<Port> survey_ports() {
  std::vector<Port> ports = find_ports();
  choose_ports(ports, device_choice.value(), rails_choice.value());
  return ports;
}

std::string to_text(const Port& port) {
  return fmt::format("{}, port {}", port.device, port.number);
}

bool kernel_has_adapters() noexcept {
  std::error_code none;
  const std::filesystem::directory_iterator adapters("/sys/class/infiniband_verbs", none);
  return !none && std::ranges::any_of(adapters, [](const auto& entry) {
    return entry.path().filename().native().starts_with("uverbs");
  });
}

}  // namespace bowline::verbs
