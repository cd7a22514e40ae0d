// SPDX-License-Identifier: BSD-3-Clause
// Context: the part of a message's envelope that keeps communicators apart. It names the lane that serves it.
//
//   bits 0-1    purpose: point-to-point, collective, or partitioned messages of the communicator, or collective
//   messages
//               among the local group of an intercommunicator
//   bits 2-5    lane
//   bits 6-31   index of the communicator among those of its members
#pragma once

#include <cstddef>
#include <cstdint>

namespace bowline::proto {

enum class Purpose : std::uint8_t { point_to_point, collective, partitioned, local };

inline constexpr unsigned max_lanes = 16;

constexpr std::uint32_t make_context(std::uint32_t index, unsigned lane, Purpose purpose) noexcept {
  return (index << 6) | (lane << 2) | static_cast<std::uint32_t>(purpose);
}
constexpr unsigned lane_of(std::uint32_t context) noexcept {
  return (context >> 2) % max_lanes;
}
constexpr std::uint32_t index_of(std::uint32_t context) noexcept {
  return context >> 6;
}
/// The same communicator's context for another purpose.
constexpr std::uint32_t with_purpose(std::uint32_t context, Purpose purpose) noexcept {
  return (context & ~std::uint32_t{3}) | static_cast<std::uint32_t>(purpose);
}
/// Counts the contexts of one lane without gaps.
constexpr std::size_t slot_of(std::uint32_t context) noexcept {
  return ((context >> 6) << 2) | (context & 3);
}

}  // namespace bowline::proto
