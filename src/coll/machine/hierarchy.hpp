// SPDX-License-Identifier: BSD-3-Clause
// Hierarchy: groups the members of a team by the hardware that they share, and defines the stages of a composed
// algorithm: first among the members of each narrowest unit, then among one member of each of these units, and so on to
// the widest.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "coll/channel/algorithm.hpp"
#include "coll/channel/subchannel.hpp"
#include "coll/machine/machine.hpp"

namespace bowline::coll {

/// A number for each of some members, or parts.
using Numbering = std::function<int(int)>;

/// How the parts of one level (members, or units of a narrower level) form units. A formula without memory describes
/// units of consecutive parts, or of every n-th part; a table describes any other placement.
class Grouping {
 public:
  /// `unit_of(part)` for parts 0 .. parts-1: equal numbers mean the same unit. Units are renumbered in the order of
  /// their first parts. `stride`: the distance of the first members of consecutive parts; 0 if only `member_of(part)`
  /// gives them.
  Grouping(Level level, int parts, int stride, const Numbering& unit_of, const Numbering& member_of);

  Level level() const noexcept { return level_; }
  int parts() const noexcept { return parts_; }
  int units() const noexcept { return units_; }
  /// The unit of a part, and the index of the part in its unit.
  int unit(int part) const noexcept;
  int index(int part) const noexcept;
  /// The first members of the parts of a unit.
  Members members(int unit) const noexcept;
  /// The distance of the first members of consecutive parts, and of consecutive units; 0 if it is not constant.
  int stride() const noexcept { return stride_; }
  int unit_stride() const noexcept;
  /// Whether every unit consists of consecutive parts.
  bool contiguous() const noexcept { return contiguous_; }
  /// The number of parts per unit if all units have equally many consecutive parts, else 0.
  int each() const noexcept { return rule_ == Rule::blocks && parts_ % span_ == 0 ? span_ : 0; }
  /// Bytes of the table.
  std::size_t memory() const noexcept { return table_.capacity() * sizeof(int); }
  /// Whether the parts form the same units in both groupings.
  bool operator==(const Grouping&) const = default;

 private:
  enum class Rule : std::uint8_t { blocks, cycle, table };
  void make_table(const std::vector<int>& unit_of, const Numbering& member_of);
  const int* units_of_parts() const noexcept { return table_.data(); }
  const int* indices() const noexcept { return table_.data() + parts_; }
  const int* first_members() const noexcept { return indices() + parts_; }
  const int* begins() const noexcept { return first_members() + parts_; }

  Level level_;
  Rule rule_ = Rule::table;
  bool contiguous_ = false;
  int parts_;
  int stride_;
  int units_ = 0;
  int span_ = 1;            ///< blocks: parts of each unit but the last
  std::vector<int> table_;  ///< by part: unit, index; by unit: first members of its parts, their offset here
};

/// One stage from the view of one member.
struct Stage {
  Members members;
  int rank = -1;  ///< this member's place in the stage; -1: another member represents its unit
  int top = 0;    ///< the place of the member that represents this stage's members in the next stage

  bool taken_part_in() const noexcept { return rank >= 0; }
};

/// The hierarchy is immutable once it is in use. Construction takes time in proportion to the number of members; the
/// object takes memory in proportion to that number only if the placement is irregular.
class Hierarchy {
 public:
  /// `world(member)`: a member's process index.
  Hierarchy(const Machine& machine, int size, const Numbering& world);

  /// Number of stages, at least 1. It is 1 if all members share the narrowest known unit, or if no two members share a
  /// unit.
  int stages() const noexcept { return static_cast<int>(groupings_.size()); }
  /// The hardware that the members of a stage share.
  Level level(int stage) const noexcept { return at(stage).level(); }
  /// The first member of a unit represents it in the next stage; `root` represents the units that contain it.
  Stage stage(int stage, int member, int root) const noexcept;

  /// Whether the members of every unit have consecutive ranks.
  bool contiguous() const noexcept;
  /// The number of leading stages whose units hold equally many consecutive members.
  int uniform_stages() const noexcept;
  /// Up to uniform_stages(): the number of members that each participant of a stage represents.
  int members_each(int stage) const noexcept { return at(stage).stride(); }
  /// For a stage up to uniform_stages(): this stage and all later stages as one stage, among all members that represent
  /// a unit there.
  Stage rest(int stage, int member, int root) const noexcept;
  /// Bytes of the tables.
  std::size_t memory() const noexcept;

  /// Overrides the choice of the algorithm for an operation in the stages of a level.
  struct Fixed {
    Operation operation;
    Level level;
    const Algorithm* algorithm;
    std::size_t segment;
  };
  void fix(const Fixed& fixed) { fixed_.push_back(fixed); }
  /// nullptr if none has been fixed.
  const Fixed* fixed(Operation operation, Level level) const noexcept;

 private:
  const Grouping& at(int stage) const noexcept { return groupings_[static_cast<std::size_t>(stage)]; }

  std::vector<Grouping> groupings_;
  std::vector<Fixed> fixed_;
};

}  // namespace bowline::coll
