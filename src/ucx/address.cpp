// SPDX-License-Identifier: BSD-3-Clause
#include "ucx/address.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/process_id.hpp"
#include "transport/version.hpp"

namespace bowline::ucx {
namespace {

/// The start of a published address. The length of the host name (1 byte), the host name and UCX's worker address
/// follow; `hash` covers these three.
struct Front {
  std::uint64_t version = transport::wire_version;
  std::uint64_t hash = 0;
};

constexpr std::size_t longest_host = 255;

}  // namespace

transport::Address publish(std::string_view host, std::span<const std::byte> worker) {
  host = host.substr(0, longest_host);
  transport::Address all(sizeof(Front) + 1 + host.size() + worker.size());
  const auto length = all.begin() + sizeof(Front);
  *length = static_cast<std::byte>(host.size());
  std::ranges::copy(worker, std::ranges::copy(std::as_bytes(std::span(host)), length + 1).out);
  const Front front{.hash = hash_of(std::span(all).subspan(sizeof(Front)))};
  std::memcpy(all.data(), &front, sizeof front);
  return all;
}

Published read_published(int peer, std::span<const std::byte> address) {
  Front front;
  const auto wrong = [&](std::string_view why) {
    return Error(ErrorClass::intern, fmt::format("{} published a UCX address of {} bytes, which {}: do all ranks "
                                                 "run the same version of Bowline?",
                                                 process_name(peer), address.size(), why));
  };
  if (address.size() <= sizeof front) throw wrong("is too short");
  std::memcpy(&front, address.data(), sizeof front);
  const auto rest = address.subspan(sizeof front);
  const auto host_bytes = static_cast<std::size_t>(rest[0]);
  if (rest.size() <= 1 + host_bytes) throw wrong("is too short");
  if (hash_of(rest) != front.hash) throw wrong("has arrived damaged");
  return {.version = static_cast<std::uint32_t>(front.version),
          .host = std::string(reinterpret_cast<const char*>(rest.data()) + 1, host_bytes),
          .worker = rest.subspan(1 + host_bytes)};
}

}  // namespace bowline::ucx
