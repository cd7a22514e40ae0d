// SPDX-License-Identifier: BSD-3-Clause
// The same number for the same bytes in every process (FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bowline {

inline std::uint64_t hash_of(std::span<const std::byte> bytes) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::byte each : bytes) hash = (hash ^ static_cast<std::uint64_t>(each)) * 0x100000001b3;
  return hash;
}

}  // namespace bowline
