// SPDX-License-Identifier: BSD-3-Clause
// The paths by which the data of an announced message travel between processes of one node. None of them is the fastest
// on every processor, for every length and for every pair of cores, so receivers measure them (path_chooser.hpp).
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

enum class Path : std::uint8_t {
  short_pieces,         ///< copied twice, in pieces that stay in the nearest caches
  long_pieces,          ///< copied twice, in pieces of the transport's `long_body`
  single_copy,          ///< the receiver reads the sender's memory
  single_copy_by_both,  ///< the receiver reads the front while the sender writes the back
};
inline constexpr std::size_t path_count = 4;
inline constexpr std::array<Path, path_count> all_paths{Path::short_pieces, Path::long_pieces, Path::single_copy,
                                                        Path::single_copy_by_both};
using PathSet = std::bitset<path_count>;  ///< by index_of()

constexpr std::size_t index_of(Path path) noexcept {
  return static_cast<std::size_t>(path);
}
/// Whether the kernel copies the data.
constexpr bool is_by_kernel(Path path) noexcept {
  return path == Path::single_copy || path == Path::single_copy_by_both;
}
/// The name of the path in the tunable long_messages.
std::string_view name_of(Path path) noexcept;
const RendezvousProtocol& protocol_of(Path path) noexcept;
/// Counts a message that takes this path.
void count_message(Path path) noexcept;

/// The path that the tunable long_messages prescribes for all messages; nothing if the costs decide.
std::optional<Path> pinned_path() noexcept;

/// How tuners choose among the paths. Behind a delay, messages in a row arrive faster than they could be sent, because
/// they have waited in the buffers; so for messages in a row the median of the costs counts, for other messages the
/// least cost.
const Tuner::Rules& path_rules(bool in_row) noexcept;
/// How much of a message of this length takes the path if it is tried; the rest takes the path in use. A path can be
/// several times as dear as another, and a single try with a very long message would use up the budget. A single copy
/// whose cost is known, if only for neighbouring lengths, is tried with the whole message, which may not fit into the
/// caches as its part does.
constexpr std::size_t tried_bytes(Path path, std::size_t bytes, bool known) noexcept {
  constexpr std::array<std::size_t, path_count> part{64 << 10, 256 << 10, 128 << 10, 128 << 10};
  if (known && is_by_kernel(path)) return bytes;
  return bytes < 2 * part[index_of(path)] ? bytes : part[index_of(path)];
}
/// Whether the cost of the path is known. `similar`: the tuner for the neighbouring size class; may be nullptr.
inline bool is_known(Path path, const Tuner& tuner, const Tuner* similar) noexcept {
  return tuner.knows(index_of(path)) || (similar != nullptr && similar->knows(index_of(path)));
}
/// A message for the tuner. `similar`: the tuner for the neighbouring size class; may be nullptr.
Tuner::Operation operation(const Tuner& tuner, PathSet possible, std::size_t bytes, const Tuner* similar,
                           const ExplorationBudget& budget) noexcept;

}  // namespace bowline::proto
