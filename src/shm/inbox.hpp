// SPDX-License-Identifier: BSD-3-Clause
// Inbox: the shared memory through which one process receives.
//
// It has a section for every lane:
//
//   page 0     InboxHeader
//   then       one ring for every local rank, in the order of local ranks; ring i is written by local rank i only
//
// The file has its full size from the start, but a section has memory only once its lane is used, and a ring only once
// its producer has connected: a peer that was never talked to costs nothing.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "node/segment.hpp"
#include "shm/ring.hpp"
#include "transport/transport.hpp"

namespace bowline::shm {

inline constexpr std::size_t page_bytes = 4096;

/// At the start of a section. Shared by the owner and all its producers. Read often, written rarely: the words may
/// share lines.
struct InboxHeader {
  static constexpr std::size_t max_local_ranks = 64 * 400;

  std::uint64_t nonce;        ///< proves to a producer that it has opened the memory it was told of
  std::uint32_t ring_lines;   ///< of every ring
  std::uint32_t local_ranks;  ///< rings in a section
  std::atomic<std::uint32_t>
      connections;                    ///< how many producers have connected; the owner looks for news when it grows
  std::atomic<std::uint32_t> asleep;  ///< whether and how the owner sleeps (doorbell.hpp); lane 0's serves all lanes
  std::int32_t bell;                  ///< the descriptor at which it wants to be rung; below 0: at `asleep`
  std::atomic<std::uint32_t> left;    ///< whether the owner has said good-bye: 0 or 1; in lane 0
  std::array<std::atomic<std::uint64_t>, max_local_ranks / 64> connected;  ///< one bit per local rank
};
static_assert(sizeof(InboxHeader) <= page_bytes);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// Bytes from one ring to the next.
constexpr std::size_t ring_stride(std::size_t lines) noexcept {
  return (ring_bytes(lines) + page_bytes - 1) / page_bytes * page_bytes;
}

/// Lines of every ring in an inbox that this process makes: the tunable says how many.
std::size_t tuned_ring_lines() noexcept;

/// Where a lane's section begins in the file.
constexpr std::size_t section_offset(unsigned lane, std::size_t local_ranks, std::size_t lines) noexcept {
  return lane * (page_bytes + local_ranks * ring_stride(lines));
}

/// Where a ring begins in its section.
constexpr std::size_t ring_offset(std::size_t local_rank, std::size_t lines) noexcept {
  return page_bytes + local_rank * ring_stride(lines);
}

/// What the owner publishes through the wire-up so that peers can open its inbox.
struct InboxAddress {
  std::int32_t process;     ///< process id
  std::int32_t descriptor;  ///< the inbox's descriptor in that process
  std::uint64_t nonce;
};

/// This process's inbox: the memory, and sleeping until something arrives in it. Shared by the devices of all lanes.
class Inbox final : public transport::Sleeper {
 public:
  /// Throws Error if there is no memory, or if there are more local ranks than an inbox serves.
  Inbox(std::size_t local_ranks, unsigned lanes);
  /// Says good-bye to the producers: whoever ends without that has failed.
  ~Inbox();
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  transport::Address address() const;
  std::size_t lines() const noexcept { return lines_; }
  /// Gives the lane's section memory, and maps its header.
  node::Mapping open_section(unsigned lane);
  node::Mapping map_ring(unsigned lane, std::size_t local_rank) const;

  /// Has other processes ring at this descriptor of ours from now on, by writing a byte, instead of waking who sleeps
  /// here: the process will sleep elsewhere. Before any announcement.
  void ring_at(int descriptor) noexcept { header().bell = descriptor; }

  void announce() noexcept override;
  void withdraw() noexcept override;
  void sleep(int milliseconds) noexcept override;
  void wake() noexcept override;

 private:
  InboxHeader& header() const noexcept { return *reinterpret_cast<InboxHeader*>(header_.data()); }

  std::size_t local_ranks_;
  std::size_t lines_;
  node::Segment segment_;
  node::Mapping header_;  ///< of lane 0
};

}  // namespace bowline::shm
