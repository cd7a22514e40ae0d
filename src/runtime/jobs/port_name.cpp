// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/jobs/port_name.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>

#include "base/error.hpp"

namespace bowline::runtime {
namespace {

constexpr std::string_view scheme = "bowline";

/// Takes the text up to the separator, or to the end, from the front of `rest`.
std::string_view take(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return part;
}

template <class Number>
std::optional<Number> number(std::string_view text, int base) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<PortName::Secret> secret_of(std::string_view text) {
  PortName::Secret secret;
  if (text.size() != 2 * secret.size()) return {};
  for (std::size_t i = 0; i < secret.size(); ++i) {
    const auto byte = number<std::uint8_t>(text.substr(2 * i, 2), 16);
    if (!byte) return {};
    secret[i] = std::byte{*byte};
  }
  return secret;
}

std::optional<PortName> parsed(std::string_view text) {
  if (take(text, ':') != scheme) return {};
  const auto node = number<std::uint64_t>(take(text, ':'), 16);
  const auto port = number<std::uint16_t>(take(text, ':'), 10);
  const auto secret = secret_of(take(text, ':'));
  if (!node || !port || *port == 0 || !secret) return {};
  PortName name{.node = *node, .port = *port, .secret = *secret, .addresses = {}};
  while (!text.empty()) name.addresses.emplace_back(take(text, ','));
  return name;
}

struct FreeAddresses {
  void operator()(ifaddrs* list) const noexcept { freeifaddrs(list); }
};

/// The text of an address by which other nodes may reach this one; empty for all others.
std::string outside(const ifaddrs& interface) {
  if (interface.ifa_addr == nullptr || (interface.ifa_flags & IFF_UP) == 0 || (interface.ifa_flags & IFF_LOOPBACK) != 0)
    return "";
  char text[INET6_ADDRSTRLEN] = "";
  if (interface.ifa_addr->sa_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(interface.ifa_addr)->sin_addr, text, sizeof text);
  } else if (interface.ifa_addr->sa_family == AF_INET6) {
    const in6_addr& address = reinterpret_cast<const sockaddr_in6*>(interface.ifa_addr)->sin6_addr;
    if (!IN6_IS_ADDR_LINKLOCAL(&address)) inet_ntop(AF_INET6, &address, text, sizeof text);
  }
  return text;
}

}  // namespace

std::string PortName::text() const {
  std::string digits;
  for (const std::byte each : secret) digits += fmt::format("{:02x}", std::to_integer<int>(each));
  std::string name = fmt::format("{}:{:x}:{}:{}:", scheme, node, port, digits);
  char separator = '\0';
  for (const std::string& each : addresses) {
    if (name.size() + 1 + each.size() > longest) break;
    if (separator != '\0') name += separator;
    name += each;
    separator = ',';
  }
  return name;
}

PortName PortName::read(std::string_view text) {
  if (const std::optional<PortName> name = parsed(text)) return *name;
  throw Error(ErrorClass::port, fmt::format("port_name is \"{}\", which is no name of a port: give a name from "
                                            "MPI_Open_port or MPI_Lookup_name, as it is",
                                            text.substr(0, longest)));
}

std::vector<std::string> addresses_of_this_node() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return {};
  const std::unique_ptr<ifaddrs, FreeAddresses> owner(list);
  std::vector<std::string> addresses;
  for (const ifaddrs* each = list; each != nullptr; each = each->ifa_next) {
    if (std::string address = outside(*each); !address.empty()) addresses.push_back(std::move(address));
  }
  const auto is_ipv4 = [](const std::string& each) { return each.find(':') == std::string::npos; };
  std::stable_partition(addresses.begin(), addresses.end(), is_ipv4);
  return addresses;
}

}  // namespace bowline::runtime
