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

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "node/handover.hpp"
#include "node/peer_memory.hpp"
#include "node/segment.hpp"
#include "shm/knocks.hpp"
#include "shm/ring.hpp"
#include "transport/transport.hpp"
#include "transport/version.hpp"

namespace bowline::shm {

inline constexpr std::size_t page_bytes = 4096;

/// How far the end of a process has come: it is in MPI_Finalize; all that its program has sent is here, and nothing
/// that is sent to it from now on will be received.
enum End : std::uint32_t { not_ending = 0, ending = 1, good_bye = 2 };

/// At the start of a section. Shared by the owner and all its producers. But for the knocks it is read often and
/// written rarely: the words may share lines.
struct InboxHeader {
  static constexpr std::size_t max_local_ranks = Knocks::max_producers;

  // These are the same in all versions (transport/version.hpp).
  std::uint64_t secret;  ///< of the memory's ticket: node::Segment::offer() writes it
  /// In lane 0: the latest producer that refused this inbox because it speaks another version. The upper 32 bits are
  /// its version, the lower 32 its local rank plus 1.
  std::atomic<std::uint64_t> stranger;
  std::atomic<std::uint32_t>
      connections;                    ///< how many producers have come; the owner looks for strangers when it grows
  std::uint32_t ring_lines;           ///< of every ring
  std::uint32_t local_ranks;          ///< rings in a section
  std::atomic<std::uint32_t> asleep;  ///< whether and how the owner sleeps (doorbell.hpp); lane 0's serves all lanes
  node::Ticket bell;                  ///< of the pipe at which it wants to be rung; without a descriptor: at `asleep`
  std::uint64_t bell_file;            ///< the pipe's number (st_ino)
  std::atomic<std::uint32_t> end;     ///< how far the owner's end has come: an End; in lane 0
  Knocks knocks;                      ///< by local rank; the first of each says that it has connected
};
static_assert(sizeof(InboxHeader) <= page_bytes);
static_assert(offsetof(InboxHeader, secret) == 0 && offsetof(InboxHeader, stranger) == 8 &&
              offsetof(InboxHeader, connections) == 16);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// Bytes from one ring to the next.
constexpr std::size_t ring_stride(std::size_t lines) noexcept {
  return (ring_bytes(lines) + page_bytes - 1) / page_bytes * page_bytes;
}

/// What the tunable allows.
inline constexpr std::size_t least_ring_bytes = 8 << 10, most_ring_bytes = 64 << 20;

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

/// What the owner publishes through the wire-up so that peers can open its inbox. The same in all versions.
struct InboxAddress {
  std::uint32_t version = transport::wire_version;
  std::uint32_t pid_namespace = 0;  ///< of the owner, the lower half of its number; 0: not known
  node::Ticket memory;
  node::ProcessMark process;  ///< as the owner sees itself
};

/// Whether the owner of this inbox has said good-bye there or is gone, as far as that can be seen without its doing and
/// without connecting: false where it cannot.
bool has_left(const transport::Address& address);

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

  /// Tells the producers how far this process's end has come. It only grows.
  void tell_end(End end) noexcept { header().end.store(end, std::memory_order_release); }

  /// Has other processes ring at this descriptor of ours from now on, by writing a byte, instead of waking who sleeps
  /// here: the process will sleep elsewhere. Before any announcement.
  void ring_at(int descriptor);

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
  node::Handover bell_;
};

}  // namespace bowline::shm
