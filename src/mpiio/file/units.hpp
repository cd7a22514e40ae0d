// SPDX-License-Identifier: BSD-3-Clause
// Units: the processes of a file grouped by the memory that they share: a unit is the processes of one node or, where
// processes cannot share memory, one process.
#pragma once

#include <optional>

#include "coll/machine/hierarchy.hpp"
#include "coll/team/team.hpp"

namespace bowline::mpiio {

class Units {
 public:
  /// Makes units of one process each.
  explicit Units(int processes = 1) noexcept : processes_(processes) {}
  /// Makes a unit of each node, as far as the team's machine knows the nodes; otherwise units of one process.
  static Units by_node(const coll::Team& team);

  /// Makes units of `each` processes.
  static Units in_groups(int processes, int each);

  int count() const noexcept { return nodes_ ? nodes_->units() : processes_; }
  /// The unit of a process, and the place of the process in its unit.
  int unit(int rank) const noexcept { return nodes_ ? nodes_->unit(rank) : rank; }
  int index(int rank) const noexcept { return nodes_ ? nodes_->index(rank) : 0; }
  /// The processes of a unit.
  coll::Members members(int unit) const noexcept {
    return nodes_ ? nodes_->members(unit) : coll::Members{.count = 1, .first = unit};
  }
  int size(int unit) const noexcept { return members(unit).count; }
  /// The smallest number of processes in a unit.
  int smallest() const noexcept;
  /// Whether the units consist of the same processes. May be false for equal units that were made in different ways.
  bool operator==(const Units&) const = default;

 private:
  int processes_;
  std::optional<coll::Grouping> nodes_;
};

}  // namespace bowline::mpiio
