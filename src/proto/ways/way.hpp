// SPDX-License-Identifier: BSD-3-Clause
// The ways in which the data of an announced message travel between processes of one node. None of them is the fastest
// on every processor, for every length and for every pair of cores, so receivers measure them (ways.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace bowline::proto {

class RendezvousProtocol;

enum class Way : std::uint8_t {
  short_pieces,  ///< copied twice, in pieces that stay in the nearest caches
  long_pieces,   ///< copied twice, in pieces of the transport's `long_body`
  attach,        ///< the receiver reads the sender's memory
  attach_both,   ///< the receiver reads the front while the sender writes the back
};
inline constexpr std::size_t way_count = 4;
inline constexpr std::array<Way, way_count> all_ways{Way::short_pieces, Way::long_pieces, Way::attach,
                                                     Way::attach_both};

constexpr std::size_t index_of(Way way) noexcept {
  return static_cast<std::size_t>(way);
}
/// Whether the kernel copies the data.
constexpr bool is_by_kernel(Way way) noexcept {
  return way == Way::attach || way == Way::attach_both;
}
/// As the tunable long_messages names it.
std::string_view name_of(Way way) noexcept;
const RendezvousProtocol& protocol_of(Way way) noexcept;
/// Counts a message that goes this way.
void count_message(Way way) noexcept;

/// The way that the tunable long_messages prescribes for all messages; nothing if the costs decide.
std::optional<Way> pinned_way() noexcept;

/// A set of ways.
class WaySet {
 public:
  constexpr void add(Way way) noexcept { bits_ |= bit(way); }
  constexpr void remove(Way way) noexcept { bits_ &= static_cast<std::uint8_t>(~bit(way)); }
  constexpr bool has(Way way) const noexcept { return (bits_ & bit(way)) != 0; }
  bool operator==(const WaySet&) const = default;

 private:
  static constexpr std::uint8_t bit(Way way) noexcept { return static_cast<std::uint8_t>(1U << index_of(way)); }
  std::uint8_t bits_ = 0;
};

}  // namespace bowline::proto
