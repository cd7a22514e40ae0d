// SPDX-License-Identifier: BSD-3-Clause
// Inbox: the shared memory through which one process receives from a number of others of its node: from those of its
// own job, or from those of another job to which it is connected.
//
// An inbox has a section for every lane:
//
//   page 0     InboxHeader
//   then       one ring for every producer. Its number is the producer's local rank: within a job among all ranks of
//   the
//              node, otherwise among the connected processes of the other job. Only producer i writes ring i
//   then       the copy buffers (copy_buffers.hpp), through which the owner sends long bodies
//
// The sections are followed by the directory (directory.hpp).
//
// The file has its full size from the start, but a section gets memory only when its lane is used, a ring only when its
// producer connects, a copy buffer when it is first used, and the directory only in the inbox of the node's lowest
// rank. A peer without a connection costs no memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "base/atomic.hpp"
#include "node/handover.hpp"
#include "node/peer_memory.hpp"
#include "node/segment.hpp"
#include "shm/copy_buffers.hpp"
#include "shm/doorbell.hpp"
#include "shm/notification_bits.hpp"
#include "shm/ring.hpp"
#include "transport/transport.hpp"
#include "transport/version.hpp"

namespace bowline::shm {

/// Unit of the layout: what has different writers lies in different pages of processors whose pages have 4 KiB. On
/// others, pages are longer and hold parts of several writers.
inline constexpr std::size_t page_bytes = 4096;

/// How far a process is in ending. `ending`: it is in MPI_Finalize. `good_bye`: everything that its program sent has
/// been delivered, and messages sent to it from now on are not received, unless they belong to a session. `exiting`:
/// messages of sessions are not received either, because the process is about to end.
enum End : std::uint32_t { not_ending = 0, ending = 1, good_bye = 2, exiting = 3 };

/// Lies at the start of a section. The owner and all its producers share it. Except for the notifications it is read
/// often and written rarely, so its words may share lines.
struct InboxHeader {
  static constexpr std::size_t max_rings = NotificationBits::max_producers;

  // The following members have the same layout in all versions (transport/version.hpp).
  std::uint64_t secret;  ///< secret of the memory's ticket: node::Segment::offer() writes it
  /// In lane 0: the latest producer that refused this inbox because its version differs. The upper 32 bits are its
  /// version, the lower 32 the number of its ring plus 1.
  Atomic<std::uint64_t> other_version;
  Atomic<std::uint32_t> connections;  ///< grows when a producer has set `other_version`
  std::uint32_t ring_lines;           ///< lines of each ring
  std::uint32_t rings;                ///< in a section
  Atomic<std::uint32_t> asleep;       ///< an Asleep (doorbell.hpp): how the owner sleeps; lane 0's serves all lanes
  node::Ticket bell;                  ///< pipe that wakes the owner; without a descriptor, a futex on `asleep` does
  std::uint64_t bell_file;            ///< inode number of the pipe of `bell` (st_ino)
  Atomic<std::uint32_t> end;          ///< an End: how far the owner is in ending; in lane 0
  std::uint64_t settings;             ///< digest of the owner's common settings; in lane 0
  NotificationBits notifications;     ///< by ring; a producer's first notification announces its connection
  /// In lane 0: number of processes that read the owner's memory by a system call at this moment. Processes that ended
  /// during such a call are counted, too.
  alignas(line_bytes) Atomic<std::uint32_t> readers;
};
static_assert(sizeof(InboxHeader) <= page_bytes);
static_assert(offsetof(InboxHeader, secret) == 0 && offsetof(InboxHeader, other_version) == 8 &&
              offsetof(InboxHeader, connections) == 16);
static_assert(Atomic<std::uint64_t>::is_always_lock_free);

/// Distance from one ring to the next, in bytes.
constexpr std::size_t ring_stride(std::size_t lines) noexcept {
  return (ring_bytes(lines) + page_bytes - 1) / page_bytes * page_bytes;
}

/// Bounds of the tunable shm_ring_size, in bytes.
inline constexpr std::size_t least_ring_bytes = 8 << 10, most_ring_bytes = 64 << 20;

/// Lines of each ring in an inbox of this process, according to the tunable shm_ring_size.
std::size_t tuned_ring_lines() noexcept;

/// Offset of a ring in its section, in bytes.
constexpr std::size_t ring_offset(std::size_t ring, std::size_t lines) noexcept {
  return page_bytes + ring * ring_stride(lines);
}

/// Offset of the copy buffers in a section, in bytes.
constexpr std::size_t copy_buffers_offset(std::size_t rings, std::size_t lines) noexcept {
  return ring_offset(rings, lines);
}

/// Offset of a lane's section in the file, in bytes.
constexpr std::size_t section_offset(unsigned lane, std::size_t rings, std::size_t lines) noexcept {
  return lane * (copy_buffers_offset(rings, lines) + CopyBufferArea::bytes);
}

/// What the owner publishes through the wire-up so that peers can open its inbox. Its layout is the same in all
/// versions.
struct InboxAddress {
  std::uint32_t version = transport::wire_version;
  std::uint32_t pid_namespace = 0;  ///< lower half of the number of the owner's namespace; 0: not known
  node::Ticket memory;
  node::ProcessMark process;  ///< as the owner sees itself
};
static_assert(std::has_unique_object_representations_v<InboxAddress>);

/// What an address says; nothing if the address is not one of this version.
std::optional<InboxAddress> read_address(const transport::Address& address);

/// What is visible of the owner of an inbox without its help and without connecting.
enum class Owner : std::uint8_t {
  there,  ///< or nothing is visible
  left,   ///< has said good-bye in the inbox
  gone,   ///< the inbox is closed, as when its process ends
};
Owner owner_of(const transport::Address& address);

/// This process's inbox: its memory, and sleep until a message arrives in it. The devices of all lanes share it.
class Inbox final : public transport::Sleeper {
 public:
  /// Throws Error if there is no memory, or if there are more producers than an inbox serves.
  Inbox(std::size_t producers, unsigned lanes);
  /// Says good-bye to the producers, which otherwise take this process for failed.
  ~Inbox();
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  transport::Address address() const;
  std::size_t lines() const noexcept { return lines_; }
  /// Allocates memory for the header of the lane's section, and maps the section.
  node::Mapping open_section(unsigned lane);
  /// Maps the lane's copy buffers, which have no memory yet.
  node::Mapping open_copy_buffers(unsigned lane) const;
  /// Gives the directory memory, and maps it.
  node::Mapping open_directory();

  /// Tells the producers how far this process is in ending. A smaller value than before changes nothing.
  void tell_end(End end) noexcept {
    if (header().end.load(std::memory_order_relaxed) < end) header().end.store(end, std::memory_order_release);
  }

  /// From now on announcements of a sleep tell other processes to wake this process by writing a byte to this
  /// descriptor, because this process will sleep elsewhere than at the futex. Call once.
  void ring_at(int descriptor);

  void announce() noexcept override;
  void withdraw() noexcept override;
  void sleep(int milliseconds) noexcept override;
  void wake() noexcept override;

 private:
  InboxHeader& header() const noexcept { return *reinterpret_cast<InboxHeader*>(header_.data()); }

  std::size_t rings_;
  std::size_t lines_;
  node::Segment segment_;
  node::Mapping header_;  ///< of lane 0
  node::Handover bell_;
  Atomic<Asleep> where_{Asleep::at_the_word};  ///< the owner sleeps
};

}  // namespace bowline::shm
