// SPDX-License-Identifier: BSD-3-Clause
// The ways in which the data of an announced message travel between processes of one node. None of them is the fastest
// on every processor, for every length and for every pair of cores, so receivers measure them (ways.hpp).
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/tuner.hpp"

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
using WaySet = std::bitset<way_count>;  ///< by index_of()

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

/// How tuners choose among the ways. Behind a delay, messages in a row arrive faster than they could be sent, because
/// they have waited in the buffers; so the median of their costs counts, and the least cost of others.
const Tuner::Rules& way_rules(bool in_row) noexcept;
/// How much of a message of this length goes the way if it is tried; the rest goes the way in use. A way can be several
/// times as dear as another, and a single try with a very long message would use up the budget.
constexpr std::size_t tried_bytes(Way way, std::size_t bytes) noexcept {
  constexpr std::array<std::size_t, way_count> part{64 << 10, 256 << 10, 128 << 10, 128 << 10};
  return bytes < 2 * part[index_of(way)] ? bytes : part[index_of(way)];
}
/// A message for the tuner. `similar`: the tuner for the neighbouring size class; may be nullptr.
Tuner::Operation operation(WaySet possible, std::size_t bytes, const Tuner* similar,
                           const ExplorationBudget& budget) noexcept;

}  // namespace bowline::proto
