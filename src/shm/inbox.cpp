// SPDX-License-Identifier: BSD-3-Clause
#include "shm/inbox.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <bit>
#include <cstddef>
#include <cstring>
#include <new>
#include <span>

#include "base/atomic.hpp"
#include "base/common_settings.hpp"
#include "base/error.hpp"
#include "base/tunable.hpp"
#include "node/host.hpp"
#include "node/process.hpp"
#include "shm/directory.hpp"
#include "shm/doorbell.hpp"

namespace bowline::shm {
namespace {

Tunable<std::size_t> ring_size(Category::shared_memory, "shm_ring_size", 128 << 10, least_ring_bytes, most_ring_bytes,
                               "bytes of the ring from one process of a node to another; rounded up to a power of two");

std::uint32_t own_namespace() noexcept {
  return static_cast<std::uint32_t>(node::pid_namespace());
}

}  // namespace

std::optional<InboxAddress> read_address(const transport::Address& address) {
  InboxAddress theirs;
  if (address.size() != sizeof theirs) return {};
  std::memcpy(&theirs, address.data(), sizeof theirs);
  if (theirs.version != transport::wire_version) return {};
  return theirs;
}

Owner owner_of(const transport::Address& address) {
  const std::optional<InboxAddress> theirs = read_address(address);
  if (!theirs.has_value()) return Owner::there;
  std::uint32_t end = not_ending;
  const bool seen =
      node::Segment::look(theirs->memory, offsetof(InboxHeader, end), std::as_writable_bytes(std::span(&end, 1)));
  const bool numbers_agree = theirs->pid_namespace != 0 && theirs->pid_namespace == own_namespace();
  Owner owner = Owner::there;
  if (seen) {
    owner = end >= good_bye ? Owner::left : Owner::there;
  } else if (numbers_agree &&
             (!node::PeerProcess(theirs->memory.process).alive() || node::Segment::is_closed(theirs->memory))) {
    owner = Owner::gone;
  }
  thread_fence(std::memory_order_acquire);  // a poll from now on sees what the owner has sent before
  return owner;
}

std::size_t tuned_ring_lines() noexcept {
  return std::bit_ceil(ring_size.value()) / line_bytes;
}

Inbox::Inbox(std::size_t producers, unsigned lanes)
    : rings_(producers),
      lines_(tuned_ring_lines()),
      segment_(node::Segment::create("bowline-inbox",
                                     section_offset(lanes, producers, lines_) + directory_bytes(producers))) {
  if (producers > InboxHeader::max_rings) {
    throw Error(ErrorClass::other, fmt::format("{} ranks run on {}, but shared memory serves at most {} per node",
                                               producers, node::host_name(), InboxHeader::max_rings));
  }
  header_ = segment_.map(0, page_bytes);
  segment_.offer();
  header().bell = {};
  header().ring_lines = static_cast<std::uint32_t>(lines_);
  header().rings = static_cast<std::uint32_t>(producers);
  header().settings = digest_of_common_settings();
  doorbell_register();
}

Inbox::~Inbox() {
  tell_end(exiting);
}

transport::Address Inbox::address() const {
  const InboxAddress mine{.pid_namespace = own_namespace(), .memory = segment_.ticket(), .process = node::own_mark()};
  transport::Address bytes(sizeof mine);
  std::memcpy(bytes.data(), &mine, sizeof mine);
  return bytes;
}

node::Mapping Inbox::open_section(unsigned lane) {
  const std::size_t offset = section_offset(lane, rings_, lines_);
  segment_.reserve(offset, page_bytes);
  return segment_.map(offset, ring_offset(rings_, lines_));
}

node::Mapping Inbox::open_copy_buffers(unsigned lane) const {
  const std::size_t offset = section_offset(lane, rings_, lines_) + copy_buffers_offset(rings_, lines_);
  return segment_.map(offset, CopyBufferArea::bytes);
}

node::Mapping Inbox::open_directory() {
  const std::size_t bytes = directory_bytes(rings_);
  const std::size_t offset = segment_.bytes() - bytes;
  segment_.reserve(offset, bytes);
  return segment_.map(offset, bytes);
}

void Inbox::ring_at(int descriptor) {
  struct stat pipe {};
  fstat(descriptor, &pipe);
  bell_ = node::Handover(descriptor, node::make_secret());
  const std::uint64_t file = pipe.st_ino;
  copy_to_shared(&header().bell, &bell_.ticket(), sizeof(node::Ticket));
  copy_to_shared(&header().bell_file, &file, sizeof file);
  where_.store(Asleep::elsewhere, std::memory_order_release);
}

void Inbox::announce() noexcept {
  announce_sleep(header().asleep, where_.load(std::memory_order_acquire));
}
void Inbox::withdraw() noexcept {
  stay_awake(header().asleep);
}
void Inbox::sleep(int milliseconds) noexcept {
  sleep_on(header().asleep, milliseconds);
}
void Inbox::wake() noexcept {
  wake_all(header().asleep);
}

}  // namespace bowline::shm
