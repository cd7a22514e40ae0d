// SPDX-License-Identifier: BSD-3-Clause
// Inbox: how the shared memory through which one process receives is laid out.
//
//   page 0     InboxHeader
//   then       one ring for every local rank, in the order of local ranks; ring i is written by local rank i only
//
// The file has its full size from the start, but a ring has memory only once its producer has connected: a peer that
// was never talked to costs nothing.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "shm/ring.hpp"

namespace bowline::shm {

inline constexpr std::size_t page_bytes = 4096;

/// Shared by the owner and all its producers. Read often, written rarely: the words may share lines.
struct InboxHeader {
  static constexpr std::size_t max_local_ranks = 64 * 400;

  std::uint64_t nonce;  ///< proves to a producer that it has opened the memory it was told of
  std::uint32_t ring_lines;
  std::atomic<std::uint32_t>
      connections;                    ///< how many producers have connected; the owner looks for news when it grows
  std::atomic<std::uint32_t> asleep;  ///< 1 while the owner sleeps on this word
  std::array<std::atomic<std::uint64_t>, max_local_ranks / 64> connected;  ///< one bit per local rank
};
static_assert(sizeof(InboxHeader) <= page_bytes);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// Bytes from one ring to the next.
constexpr std::size_t ring_stride(std::size_t lines) noexcept {
  return (ring_bytes(lines) + page_bytes - 1) / page_bytes * page_bytes;
}

constexpr std::size_t ring_offset(std::size_t local_rank, std::size_t lines) noexcept {
  return page_bytes + local_rank * ring_stride(lines);
}

/// What the owner publishes through the wire-up so that peers can open its inbox.
struct InboxAddress {
  std::int32_t process;     ///< process id
  std::int32_t descriptor;  ///< the inbox's descriptor in that process
  std::uint64_t nonce;
};

}  // namespace bowline::shm
