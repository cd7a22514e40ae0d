// SPDX-License-Identifier: BSD-3-Clause
#include "transport/striping/rail_keys.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/hash.hpp"

namespace bowline::transport {
namespace {

// The keys consist of a hash of the bytes that follow it, then the key of each rail with its length in one byte in
// front. The hash distinguishes these keys from the key of a rail alone.
using Hash = std::uint64_t;

static_assert(longest_rail_key <= UINT8_MAX);

}  // namespace

RailKeys read_rail_keys(std::span<const std::byte> key) noexcept {
  RailKeys alone;
  alone.of[0] = key;
  Hash hash = 0;
  if (key.size() <= sizeof hash) return alone;
  std::memcpy(&hash, key.data(), sizeof hash);
  std::span<const std::byte> rest = key.subspan(sizeof hash);
  if (hash_of(rest) != hash) return alone;
  RailKeys joined{.of = {}, .joined = true};
  for (std::size_t rail = 0; !rest.empty(); ++rail) {
    const auto bytes = static_cast<std::size_t>(rest[0]);
    if (rail == most_rails || rest.size() <= bytes) return alone;
    joined.of[rail] = rest.subspan(1, bytes);
    rest = rest.subspan(1 + bytes);
  }
  return joined;
}

std::vector<std::byte> write_rail_keys(std::span<const std::vector<std::byte>> keys) {
  std::vector<std::byte> all(sizeof(Hash));
  for (const std::vector<std::byte>& key : keys) {
    all.push_back(static_cast<std::byte>(key.size()));
    all.insert(all.end(), key.begin(), key.end());
  }
  const Hash hash = hash_of(std::span(all).subspan(sizeof(Hash)));
  std::memcpy(all.data(), &hash, sizeof hash);
  return all;
}

}  // namespace bowline::transport
