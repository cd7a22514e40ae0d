// SPDX-License-Identifier: BSD-3-Clause
// RailKeys: the keys of all rails to the same memory, as the one key that a peer gets.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "transport/striping/rail.hpp"

namespace bowline::transport {

/// What a key holds; refers to its bytes.
struct RailKeys {
  std::array<std::span<const std::byte>, most_rails> of;  ///< by rail; empty where a rail has not registered the memory
  bool joined = false;  ///< false: the key of the first rail alone, as that rail has written it
};

/// Reads a key of write_rail_keys(). Any other bytes are taken for the key of the first rail, which knows whether they
/// are a key.
RailKeys read_rail_keys(std::span<const std::byte> key) noexcept;

/// The keys of at most `most_rails` rails, each of at most `longest_rail_key` bytes. Throws std::bad_alloc.
std::vector<std::byte> write_rail_keys(std::span<const std::vector<std::byte>> keys);

}  // namespace bowline::transport
