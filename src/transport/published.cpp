// SPDX-License-Identifier: BSD-3-Clause
#include "transport/published.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/process_id.hpp"
#include "transport/version.hpp"

namespace bowline::transport {
namespace {

/// The start of a published address. The length of the host name (1 byte), the host name and the network's part follow;
/// `hash` covers these three parts.
struct PublishedFront {
  std::uint32_t version = wire_version;
  std::uint32_t bytes = 0;  ///< of the whole address; versions before 5 have left it 0
  std::uint64_t hash = 0;
};

constexpr std::size_t longest_host = 255;

}  // namespace

Address publish(std::string_view host, std::span<const std::byte> device) {
  host = host.substr(0, longest_host);
  Address all(sizeof(PublishedFront) + 1 + host.size() + device.size());
  const auto length = all.begin() + sizeof(PublishedFront);
  *length = static_cast<std::byte>(host.size());
  std::ranges::copy(device, std::ranges::copy(std::as_bytes(std::span(host)), length + 1).out);
  const PublishedFront front{.bytes = static_cast<std::uint32_t>(all.size()),
                             .hash = hash_of(std::span(all).subspan(sizeof(PublishedFront)))};
  std::memcpy(all.data(), &front, sizeof front);
  return all;
}

Published read_published(int peer, std::span<const std::byte> address, std::string_view network) {
  PublishedFront front;
  const auto wrong = [&](std::string_view why) {
    return Error(ErrorClass::intern, fmt::format("{} published {} address of {} bytes, which {}: do all ranks "
                                                 "run the same version of Bowline?",
                                                 process_name(peer), network, address.size(), why));
  };
  address = first_published(address);
  if (address.size() <= sizeof front) throw wrong("is too short");
  std::memcpy(&front, address.data(), sizeof front);
  const auto rest = address.subspan(sizeof front);
  const auto host_bytes = static_cast<std::size_t>(rest[0]);
  if (rest.size() <= 1 + host_bytes) throw wrong("is too short");
  if (hash_of(rest) != front.hash) throw wrong("has arrived damaged");
  return {.version = front.version,
          .host = std::string(reinterpret_cast<const char*>(rest.data()) + 1, host_bytes),
          .device = rest.subspan(1 + host_bytes)};
}

std::span<const std::byte> first_published(std::span<const std::byte> addresses) noexcept {
  PublishedFront front;
  if (addresses.size() < sizeof front) return addresses;
  std::memcpy(&front, addresses.data(), sizeof front);
  return front.bytes < sizeof front || front.bytes > addresses.size() ? addresses : addresses.first(front.bytes);
}

}  // namespace bowline::transport
