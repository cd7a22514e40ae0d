// SPDX-License-Identifier: BSD-3-Clause
#include "shm/directory.hpp"

#include <utility>

#include "base/atomic.hpp"

namespace bowline::shm {

Directory::Directory(node::Mapping memory, std::size_t local_ranks) noexcept
    : memory_(std::move(memory)), entries_(reinterpret_cast<DirectoryEntry*>(memory_.data()), local_ranks) {}

std::optional<Directory> Directory::open(const transport::Address& inbox, std::size_t local_ranks) {
  const std::optional<InboxAddress> theirs = read_address(inbox);
  if (!theirs.has_value()) return {};
  const std::size_t bytes = directory_bytes(local_ranks);
  const std::optional<node::Segment> segment = node::Segment::open_in_proc(theirs->memory, page_bytes + bytes);
  if (!segment.has_value()) return {};
  // The directory's place depends on the number of ranks, which must equal the owner's number: other places hold rings.
  const node::Mapping header = segment->map(0, page_bytes);
  if (reinterpret_cast<const InboxHeader*>(header.data())->rings != local_ranks) return {};
  return Directory(segment->map(segment->bytes() - bytes, bytes), local_ranks);
}

void Directory::enter(std::size_t local_rank, const transport::Address& address) noexcept {
  const std::optional<InboxAddress> told = read_address(address);
  DirectoryEntry& entry = entries_[local_rank];
  std::uint32_t state = DirectoryEntry::empty;
  if (!told.has_value() ||
      !entry.state.compare_exchange_strong(state, DirectoryEntry::taken, std::memory_order_relaxed))
    return;
  copy_to_shared(&entry.address, &*told, sizeof entry.address);
  entry.state.store(DirectoryEntry::written, std::memory_order_release);
}

std::optional<transport::Address> Directory::find(std::size_t local_rank) const {
  const DirectoryEntry& entry = entries_[local_rank];
  if (entry.state.load(std::memory_order_acquire) != DirectoryEntry::written) return {};
  transport::Address address(sizeof entry.address);
  copy_from_shared(address.data(), &entry.address, sizeof entry.address);
  return address;
}

}  // namespace bowline::shm
