// SPDX-License-Identifier: BSD-3-Clause
#include "shm/shm_endpoint.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>

#include "base/atomic.hpp"
#include "base/common_settings.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/process_id.hpp"
#include "node/cache.hpp"
#include "shm/copy_buffers.hpp"
#include "shm/doorbell.hpp"
#include "shm/shm_device.hpp"

namespace bowline::shm {
namespace {

/// Opens the peer's inbox. Throws Error that names the peer.
node::OpenedSegment open_inbox(const InboxAddress& address, int peer) {
  try {
    return node::Segment::open(address.memory, page_bytes);
  } catch (const Error& error) {
    throw Error(error.error_class(), fmt::format("{} shares no memory with this process, or has ended: {}",
                                                 process_name(peer), error.what()));
  }
}

}  // namespace

transport::Limits shm_limits(std::size_t lines) noexcept {
  return {.max_body = ring_max_body(lines),
          .max_prefix = ring_max_prefix,
          .inline_body = RingProducer::in_one_line,
          .long_body = CopyBufferArea::buffer_bytes,
          .single_copy_from = node::allows_single_copy() ? 0 : transport::never,
          .measured = true};
}

ShmEndpoint::ShmEndpoint(ShmDevice& device, const InboxAddress& address, unsigned lane, std::size_t own_number,
                         int peer)
    : ShmEndpoint(device, address.memory, open(address, lane, own_number, peer), own_number, peer) {}

ShmEndpoint::ShmEndpoint(ShmDevice& device, const node::Ticket& inbox, Opened opened, std::size_t own_number, int peer)
    : Endpoint(shm_limits(opened.lines)),
      ring_(opened.ring.data(), opened.lines, first_window(opened.lines)),
      device_(device),
      ticket_(inbox),
      copy_buffers_(opened.copy_buffers),
      lines_(opened.lines),
      header_(std::move(opened.header)),
      section_(std::move(opened.section)),
      memory_(std::move(opened.ring)),
      counted_(ring_memory, ring_bytes(first_window(opened.lines))),
      own_number_(own_number),
      process_(opened.process),
      watched_(std::move(opened.watched)),
      peer_(peer),
      single_copy_(node::allows_single_copy() && process_.process != 0) {}

/// Maps this process's ring and allocates memory for its first window. The memory is allocated through the mapping,
/// because a reservation in the file takes the file's lock, for which all ranks that connect to this inbox at the same
/// time would wait. Throws Error.
node::Mapping ShmEndpoint::map_ring(const node::Segment& segment, const InboxHeader& inbox, unsigned lane,
                                    std::size_t own_number, int peer) {
  const std::size_t lines = inbox.ring_lines;
  const std::size_t rings = inbox.rings;
  if (!std::has_single_bit(lines) || lines < least_ring_bytes / line_bytes || lines > most_ring_bytes / line_bytes ||
      rings <= own_number || rings > InboxHeader::max_rings) {
    throw Error(ErrorClass::intern,
                fmt::format("the shared memory of {} says that it has {} rings of {} lines, which cannot be: do all "
                            "ranks run the same build of Bowline, and does none write beyond the ends of its arrays?",
                            process_name(peer), rings, lines));
  }
  const std::size_t offset = section_offset(lane, rings, lines) + ring_offset(own_number, lines);
  if (section_offset(lane + 1, rings, lines) > segment.bytes()) {
    throw Error(ErrorClass::intern, fmt::format("the inbox of {} has {} bytes, which is too few for {} rings of {} "
                                                "lines in lane {}: do all ranks run the same build of Bowline?",
                                                process_name(peer), segment.bytes(), rings, lines, lane));
  }
  node::Mapping ring = segment.map(offset, ring_stride(lines));
  ring.reserve({ring.data(), ring_bytes(first_window(lines))});
  return ring;
}

ShmEndpoint::Opened ShmEndpoint::open(const InboxAddress& address, unsigned lane, std::size_t own_number, int peer) {
  node::OpenedSegment opened = open_inbox(address, peer);
  const node::Segment& segment = opened.segment;
  node::Mapping header = segment.map(0, page_bytes);
  auto& inbox = *reinterpret_cast<InboxHeader*>(header.data());
  if (address.version != transport::wire_version) {
    inbox.other_version.store((std::uint64_t{transport::wire_version} << 32) | (own_number + 1),
                              std::memory_order_relaxed);
    inbox.connections.fetch_add(1, std::memory_order_release);
    throw transport::other_version(peer, address.version);
  }
  if (inbox.settings != digest_of_common_settings()) throw transport::other_settings(peer);
  node::Mapping ring = map_ring(segment, inbox, lane, own_number, peer);
  node::Mapping section;
  if (lane != 0) section = segment.map(section_offset(lane, inbox.rings, inbox.ring_lines), page_bytes);
  (lane == 0 ? inbox : *reinterpret_cast<InboxHeader*>(section.data())).notifications.notify(own_number);
  node::ProcessMark process = address.process;
  process.process = opened.process;
  std::optional<node::PeerProcess> watched;
  if (opened.connection.number() >= 0) watched.emplace(opened.process, std::move(opened.connection));
  const std::size_t lines = inbox.ring_lines;
  const std::size_t copy_buffers = section_offset(lane, inbox.rings, lines) + copy_buffers_offset(inbox.rings, lines);
  return {std::move(header), std::move(section), std::move(ring), lines, copy_buffers, process, std::move(watched)};
}

transport::Post ShmEndpoint::send(transport::Header header, std::span<const std::byte> prefix,
                                  std::span<const std::byte> body) noexcept {
  while (!ring_.push(header, prefix, body)) [[unlikely]] {
      if (!widen_for(prefix.size(), body.size())) return transport::Post::retry;
    }
  tell_owner();
  return transport::Post::done;
}

/// To be called after a record was published.
inline void ShmEndpoint::tell_owner() noexcept {
  if (!ring_.watched()) [[unlikely]]
    notify_owner();
  if (owner_asleep(inbox().asleep) && wake_owner(inbox().asleep) == Asleep::elsewhere) [[unlikely]]
    ring();
}

std::size_t ShmEndpoint::send_long(transport::Header header, std::span<const std::byte> prefix,
                                   std::span<const std::byte> body) noexcept {
  while (!ring_.has_room_for_lent()) {
    if (!widen_for(prefix.size(), sizeof(LentBody))) return 0;
  }
  CopyBuffers* const buffers = device_.copy_buffers();
  if (const auto loan = buffers == nullptr ? std::nullopt : buffers->lend(peer_, body.size())) {
    copy_to_shared(loan->memory.data(), body.data(), body.size());
    ring_.push_lent(header, prefix, loan->place);
    tell_owner();
    return body.size();
  }
  if (buffers != nullptr && buffers->serve(peer_)) return 0;  // the peer will give one of its buffers back
  body = body.first(std::min(body.size(), ring_max_body(lines_) / 2));
  return send(header, prefix, body) == transport::Post::done ? body.size() : 0;
}

bool ShmEndpoint::takes_long() noexcept {
  BorrowedBuffers& theirs = device_.borrowed_from(peer_);
  if (theirs.is_open() || !may_borrow_) return may_borrow_;
  try {
    const node::OpenedSegment opened = node::Segment::open(ticket_, copy_buffers_ + CopyBufferArea::bytes);
    theirs.open(opened.segment.map(copy_buffers_, CopyBufferArea::bytes));
  } catch (const std::exception& error) {
    log::info("long messages from {} do not go through its copy buffers: {}", process_name(peer_), error.what());
    may_borrow_ = false;
  }
  return may_borrow_;
}

void ShmEndpoint::notify_owner() noexcept {
  section().notifications.notify(own_number_);
}

/// Widens the window, which has no room for a message of these lengths; returns false if it cannot be widened. If there
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
    const std::size_t has = ring_bytes(ring_.window()), more = ring_bytes(next_window(ring_.window(), lines_)) - has;
    memory_.reserve({memory_.data() + has, more});
    ring_.widen();
    counted_.grow(more);
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
  const ssize_t written =
      write(bell_->number(), &ring, 1);  // the write fails if the pipe is full, which wakes the peer, too
  static_cast<void>(written);
}

/// Opens the peer's pipe, and checks that the opened file is the peer's pipe. The pipe is opened for reading, too,
/// because a write to a pipe without readers would raise SIGPIPE if the peer has ended.
node::Descriptor ShmEndpoint::take_bell() noexcept {
  try {
    node::Ticket bell;
    std::uint64_t bell_file = 0;
    copy_from_shared(&bell, &inbox().bell, sizeof bell);
    copy_from_shared(&bell_file, &inbox().bell_file, sizeof bell_file);
    return take(bell,
                [&](int descriptor) {
                  struct stat file {};
                  return fstat(descriptor, &file) == 0 && S_ISFIFO(file.st_mode) && file.st_ino == bell_file;
                })
        .descriptor;
  } catch (const std::exception& error) {
    log::info("{} cannot be woken: {}", process_name(peer_), error.what());
    return {};
  }
}

void ShmEndpoint::wake() noexcept {
  if (owner_asleep(inbox().asleep) && wake_owner(inbox().asleep) == Asleep::elsewhere) ring();
}

/// Whether the kernel refuses access to the peer's memory; if so, logs that once and ends further attempts. The memory
/// of a process that has ended is refused as well: the caller goes on by messages, and then finds the process lost.
bool ShmEndpoint::refused(ssize_t moved) {
  if (moved < 0 && errno == ESRCH) return true;
  if (moved >= 0 || (errno != EPERM && errno != EACCES && errno != ENOSYS)) return false;
  log::info("cross-memory attach to {} (process {}) is refused: {}; large messages are copied twice instead",
            process_name(peer_), process_.process, std::strerror(errno));
  single_copy_ = false;
  return true;
}

transport::Access ShmEndpoint::get(const transport::Remote& source, std::span<std::byte> target,
                                   transport::Operation&) {
  if (!single_copy_) return transport::Access::refused;
  const struct Reading {
    explicit Reading(Atomic<std::uint32_t>& readers_) noexcept : readers(readers_) {
      readers.fetch_add(1, std::memory_order_relaxed);
    }
    ~Reading() { readers.fetch_sub(1, std::memory_order_relaxed); }
    Atomic<std::uint32_t>& readers;
  } reading(inbox().readers);
  std::uintptr_t address = source.address;
  while (!target.empty()) {
    const ssize_t got = node::read_memory(process_, reinterpret_cast<const void*>(address), target);
    if (got > 0) {
      address += static_cast<std::size_t>(got);
      target = target.subspan(static_cast<std::size_t>(got));
    } else if (refused(got)) {
      return transport::Access::refused;
    } else if (got == 0 || errno != EINTR) {
      throw Error(ErrorClass::buffer, fmt::format("the send buffer of {} at {:#x} is not readable for {} bytes: {}",
                                                  process_name(peer_), address, target.size(), std::strerror(errno)));
    }
  }
  return transport::Access::done;
}

transport::Access ShmEndpoint::put(std::span<const std::byte> source, const transport::Remote& target,
                                   transport::Operation&) {
  if (!single_copy_) return transport::Access::refused;
  std::uintptr_t address = target.address;
  while (!source.empty()) {
    const ssize_t put = node::write_memory(process_, source, reinterpret_cast<void*>(address));
    if (put > 0) {
      address += static_cast<std::size_t>(put);
      source = source.subspan(static_cast<std::size_t>(put));
    } else if (refused(put)) {
      return transport::Access::refused;
    } else if (put == 0 || errno != EINTR) {
      throw Error(ErrorClass::buffer, fmt::format("the receive buffer of {} at {:#x} is not writable for {} bytes: {}",
                                                  process_name(peer_), address, source.size(), std::strerror(errno)));
    }
  }
  return transport::Access::done;
}

Nearness ShmEndpoint::nearness() noexcept {
  return process_.process == 0 ? Nearness::unknown : node::nearness_to(process_.process);
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
  if (watched_->alive()) return false;
  device_.reclaim_copy_buffers(peer_);
  return true;
}

}  // namespace bowline::shm
