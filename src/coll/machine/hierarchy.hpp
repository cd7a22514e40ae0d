// SPDX-License-Identifier: BSD-3-Clause
// Hierarchy: the members of a team by the hardware that they share, and the stages in which a composed algorithm works:
// first among the members of the narrowest units, then among one member of each of these, and so on to the widest.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "coll/algorithm.hpp"
#include "coll/machine/machine.hpp"
#include "coll/subchannel.hpp"

namespace bowline::coll {

/// A number for each of some members, or parts.
using Numbering = std::function<int(int)>;

/// How the parts of one level (members, or units of a narrower level) form units. That consecutive parts belong
/// together, or every n-th, is a rule that takes no memory; anything else is a table.
class Grouping {
 public:
  /// `unit_of(part)` for parts 0 .. parts-1: equal numbers mean the same unit. Units are numbered anew, in the order of
  /// their first parts. `stride`: how far apart the first members of consecutive parts are; 0 if `member_of(part)` has
  /// to be asked.
  Grouping(Level level, int parts, int stride, const Numbering& unit_of, const Numbering& member_of);

  Level level() const noexcept { return level_; }
  int parts() const noexcept { return parts_; }
  int units() const noexcept { return units_; }
  /// The unit that a part is in, and which of the unit's parts it is.
  int unit(int part) const noexcept;
  int index(int part) const noexcept;
  /// The first members of the parts of a unit.
  Members members(int unit) const noexcept;
  /// How far apart the first members of consecutive parts, and of consecutive units, are; 0 if there is no such rule.
  int stride() const noexcept { return stride_; }
  int unit_stride() const noexcept;
  /// Whether every unit consists of consecutive parts.
  bool contiguous() const noexcept { return contiguous_; }
  /// The number of parts of a unit if all have as many consecutive ones, else 0.
  int each() const noexcept { return rule_ == Rule::blocks && parts_ % span_ == 0 ? span_ : 0; }
  /// Bytes of the table.
  std::size_t memory() const noexcept { return table_.capacity() * sizeof(int); }

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
  std::vector<int> table_;  ///< by part: unit and index; by unit: first members of its parts, and where they begin
};

/// One stage as one member sees it.
struct Stage {
  Members members;
  int rank = -1;  ///< this member's place among them; -1: another stands for its unit
  int top = 0;    ///< the place of the one that stands for all of them in the next stage

  bool taken_part_in() const noexcept { return rank >= 0; }
};

/// Immutable once it is in use. Takes time in proportion to the number of members to make, and keeps memory in
/// proportion to it only if they are placed without a rule.
class Hierarchy {
 public:
  /// `world(member)`: a member's world rank.
  Hierarchy(const Machine& machine, int size, const Numbering& world);

  /// At least 1. It is 1 if all members share the narrowest hardware that is known of them, or none.
  int stages() const noexcept { return static_cast<int>(groupings_.size()); }
  /// The hardware that the members of a stage share.
  Level level(int stage) const noexcept { return at(stage).level(); }
  /// The first member of a unit stands for it in the next stage, but `root` for the units that it is in.
  Stage stage(int stage, int member, int root) const noexcept;

  /// Whether the members of every unit have consecutive ranks.
  bool contiguous() const noexcept;
  /// How many of the first stages have units of consecutive members, as many in each.
  int uniform_stages() const noexcept;
  /// Up to uniform_stages(): how many members each of those stands for who meet in a stage.
  int members_each(int stage) const noexcept { return at(stage).stride(); }
  /// Up to uniform_stages(): this stage and all later ones in one, among everybody who stands for a unit by then.
  Stage rest(int stage, int member, int root) const noexcept;
  /// Bytes of the tables.
  std::size_t memory() const noexcept;

  /// Which algorithm serves an operation in the stages of a level, instead of the one that would be chosen.
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
