// SPDX-License-Identifier: BSD-3-Clause
// PendingBuffers: the memory that operations use which have begun and have not been completed by the program. Until
// then the program may not change what is sent, and may neither read nor change what is received (MPI-5.0, section
// 3.7.2). The table is kept with BOWLINE_CHECK=buffers.
//
// Only data without holes are looked at: of others it would take long to find out which bytes they share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnosis/mpi_call.hpp"

namespace bowline::api::checking {

/// What an operation does with a buffer.
enum class Access : std::uint8_t { reads, writes };

/// What completes operations: a request, or a window and the rank of a target.
struct Completion {
  static constexpr int every_rank = -1;

  const void* handle;
  int rank = every_rank;  ///< of a target; a request has none

  bool covers(const Completion& other) const noexcept {
    return handle == other.handle && (rank == every_rank || rank == other.rank);
  }
};

/// The bytes that a call uses.
struct UsedBytes {
  std::span<const std::byte> bytes;
  Access access;
};

/// Safe for several threads. The functions return a sentence for the user, or nothing.
class PendingBuffers {
 public:
  /// Whether used() has something to tell, unless it has been told.
  bool conflict(const UsedBytes& use) const;
  /// A call uses these bytes. The sentence: an operation that has not been completed uses them too, and one of the two
  /// writes. Each pair of calls is told once.
  std::optional<std::string> used(const UsedBytes& use, const MpiCall& by);
  /// An operation uses the bytes until it is completed; from restart() on, if its request is persistent.
  void add(const Completion& until, const UsedBytes& use, const MpiCall& by, bool persistent);
  /// A persistent request has become active.
  void restart(const void* request);
  /// Operations have been completed. Persistent requests stay known. The sentence: the program has changed what was
  /// sent.
  std::optional<std::string> completed(const Completion& what, const MpiCall& by);
  /// Whether the request is known, and its operation has begun.
  bool is_active(const void* request) const;
  void forget(const void* request);

 private:
  struct Buffer {
    Completion until;
    UsedBytes use;
    MpiCall by;
    bool persistent;
    bool active;
    std::uint64_t digest;  ///< of bytes that are read, since the operation has begun
  };

  /// An operation that uses the bytes too, so that one of the two writes; nullptr if there is none.
  const Buffer* find_conflict(const UsedBytes& use) const;

  mutable std::mutex mutex_;
  std::vector<Buffer> buffers_;
  std::set<std::pair<std::uintptr_t, std::uintptr_t>> told_;  ///< by the places of two calls
};

}  // namespace bowline::api::checking
