// SPDX-License-Identifier: BSD-3-Clause
// NetworkTrials: finds out which of several algorithms takes the least time between the members of a team on several
// nodes, whose network no rule knows. The times are those of the program's own long blocking calls.
//
// Between nodes members share no memory in which they could publish what they plan (Trial does that on one node).
// Therefore the schedule depends on one number only, which all members count alike whatever their calls are: that of
// the blocking call. At certain numbers a cycle of calls begins. In a cycle the first way to execute a call has its
// turn for some calls, then the second way, and so on; the members measure their times. Before the first call after a
// cycle they add up the times of all members, and from then on use the way with the least sum. As long as cycles find
// nothing to decide, they become rarer. Only operations that combine nothing are compared, because algorithms between
// nodes combine operands in different orders, and the result of a reduction should not change from call to call
// (MPI-5.0, section 6.9.1).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "coll/channel/algorithm.hpp"

namespace bowline::coll {

/// A way to execute a call.
struct Way {
  const Algorithm* algorithm = nullptr;
  std::size_t segment = 0;  ///< in bytes; 0 if the algorithm has none
};

/// The ways that members compare in a call, the chosen one first; none if they compare none.
struct Ways {
  static constexpr std::size_t most = 4;
  std::array<Way, most> list{};
  std::size_t count = 0;
};

/// The comparison for one operation and one class of lengths.
class NetworkTrial {
 public:
  explicit NetworkTrial(const Ways& ways) noexcept : ways_(ways) {}

  const Way& in_use() const noexcept { return ways_.list[in_use_]; }
  const Ways& ways() const noexcept { return ways_; }
  /// The number of the way that serves a call of this cycle while the way `turn` has its turn, if that is to be
  /// measured.
  std::optional<std::size_t> measured(std::size_t turn) const noexcept;
  void took(std::size_t way, float seconds) noexcept;

 private:
  friend class NetworkTrials;
  /// The times of so many calls are known before the least of them counts: the first call connects members.
  static constexpr std::uint32_t least_calls = 2;
  struct Measured {
    float least = std::numeric_limits<float>::infinity();  ///< in seconds
    std::uint32_t calls = 0;
  };
  bool is_begun() const noexcept;
  bool is_complete() const noexcept;
  /// `sums`: by way. `next`: the number of the call from which on the members look again. Returns whether another way
  /// has been taken into use.
  bool decide(std::span<const std::uint64_t> sums, std::uint32_t next) noexcept;

  Ways ways_;
  std::size_t in_use_ = 0;
  bool open_ = true;  ///< whether cycles measure
  std::uint32_t decisions_ = 0;
  std::uint32_t next_ = 0;  ///< if it is not open
  std::array<Measured, Ways::most> measured_{};
};

/// The comparisons of a team.
class NetworkTrials {
 public:
  static constexpr std::uint32_t calls_in_turn = 4;
  static constexpr std::uint32_t cycle = calls_in_turn * Ways::most;  ///< calls
  static constexpr int most_cycles = 4;  ///< one after the other, for calls that are too rare for one cycle
  /// Calls before the first cycle; from a cycle that has decided something to the next one; and at most.
  static constexpr std::uint32_t calls_before = 8;
  static constexpr std::uint32_t first_interval = 64;
  static constexpr std::uint32_t longest_interval = 1 << 12;
  /// Calls until members look again at what they have decided: for the first time, and later.
  static constexpr std::uint32_t calls_until_second = 1 << 12;
  static constexpr std::uint32_t calls_between = 1 << 15;

  /// Whether members compare algorithms of this operation, if calls are longer than longest_not_compared.
  static bool compares(Operation operation) noexcept;

  /// The comparison for calls of this length, with the ways of its first call.
  NetworkTrial& of(Operation operation, std::size_t bytes, const Ways& ways);

  /// Whether a cycle has begun before the blocking call of this number, modulo CallOrder::tags, or with it.
  bool is_exploring(std::int32_t call) const noexcept;
  /// If so: whether the cycle has ended, so that the members exchange their times before this call.
  bool exchanges(std::int32_t call) const noexcept;
  /// If so: the number of the way whose turn it is.
  std::size_t turn(std::int32_t call) const noexcept;

  /// What a member has measured; the members add up these numbers: the comparisons that lack times, and the least times
  /// in ticks.
  static constexpr double ticks_in_second = 1e7;
  static constexpr std::size_t operations_compared = 5;
  static constexpr std::size_t length_classes = 11;
  using Sums = std::array<std::uint64_t, 1 + operations_compared * length_classes * Ways::most>;
  Sums measured() const noexcept;
  /// A comparison that has come to an end.
  struct Decision {
    Operation operation;
    std::size_t most_bytes;  ///< of the class; the last class has no bound
    const NetworkTrial* trial;
    std::span<const std::uint64_t> ticks;  ///< by way, of the sums
    bool changed;
  };
  /// Takes the fastest ways into use, and sets the beginning of the next cycle. `sums` are the same in all members.
  std::vector<Decision> decide(std::int32_t call, const Sums& sums);
  /// Instead of decide(), if the exchange has failed.
  void abandon(std::int32_t call) noexcept { rest(call); }

 private:
  /// The time of a way that a member has not measured: more than any sum of times, and its sum is no overflow.
  static constexpr std::uint64_t not_measured = std::uint64_t{1} << 42;
  static constexpr std::uint32_t shortest_class = 13;  ///< the lengths of the first class have so many bits

  std::uint32_t calls_since_begin(std::int32_t call) const noexcept;
  void rest(std::int32_t call) noexcept;

  std::map<std::uint32_t, NetworkTrial> trials_;  ///< by operation and class
  std::uint32_t begin_ = calls_before;            ///< number of the first call of this cycle, or of the next one
  int cycles_ = 0;                                ///< that have ended, one after the other
  std::uint32_t interval_ = first_interval;
};

}  // namespace bowline::coll
