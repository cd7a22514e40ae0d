// SPDX-License-Identifier: BSD-3-Clause
// Directory: the shared-memory addresses of the ranks of a node, in shared memory. A rank reads there where a peer's
// inbox is, and need not ask the launcher, which answers one process after the other.
//
// The directory lies at the end of an inbox. All ranks use the one in the inbox of the lowest local rank. It has an
// entry for each local rank, empty at first. A rank writes its own entry when it opens the directory, and the entry of
// each rank whose address it gets from the launcher. Every rank gets the same address for a rank, so any of them may
// write the entry; it is written once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/atomic.hpp"
#include "node/segment.hpp"
#include "shm/inbox.hpp"
#include "shm/ring_layout.hpp"
#include "transport/transport.hpp"

namespace bowline::shm {

/// In shared memory, zero at first.
struct alignas(line_bytes) DirectoryEntry {
  enum State : std::uint32_t { empty, taken, written };
  Atomic<std::uint32_t> state;  ///< a State; only the process that has made it `taken` writes the address
  InboxAddress address;
};
static_assert(sizeof(DirectoryEntry) == line_bytes);

/// Bytes of the directory, in whole pages.
constexpr std::size_t directory_bytes(std::size_t local_ranks) noexcept {
  return (local_ranks * sizeof(DirectoryEntry) + page_bytes - 1) / page_bytes * page_bytes;
}

/// Ranks are numbered as on the node: "local rank". Not thread-safe.
class Directory {
 public:
  /// The directory in this process's inbox. Throws Error if there is no memory.
  Directory(Inbox& inbox, std::size_t local_ranks) : Directory(inbox.open_directory(), local_ranks) {}
  /// Opens the directory in the inbox at this address without the help of its owner and without waiting. Returns
  /// nothing if this process cannot open that inbox. Throws Error if it cannot map the directory.
  static std::optional<Directory> open(const transport::Address& inbox, std::size_t local_ranks);

  /// Writes the address of a rank into its entry, unless the entry is written. Ignores an address of another version.
  void enter(std::size_t local_rank, const transport::Address& address) noexcept;
  /// The address of a rank, as unchecked as an address from the launcher; nothing if it is not written.
  std::optional<transport::Address> find(std::size_t local_rank) const;

 private:
  Directory(node::Mapping memory, std::size_t local_ranks) noexcept;

  node::Mapping memory_;
  std::span<DirectoryEntry> entries_;
};

}  // namespace bowline::shm
