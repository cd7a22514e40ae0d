// SPDX-License-Identifier: BSD-3-Clause
// WaitTargets: the ranks that can end a wait.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace bowline {

/// Copied as it is into the memory that mpiexec reads.
struct WaitTargets {
  enum class Kind : std::uint8_t {
    outside,  ///< not known; or something else may end the wait: the program's other threads, files, the launcher
    all,      ///< the wait lasts until each of the ranks has acted
    any,      ///< each of the ranks alone can end the wait
  };
  static constexpr std::size_t most = 27;

  Kind kind = Kind::outside;
  bool more = false;                     ///< there are further ranks, which are not listed
  std::array<std::uint8_t, 2> unused{};  // so that every byte has a value
  std::int32_t count = 0;                ///< of the ranks that are listed
  std::array<std::int32_t, most> ranks{};

  std::span<const std::int32_t> listed() const noexcept {
    return std::span(ranks).first(static_cast<std::size_t>(count));
  }
  /// The rank without which the wait does not end; negative if that is not known, or if any of several suffices.
  std::int32_t indispensable() const noexcept {
    const bool single = kind == Kind::all || (kind == Kind::any && count == 1 && !more);
    return single && count > 0 ? ranks.front() : -1;
  }
  /// Whether only ranks of a job of this size can end the wait; others belong to another job.
  bool only_of_job(int size) const noexcept {
    return kind != Kind::outside && std::ranges::all_of(listed(), [size](std::int32_t each) { return each < size; });
  }
  /// `rank`: in MPI_COMM_WORLD; negative: not known.
  void add(std::int32_t rank) noexcept {
    if (rank < 0) {
      kind = Kind::outside;
    } else if (std::ranges::find(listed(), rank) == listed().end()) {
      if (static_cast<std::size_t>(count) == most) {
        more = true;
      } else {
        ranks[static_cast<std::size_t>(count++)] = rank;
      }
    }
  }
  void add(std::span<const std::int32_t> others) noexcept {
    for (const std::int32_t each : others) add(each);
  }
  void add(const WaitTargets& others) noexcept {
    add(others.listed());
    more = more || others.more;
  }
  /// All of these ranks; some rank if there are none.
  static WaitTargets all_of(std::span<const std::int32_t> ranks) noexcept {
    if (ranks.empty()) return some_rank();
    WaitTargets targets{.kind = Kind::all};
    targets.add(ranks);
    return targets;
  }
  /// A rank of this job, but it is not known which one.
  static WaitTargets some_rank() noexcept { return {.kind = Kind::any, .more = true}; }
  /// One rank, which must act.
  static WaitTargets one(std::int32_t rank) noexcept {
    WaitTargets targets{.kind = Kind::all};
    targets.add(rank);
    return targets;
  }
};

/// The ranks that a call awaits if it needs all of several requests. `outside` as soon as one of them may be completed
/// by something else: its completion may let other operations of this rank go on.
class AllOfRequests {
 public:
  void add(const WaitTargets& of_one) noexcept {
    open_ = open_ || of_one.kind == WaitTargets::Kind::outside;
    if (of_one.kind == WaitTargets::Kind::all) {
      needed_.kind = WaitTargets::Kind::all;
      needed_.add(of_one);
    } else if (of_one.kind == WaitTargets::Kind::any) {
      one_of_ = of_one;
    }
  }
  WaitTargets targets() const noexcept {
    if (open_) return {};
    return needed_.kind == WaitTargets::Kind::all ? needed_ : one_of_;
  }

 private:
  bool open_ = false;
  WaitTargets needed_;
  WaitTargets one_of_;
};

/// The ranks that a call awaits if one of several requests suffices.
class AnyOfRequests {
 public:
  void add(const WaitTargets& of_one) noexcept {
    open_ = open_ || of_one.kind == WaitTargets::Kind::outside;
    targets_.kind = WaitTargets::Kind::any;
    targets_.add(of_one);
  }
  WaitTargets targets() const noexcept { return open_ ? WaitTargets{} : targets_; }

 private:
  bool open_ = false;
  WaitTargets targets_;
};

}  // namespace bowline
