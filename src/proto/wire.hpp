// SPDX-License-Identifier: BSD-3-Clause
// What the protocols say to each other: the kinds of messages and the prefix that each carries.
//
//   eager             body: the whole message
//   ready_to_send     the message is too long to send unasked; it waits at an address of the sender
//   finished          receiver -> sender: fetched, the send buffer is free again
//   clear_to_send     receiver -> sender: please send it in pieces
//   data              body: one piece
//
// Ids are addresses of requests; they come back to the process that made them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace bowline::proto {

enum class Kind : std::uint8_t { eager, ready_to_send, finished, clear_to_send, data };

struct ReadyToSend {
  std::uint64_t address;
  std::uint64_t bytes;
  std::uint64_t send_id;
};

struct Finished {
  std::uint64_t send_id;
};

struct ClearToSend {
  std::uint64_t send_id;
  std::uint64_t receive_id;
  std::uint64_t bytes;  ///< how much the receiver has room for
};

struct Data {
  std::uint64_t receive_id;
  std::uint64_t offset;
};

inline constexpr std::size_t max_prefix = sizeof(ClearToSend);
static_assert(sizeof(ReadyToSend) == 24 && sizeof(ClearToSend) == 24 && sizeof(Data) == 16);

/// Reads a prefix; the span has at least sizeof(T) bytes because the kind says so.
template <class T>
T read_prefix(std::span<const std::byte> prefix) noexcept {
  T value;
  std::memcpy(&value, prefix.data(), sizeof value);
  return value;
}

template <class T>
std::span<const std::byte> as_prefix(const T& value) noexcept {
  return std::as_bytes(std::span(&value, 1));
}

}  // namespace bowline::proto
