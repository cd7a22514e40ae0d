// SPDX-License-Identifier: BSD-3-Clause
#include "shm/endpoint.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/tunable.hpp"
#include "shm/doorbell.hpp"

namespace bowline::shm {
namespace {

Tunable<bool> cross_memory_attach{"cross_memory_attach", true, false, true,
                                  "whether a receiver may read a local sender's memory (process_vm_readv)"};

// Copying through the ring keeps both cores busy and the data in their caches; reading the sender's memory costs the
// kernel's work for every page, and leaves it all to the receiver. See docs/performance.md for the figures.
Tunable<std::size_t> get_from{"shm_get_from", std::size_t{1} << 40, 0, std::size_t{1} << 40,
                              "shortest message that a receiver reads from a local sender's memory, in bytes"};
Tunable<std::size_t> put_from{"shm_put_from", std::size_t{1} << 40, 0, std::size_t{1} << 40,
                              "shortest message that a sender writes to a local receiver's memory, in bytes"};

std::size_t from(std::size_t tunable) noexcept {
  const bool possible = cross_memory_attach.value() && tunable < std::size_t{1} << 40;
  return possible ? tunable : transport::never;
}

}  // namespace

transport::Limits shm_limits(std::size_t lines) noexcept {
  return {.max_body = ring_max_body(lines),
          .max_prefix = line_bytes,
          .inline_body = RingProducer::in_one_line,
          .attach_from = from(get_from.value()),
          .put_from = from(put_from.value())};
}

ShmEndpoint::ShmEndpoint(const InboxAddress& address, unsigned lane, std::size_t my_local_rank, int peer)
    : ShmEndpoint(open(address, lane, my_local_rank, peer), address, peer) {}

ShmEndpoint::ShmEndpoint(Opened opened, const InboxAddress& address, int peer)
    : Endpoint(shm_limits(opened.lines)),
      ring_(opened.ring.data(), opened.lines),
      header_(std::move(opened.header)),
      memory_(std::move(opened.ring)),
      process_(address.process),
      peer_(peer),
      attachable_(cross_memory_attach.value()) {}

ShmEndpoint::~ShmEndpoint() {
  if (bell_ >= 0) close(bell_);
}

ShmEndpoint::Opened ShmEndpoint::open(const InboxAddress& address, unsigned lane, std::size_t my_local_rank, int peer) {
  node::Segment segment = node::Segment::open(address.process, address.descriptor);
  node::Mapping header = segment.map(0, page_bytes);
  auto& inbox = *reinterpret_cast<InboxHeader*>(header.data());
  if (inbox.nonce != address.nonce) {
    throw Error(ErrorClass::other,
                fmt::format("process {} is not rank {}: the two ranks see different processes (pid namespaces)",
                            address.process, peer));
  }
  const std::size_t lines = inbox.ring_lines;
  const std::size_t section = section_offset(lane, inbox.local_ranks, lines);
  const std::size_t offset = section + ring_offset(my_local_rank, lines);
  segment.reserve(offset, ring_stride(lines));
  node::Mapping ring = segment.map(offset, ring_stride(lines));

  const node::Mapping section_header = segment.map(section, page_bytes);
  auto& theirs = *reinterpret_cast<InboxHeader*>(section_header.data());
  const std::uint64_t bit = std::uint64_t{1} << (my_local_rank % 64);
  theirs.connected[my_local_rank / 64].fetch_or(bit, std::memory_order_release);
  theirs.connections.fetch_add(1, std::memory_order_release);
  return {std::move(header), std::move(ring), lines};
}

transport::Post ShmEndpoint::send(transport::Header header, std::span<const std::byte> prefix,
                                  std::span<const std::byte> body) noexcept {
  if (!ring_.push(header, prefix, body)) [[unlikely]]
    return transport::Post::retry;
  if (owner_asleep(inbox().asleep) && wake_owner(inbox().asleep) == Asleep::elsewhere) [[unlikely]]
    ring();
  return transport::Post::done;
}

/// Wakes a peer that waits for networks, too. Its bell is a pipe, opened when it is needed for the first time; one that
/// cannot be opened leaves the peer to sleep until it looks by itself. Opened for reading, too, the pipe does not break
/// when the peer ends meanwhile: that would be a SIGPIPE.
void ShmEndpoint::ring() noexcept {
  if (bell_ < 0) {
    std::array<char, 64> path;
    *fmt::format_to_n(path.data(), path.size() - 1, "/proc/{}/fd/{}", process_, inbox().bell).out = '\0';
    bell_ = ::open(path.data(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (bell_ < 0) return;
  }
  constexpr std::byte ring{1};
  const ssize_t written = write(bell_, &ring, 1);  // it fails if the pipe is full, which wakes, too
  static_cast<void>(written);
}

void ShmEndpoint::wake() noexcept {
  if (owner_asleep(inbox().asleep) && wake_owner(inbox().asleep) == Asleep::elsewhere) ring();
}

/// Whether the kernel forbids access to the peer's memory; then says so once.
bool ShmEndpoint::refused(ssize_t moved) {
  if (moved >= 0 || (errno != EPERM && errno != EACCES && errno != ENOSYS)) return false;
  log::info("cross-memory attach to rank {} (process {}) is refused: {}; large messages are copied twice instead",
            peer_, process_, std::strerror(errno));
  attachable_ = false;
  return true;
}

transport::Access ShmEndpoint::get(const transport::Remote& source, std::span<std::byte> target,
                                   transport::Operation&) {
  if (!attachable_) return transport::Access::refused;
  std::uintptr_t address = source.address;
  while (!target.empty()) {
    const iovec local{target.data(), target.size()};
    const iovec remote{reinterpret_cast<void*>(address), target.size()};
    const ssize_t got = process_vm_readv(process_, &local, 1, &remote, 1, 0);
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

transport::Access ShmEndpoint::put(std::span<const std::byte> source, const transport::Remote& target,
                                   transport::Operation&) {
  if (!attachable_) return transport::Access::refused;
  std::uintptr_t address = target.address;
  while (!source.empty()) {
    const iovec local{const_cast<std::byte*>(source.data()), source.size()};
    const iovec remote{reinterpret_cast<void*>(address), source.size()};
    const ssize_t written = process_vm_writev(process_, &local, 1, &remote, 1, 0);
    if (written > 0) {
      address += static_cast<std::size_t>(written);
      source = source.subspan(static_cast<std::size_t>(written));
    } else if (refused(written)) {
      return transport::Access::refused;
    } else if (written == 0 || errno != EINTR) {
      throw Error(ErrorClass::buffer,
                  fmt::format("the receive buffer of rank {} at {:#x} is not writable for {} bytes: {}", peer_, address,
                              source.size(), std::strerror(errno)));
    }
  }
  return transport::Access::done;
}

// Asked of a peer that has made no room for a while, which is rare: a descriptor for every peer would be many. A
// process that ended before the first question, and whose number another one was given since, passes for alive.
bool ShmEndpoint::lost() noexcept {
  if (!watched_) watched_.emplace(process_);
  return !watched_->alive();
}

}  // namespace bowline::shm
