// SPDX-License-Identifier: BSD-3-Clause
// MemberGroups: divides many members of one node into groups for short operations in shared memory. The members of a
// group share a last-level cache where that is known. A member then waits for its group's leader only, a leader for its
// group, and the top, one of the leaders, for the leaders: no member reads the flags of all others.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace bowline::coll {

class MemberGroups {
 public:
  /// With this many members, a group takes about as long as the leaders of 512 members.
  static constexpr std::size_t most_members = 16;

  /// `caches`: a number for each member, equal for members that share a last-level cache; if one is negative, its cache
  /// is not known, and members with consecutive ranks form groups. Every member computes the same groups.
  MemberGroups(std::span<const int> caches, int rank);
  /// Divides the same members anew. Needs no memory: the members have agreed to use the groups already.
  void divide(std::span<const int> caches) noexcept;

  /// The members of this member's group; its leader comes first.
  std::span<const int> group() const noexcept { return group_; }
  /// The leaders of all groups; the top comes first.
  std::span<const int> leaders() const noexcept { return leaders_; }
  bool leads() const noexcept { return group_.front() == rank_; }
  bool is_top() const noexcept { return leaders_.front() == rank_; }
  /// The member from which this member takes the result; not called by the top.
  int above() const noexcept { return leads() ? leaders_.front() : group_.front(); }

 private:
  int rank_;
  std::vector<int> members_;  ///< all, ordered by cache
  std::vector<int> group_;
  std::vector<int> leaders_;
};

}  // namespace bowline::coll
