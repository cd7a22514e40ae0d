// SPDX-License-Identifier: BSD-3-Clause
// ControlLines: what one member of a window shows to the members on its node, in memory that they share; or to itself
// alone, in memory of its own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "node/peer_memory.hpp"
#include "rma/synchronization/ticket_lock.hpp"

namespace bowline::rma {

/// A member's memory. Constant once the window is made.
struct MemberFacts {
  std::uint64_t size = 0;     ///< bytes
  std::int64_t unit = 1;      ///< bytes of a displacement of 1
  std::uint64_t address = 0;  ///< in the member's process
  std::uint64_t offset = 0;   ///< in the shared data; meaningful if the window's memory is shared
  node::ProcessMark process;
};

/// The region of a dynamic window that a member has attached.
struct Region {
  std::uint64_t address = 0;
  std::uint64_t size = 0;  ///< bytes
};

struct alignas(64) ControlLines {
  TicketLock lock;  ///< of MPI_Win_lock with this member as target

  /// Excludes accumulates to this member's memory that are not a single instruction. 0: free; otherwise the number of
  /// the holder among the members on the node, plus 1.
  alignas(64) Atomic<std::uint32_t> accumulating{0};
  Atomic<std::uint32_t> asleep{0};  ///< this member's notice (proto::SleepNotice)

  alignas(64) MemberFacts facts;
};
static_assert(sizeof(ControlLines) == 192);

}  // namespace bowline::rma
