// SPDX-License-Identifier: BSD-3-Clause
// Target: what a process knows of one member of a window as the target of its operations. It is made at the first
// operation, so a window costs no memory for members that are never accessed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/failure.hpp"
#include "rma/synchronization/control_lines.hpp"
#include "rma/synchronization/ticket_lock.hpp"
#include "transport/transport.hpp"

namespace bowline::rma {

class TargetPath;

struct Target {
  int rank = 0;          ///< rank in the window
  int process = 0;       ///< process index
  int member = -1;       ///< number among the members on this node; negative: the target is on another node
  bool open = false;     ///< whether the access epoch allows operations; always true in a fence or lock_all epoch
  bool started = false;  ///< whether the target belongs to the group of MPI_Win_start
  bool pending = false;  ///< whether the target is in the window's list of targets that flush_all() must flush
  LockKind held = LockKind::none;
  bool lock_is_real = false;          ///< whether the lock was taken; not with MPI_MODE_NOCHECK
  bool lock_changes = false;          ///< whether a thread of this process waits while it takes or releases the lock
  TargetPath* path = nullptr;         ///< of puts and gets
  TargetPath* accumulates = nullptr;  ///< of accumulates
  TargetPath* other =
      nullptr;  ///< path of the accumulates that the network cannot do, if `accumulates` is the adapter path

  // The target's memory. `base` is nullptr unless the memory is mapped here; the other facts are valid if `known`.
  std::byte* base = nullptr;
  bool known = false;
  std::uint64_t size = 0;
  std::int64_t unit = 1;
  std::uint64_t address = 0;                      ///< in its process
  ControlLines* control = nullptr;                ///< nullptr if this process shares no memory with the target
  std::unique_ptr<transport::PeerMemory> remote;  ///< opened by the network, for the adapter path
  bool described = false;                         ///< whether its description has arrived
  bool closed = false;                            ///< whether the network cannot open its memory

  // Messages to the target, and their answers.
  std::uint64_t flushes_sent = 0;
  std::uint64_t flushes_answered = 0;
  std::uint64_t answers_awaited = 0;  ///< operations that have asked for data
  std::uint64_t parts_in_flight = 0;  ///< sends from the program's memory that have not completed
  std::uint64_t locks_asked = 0;
  std::uint64_t locks_granted = 0;
  bool unflushed = false;           ///< whether operations were sent after the last flush
  std::uint64_t types_known = 0;    ///< bit per slot: whether the target has the datatype that is in the slot now
  std::uint64_t posts = 0;          ///< posts that have arrived
  std::uint64_t starts = 0;         ///< posts that MPI_Win_start has used
  std::uint64_t accesses = 0;       ///< accesses of the network to the target's memory that have not completed
  bool unflushed_accesses = false;  ///< whether some accesses have not been flushed
  Failure failure;                  ///< failure of an operation; the next call that completes operations reports it
  Failure lost;                     ///< why the process will answer nothing any more
};

/// The targets of one window, found by rank.
class TargetTable {
 public:
  /// The target of this rank; nullptr if there is none yet.
  Target* find(int rank) const noexcept {
    if (places_.empty()) return nullptr;
    for (std::size_t i = first_place(rank);; i = next(i)) {
      Target* const found = places_[i];
      if (found == nullptr || found->rank == rank) return found;
    }
  }
  /// Adds a target for a rank that has none. It stays at its address.
  Target& add(int rank);
  std::size_t size() const noexcept { return all_.size(); }
  template <class Action>
  void for_each(Action action) const {
    for (const auto& each : all_) action(*each);
  }

 private:
  std::size_t first_place(int rank) const noexcept {
    return static_cast<std::size_t>(static_cast<std::uint32_t>(rank) * 0x9e3779b9U) & (places_.size() - 1);
  }
  std::size_t next(std::size_t place) const noexcept { return (place + 1) & (places_.size() - 1); }
  void enter(Target& target) noexcept;

  std::vector<Target*> places_;  ///< open addressing; a power of two, at most half full
  std::vector<std::unique_ptr<Target>> all_;
};

}  // namespace bowline::rma
