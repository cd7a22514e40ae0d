// SPDX-License-Identifier: BSD-3-Clause
// Group: an ordered set of processes (MPI-5.0, section 7.3). Immutable; copies share their members.
//
// Members are kept as runs, arithmetic sequences of process indices: a range or a stride of the world is one run,
// whatever its size. The worst case, members in no order at all, is one run for every two members.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "coll/channel/rank_map.hpp"

namespace bowline::comm {

/// Members first, first + stride, ... of a group, up to `last`. The stride is not 0.
struct RankRange {
  int first;
  int last;
  int stride;
  /// The number of members; 0 if the stride leads away from `last`.
  int count() const noexcept {
    const std::int64_t way = std::int64_t{last} - first;
    return way != 0 && (way > 0) != (stride > 0) ? 0 : static_cast<int>(way / stride + 1);
  }
};

/// The session from which a group comes, if it does not come from the world.
struct Origin;

enum class Likeness : std::uint8_t { identical, similar, different };

class Group {
 public:
  static constexpr int no_rank = -1;

  /// The group without members.
  Group();
  /// Processes first, first + stride, ...
  static Group sequence(int first, int stride, int size);
  /// Processes in this order, each once.
  static Group of(std::span<const int> processes);

  int size() const noexcept;
  /// The process of a member.
  int process(int rank) const noexcept;
  /// The rank of a process; no_rank if it is no member. Takes constant or logarithmic time.
  int rank_of(int process) const;
  /// For teams and messages; valid as long as any copy of the group lives.
  coll::RankMap map() const;

  // In these functions ranks are ranks of this group, each named once.
  Group including(std::span<const int> ranks) const;
  Group including(std::span<const RankRange> ranges) const;
  /// The members that are not marked, in this group's order.
  Group without(const std::vector<bool>& marked) const;

  // The set operations in the standard's order: the members of `first`, then those that `second` adds.
  static Group unite(const Group& first, const Group& second);
  static Group intersect(const Group& first, const Group& second);
  static Group subtract(const Group& first, const Group& second);
  static Likeness compare(const Group& first, const Group& second);

  /// A group of the same members that belongs to a session. Groups derived from the result belong to the session too.
  Group from(std::shared_ptr<Origin> origin) const;
  /// nullptr for groups of the world.
  const std::shared_ptr<Origin>& origin() const noexcept { return origin_; }

  /// Bytes of memory for the members.
  std::size_t footprint() const noexcept;

 private:
  struct Run;
  struct Members;
  class Builder;

  Group(std::shared_ptr<const Members> members, std::shared_ptr<Origin> origin) noexcept;
  bool contains(int process) const { return rank_of(process) != no_rank; }
  template <class Accept>
  void add_to(Builder& builder, Accept accept) const;

  std::shared_ptr<const Members> members_;
  std::shared_ptr<Origin> origin_;
};

}  // namespace bowline::comm
