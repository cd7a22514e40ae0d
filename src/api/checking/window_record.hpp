// SPDX-License-Identifier: BSD-3-Clause
// WindowRecord: what this process has done with one window since the members have compared their accesses last, which
// they do at each MPI_Win_fence and at MPI_Win_free. It is kept with BOWLINE_CHECK=epochs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "api/checking/window_access.hpp"
#include "base/diagnosis/mpi_call.hpp"

namespace bowline::rma {
class Window;
}

namespace bowline::api::checking {

/// Not for several threads at a time.
class WindowRecord {
 public:
  /// More accesses than that are not kept.
  static constexpr std::size_t most_accesses = 200'000;

  /// What the process knows when something happens.
  struct Knowledge {
    std::uint64_t learnt = 0;  ///< how often it may have learnt of what others did
    bool always_informed = false;
    bool holds_exclusive_lock = false;
  };

  /// `units`: the displacement unit of each member.
  WindowRecord(rma::Window& window, std::vector<std::int64_t> units);

  rma::Window& window() const noexcept { return window_; }
  std::int64_t unit(int target) const noexcept { return units_[static_cast<std::size_t>(target)]; }

  struct Earlier {
    WindowAccess access;
    MpiCall by;
  };
  /// Keeps an access of this process, in which place and kind are set. Returns an earlier access of this process
  /// that conflicts, if it may not have been completed at the target. `may_be_complete`: the access has a request, so
  /// nothing is said about later accesses that conflict with it.
  /// `data`: what a put writes, if it is known.
  std::optional<Earlier> add(int target, WindowAccess access, std::span<const std::byte> data, const MpiCall& by,
                             const Knowledge& now, bool may_be_complete);

  // What the process has synchronized.
  void started(const std::vector<int>& targets);
  void posted(const std::vector<int>& origins) { exposures_.post(origins); }
  void locked(int target, bool exclusive);
  void locked_all();
  /// The accesses to the target (-1: to all) have been completed there.
  void completed(int target);
  void unlocked(int target);
  void all_unlocked();
  bool holds_exclusive_lock() const noexcept { return !exclusive_.empty(); }
  void access_ended() { start_is_open_ = false; }
  /// All members have called MPI_Barrier.
  void passed_barrier(const Knowledge& now);
  /// The members have compared their accesses.
  void begin_anew(const Knowledge& now);
  /// The process has read from a target, and has not synchronized since.
  bool has_read() const noexcept { return has_read_; }

  // For the comparison.
  struct ToTarget {
    std::vector<WindowAccess> accesses;
    bool writes = false;
    bool is_complete = true;  ///< whether all writes are among `accesses`
  };
  const std::unordered_map<int, ToTarget>& all() const noexcept { return to_targets_; }
  const Exposures& exposures() const noexcept { return exposures_; }
  const MpiCall& call(std::uint32_t number) const { return calls_[number]; }
  std::size_t calls() const noexcept { return calls_.size(); }
  bool is_full() const noexcept { return kept_ >= most_accesses; }
  bool informed(const Knowledge& now) const noexcept { return now.always_informed || now.learnt != learnt_at_begin_; }
  bool has_passed_barrier() const noexcept { return barriers_ > 0; }
  /// Whether the process has held such a lock of its own memory.
  bool locked_own(bool exclusive) const noexcept { return exclusive ? own_exclusive_ : own_shared_; }

  /// What has been told of accesses to this process's memory: the origins and the numbers of their calls.
  ToldPairs& told() noexcept { return told_; }

  std::vector<std::byte>& memory_at_begin() noexcept { return memory_at_begin_; }
  const std::vector<std::byte>& memory_at_begin() const noexcept { return memory_at_begin_; }

 private:
  /// Accesses that may not have been completed at the target, by their first bytes.
  struct Pending {
    std::multimap<std::uint64_t, WindowAccess> accesses;
    std::uint64_t longest = 0;
  };

  WindowAccess::Epoch epoch() const noexcept;
  std::uint32_t number_of(const MpiCall& call);
  std::optional<Earlier> conflict_in(const Pending& pending, const WindowAccess& access) const;
  void keep(ToTarget& list, const WindowAccess& access, std::span<const std::byte> data);

  rma::Window& window_;
  std::vector<std::int64_t> units_;
  std::unordered_map<int, ToTarget> to_targets_;
  std::unordered_map<int, Pending> pending_;
  std::unordered_map<int, std::uint32_t> starts_;
  Exposures exposures_;
  std::vector<MpiCall> calls_;
  std::unordered_map<std::uintptr_t, std::uint32_t> numbers_;  ///< of calls, by where they return to
  std::vector<std::byte> memory_at_begin_;                     ///< empty: stores to the own memory are not looked for
  ToldPairs told_;
  std::size_t kept_ = 0;
  std::uint64_t learnt_at_begin_ = 0, learnt_at_barrier_ = 0;
  std::uint32_t barriers_ = 0;
  unsigned locks_ = 0;
  std::set<int> exclusive_;  ///< the targets of exclusive locks
  bool all_locked_ = false;
  bool start_is_open_ = false;
  bool has_read_ = false;
  bool own_exclusive_ = false, own_shared_ = false;
};

}  // namespace bowline::api::checking
