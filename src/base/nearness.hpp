// SPDX-License-Identifier: BSD-3-Clause
// Nearness: the narrowest hardware that two processes of a node share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bowline {

enum class Nearness : std::uint8_t { unknown, same_l2, same_l3, same_socket, other_socket };
inline constexpr std::size_t nearness_count = 5;

constexpr std::string_view name_of(Nearness nearness) noexcept {
  constexpr std::array<std::string_view, nearness_count> names{"unknown", "same L2 cache", "same L3 cache",
                                                               "same socket", "other socket"};
  return names[static_cast<std::size_t>(nearness)];
}

}  // namespace bowline
