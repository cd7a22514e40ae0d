// SPDX-License-Identifier: BSD-3-Clause
// Context id: the part of a message's envelope that separates communicators. It also names the lane that serves the
// communicator.
//
//   bits 0-1    purpose: point-to-point, collective, or partitioned messages of the communicator, or collective
//               messages among the local group of an intercommunicator
//   bits 2-18   index of the communicator among those of its members
//   bits 19-22  lane
//   bits 23-31  generation: distinguishes it from earlier communicators with the same index
#pragma once

#include <cstddef>
#include <cstdint>

namespace bowline::proto {

enum class Purpose : std::uint8_t { point_to_point, collective, partitioned, local };

inline constexpr unsigned max_lanes = 16;
inline constexpr std::uint32_t max_indices = 1 << 17;
/// Number of successive communicators with one index after which context ids repeat, and a message of the first
/// communicator could be taken for one of the last.
inline constexpr std::uint32_t context_generations = 511;
/// The context id of no communicator.
inline constexpr std::uint32_t no_context = ~std::uint32_t{0};

/// `generation` may be any number.
constexpr std::uint32_t make_context(std::uint32_t index, unsigned lane, Purpose purpose,
                                     std::uint32_t generation = 0) noexcept {
  return (generation % context_generations << 23) | (lane << 19) | (index << 2) | static_cast<std::uint32_t>(purpose);
}
constexpr unsigned lane_of(std::uint32_t context) noexcept {
  return (context >> 19) % max_lanes;
}
constexpr std::uint32_t index_of(std::uint32_t context) noexcept {
  return (context >> 2) % max_indices;
}
constexpr std::uint32_t generation_of(std::uint32_t context) noexcept {
  return context >> 23;
}
/// The context id of the same communicator for another purpose.
constexpr std::uint32_t with_purpose(std::uint32_t context, Purpose purpose) noexcept {
  return (context & ~std::uint32_t{3}) | static_cast<std::uint32_t>(purpose);
}
constexpr Purpose purpose_of(std::uint32_t context) noexcept {
  return static_cast<Purpose>(context & 3U);
}
/// Whether the two context ids belong to the same communicator.
constexpr bool of_one_communicator(std::uint32_t one, std::uint32_t other) noexcept {
  return (one ^ other) < 4;
}
/// Numbers the context ids of one lane without gaps, regardless of their generation.
constexpr std::size_t slot_of(std::uint32_t context) noexcept {
  return context % (max_indices << 2);
}

}  // namespace bowline::proto
