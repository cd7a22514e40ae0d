// SPDX-License-Identifier: BSD-3-Clause
#include "shm/shm_endpoint.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/tunable.hpp"
#include "shm/doorbell.hpp"

namespace bowline::shm {
namespace {

// Copying through the ring keeps both cores busy and the data in their caches. Reading the sender's memory costs kernel
// work for every page, all of it on the receiver's core. See docs/performance.md for the figures.
Tunable<std::size_t> get_from{"shm_get_from", std::size_t{1} << 40, 0, std::size_t{1} << 40,
                              "shortest message that a receiver reads from a local sender's memory, in bytes; 1024G: "
                              "none"};

std::size_t attach_from() noexcept {
  return node::may_attach() && get_from.value() < std::size_t{1} << 40 ? get_from.value() : transport::never;
}

/// Opens the peer's inbox. Throws Error that names the peer.
node::OpenedSegment open_inbox(const InboxAddress& address, int peer) {
  try {
    return node::Segment::open(address.memory, page_bytes);
  } catch (const Error& error) {
    throw Error(error.error_class(), fmt::format("rank {} shares no memory with this process: {}", peer, error.what()));
  }
}

}  // namespace

transport::Limits shm_limits(std::size_t lines) noexcept {
  return {.max_body = ring_max_body(lines),
          .max_prefix = ring_max_prefix,
          .inline_body = RingProducer::in_one_line,
          .attach_from = attach_from()};
}

ShmEndpoint::ShmEndpoint(const InboxAddress& address, unsigned lane, std::size_t my_local_rank, int peer)
    : ShmEndpoint(open(address, lane, my_local_rank, peer), my_local_rank, peer) {}

ShmEndpoint::ShmEndpoint(Opened opened, std::size_t my_local_rank, int peer)
    : Endpoint(shm_limits(opened.lines)),
      ring_(opened.ring.data(), opened.lines, first_window(opened.lines)),
      lines_(opened.lines),
      header_(std::move(opened.header)),
      section_(std::move(opened.section)),
      memory_(std::move(opened.ring)),
      my_local_rank_(my_local_rank),
      process_(opened.process),
      watched_(std::move(opened.watched)),
      peer_(peer),
      attachable_(node::may_attach() && process_.process != 0) {}

/// Maps this process's ring and allocates memory for its first window. It does so through the mapping, because a
/// reservation in the file takes the file's lock, for which all ranks that connect to this inbox at the same time would
/// wait. Throws Error.
node::Mapping ShmEndpoint::map_ring(const node::Segment& segment, const InboxHeader& inbox, unsigned lane,
                                    std::size_t my_local_rank, int peer) {
  const std::size_t lines = inbox.ring_lines;
  const std::size_t local_ranks = inbox.local_ranks;
  if (!std::has_single_bit(lines) || lines < least_ring_bytes / line_bytes || lines > most_ring_bytes / line_bytes ||
      local_ranks <= my_local_rank || local_ranks > InboxHeader::max_local_ranks) {
    throw Error(
        ErrorClass::intern,
        fmt::format("the shared memory of rank {} says that it has {} rings of {} lines, which cannot be: do all "
                    "ranks run the same build of Bowline, and does none write beyond the ends of its arrays?",
                    peer, local_ranks, lines));
  }
  const std::size_t offset = section_offset(lane, local_ranks, lines) + ring_offset(my_local_rank, lines);
  if (offset + ring_stride(lines) > segment.bytes()) {
    throw Error(ErrorClass::intern,
                fmt::format("the inbox of rank {} has {} bytes, which is too few for {} local ranks with rings of {} "
                            "lines in lane {}: do all ranks run the same build of Bowline?",
                            peer, segment.bytes(), local_ranks, lines, lane));
  }
  node::Mapping ring = segment.map(offset, ring_stride(lines));
  ring.reserve({ring.data(), ring_bytes(first_window(lines))});
  return ring;
}

ShmEndpoint::Opened ShmEndpoint::open(const InboxAddress& address, unsigned lane, std::size_t my_local_rank, int peer) {
  node::OpenedSegment opened = open_inbox(address, peer);
  const node::Segment& segment = opened.segment;
  node::Mapping header = segment.map(0, page_bytes);
  auto& inbox = *reinterpret_cast<InboxHeader*>(header.data());
  if (address.version != transport::wire_version) {
    inbox.stranger.store((std::uint64_t{transport::wire_version} << 32) | (my_local_rank + 1),
                         std::memory_order_relaxed);
    inbox.connections.fetch_add(1, std::memory_order_release);
    throw transport::other_version(peer, address.version);
  }
  node::Mapping ring = map_ring(segment, inbox, lane, my_local_rank, peer);
  node::Mapping section;
  if (lane != 0) section = segment.map(section_offset(lane, inbox.local_ranks, inbox.ring_lines), page_bytes);
  (lane == 0 ? inbox : *reinterpret_cast<InboxHeader*>(section.data())).knocks.knock(my_local_rank);
  node::ProcessMark process = address.process;
  process.process = opened.process;
  std::optional<node::PeerProcess> watched;
  if (opened.connection.number() >= 0) watched.emplace(opened.process, std::move(opened.connection));
  return {std::move(header), std::move(section), std::move(ring), inbox.ring_lines, process, std::move(watched)};
}

transport::Post ShmEndpoint::send(transport::Header header, std::span<const std::byte> prefix,
                                  std::span<const std::byte> body) noexcept {
  while (!ring_.push(header, prefix, body)) [[unlikely]] {
      if (!widen_for(prefix.size(), body.size())) return transport::Post::retry;
    }
  if (!ring_.watched()) [[unlikely]]
    knock();
  if (owner_asleep(inbox().asleep) && wake_owner(inbox().asleep) == Asleep::elsewhere) [[unlikely]]
    ring();
  return transport::Post::done;
}

void ShmEndpoint::knock() noexcept {
  section().knocks.knock(my_local_rank_);
}

/// Widens the window, which has no room for a message of these lengths; returns false if that is not possible. If there
/// is no memory, the window stays, and only a message that this window can never take causes another attempt.
bool ShmEndpoint::widen_for(std::size_t prefix, std::size_t body) noexcept {
  const bool must = !ring_.takes(prefix, body);
  if (ring_.window() == lines_ || ring_.nonsense() || (narrow_ != nullptr && !must)) return false;
  if (widen()) return true;
  stuck_ = must;
  return false;
}

/// Allocates memory for the next window, or records why there is none.
bool ShmEndpoint::widen() noexcept {
  try {
    const std::size_t has = ring_bytes(ring_.window());
    memory_.reserve({memory_.data() + has, ring_bytes(next_window(ring_.window(), lines_)) - has});
    ring_.widen();
    narrow_.reset();
    stuck_ = false;
    return true;
  } catch (...) {
    narrow_ = Failure::current();
    return false;
  }
}

/// Wakes a peer that also waits for networks, through its pipe. The pipe is opened at first use. If it cannot be
/// opened, the peer sleeps until its own timeout.
void ShmEndpoint::ring() noexcept {
  if (!bell_) bell_ = take_bell();
  if (bell_->number() < 0) return;
  constexpr std::byte ring{1};
  const ssize_t written = write(bell_->number(), &ring, 1);  // it fails if the pipe is full, which wakes, too
  static_cast<void>(written);
}

/// Opens the peer's pipe, and checks that the file is that pipe. The pipe is opened for reading, too, because a write
/// to a pipe without readers would raise SIGPIPE if the peer has ended.
node::Descriptor ShmEndpoint::take_bell() noexcept {
  try {
    return take(inbox().bell,
                [this](int descriptor) {
                  struct stat file {};
                  return fstat(descriptor, &file) == 0 && S_ISFIFO(file.st_mode) && file.st_ino == inbox().bell_file;
                })
        .descriptor;
  } catch (const std::exception& error) {
    log::info("rank {} cannot be woken: {}", peer_, error.what());
    return {};
  }
}

void ShmEndpoint::wake() noexcept {
  if (owner_asleep(inbox().asleep) && wake_owner(inbox().asleep) == Asleep::elsewhere) ring();
}

/// Whether the kernel refuses access to the peer's memory; if so, logs that once and ends further attempts.
bool ShmEndpoint::refused(ssize_t moved) {
  if (moved >= 0 || (errno != EPERM && errno != EACCES && errno != ENOSYS)) return false;
  log::info("cross-memory attach to rank {} (process {}) is refused: {}; large messages are copied twice instead",
            peer_, process_.process, std::strerror(errno));
  attachable_ = false;
  return true;
}

transport::Access ShmEndpoint::get(const transport::Remote& source, std::span<std::byte> target,
                                   transport::Operation&) {
  if (!attachable_) return transport::Access::refused;
  std::uintptr_t address = source.address;
  while (!target.empty()) {
    const ssize_t got = node::read_memory(process_, reinterpret_cast<const void*>(address), target);
    if (got > 0) {
      address += static_cast<std::size_t>(got);
      target = target.subspan(static_cast<std::size_t>(got));
    } else if (refused(got)) {
      return transport::Access::refused;
    } else if (got == 0 || errno != EINTR) {
      throw Error(ErrorClass::buffer,
                  fmt::format("the send buffer of rank {} at {:#x} is not readable for {} bytes: {}", peer_, address,
                              target.size(), std::strerror(errno)));
    }
  }
  return transport::Access::done;
}

std::string ShmEndpoint::loss() const {
  if (stuck_) return fmt::format("cannot be sent a long message: {}", narrow_->what());
  if (!ring_.nonsense().has_value()) return {};
  return fmt::format("says to have read {} lines of a ring to which {} were written", *ring_.nonsense(),
                     ring_.pushed());
}

// Called rarely, when a peer has made no room for a while. The handle for the process is opened only then, because a
// descriptor for every peer would be many. If a process ended before the first call and its number was assigned again
// since, it passes for alive.
bool ShmEndpoint::lost() noexcept {
  if (stuck_ || ring_.nonsense().has_value()) return true;
  if (!watched_) watched_.emplace(process_.process);
  return !watched_->alive();
}

}  // namespace bowline::shm
