// SPDX-License-Identifier: BSD-3-Clause
// Plan: which processes access which part of the file in a two-phase collective access. All members compute the same.
//
// The part of the file that the members access is divided into domains of equal length, one for each aggregator.
// Aggregators go through their domains in windows. Every active unit has the same number of aggregators, which are
// spread over its processes: a launcher that binds processes in order has then placed them on different NUMA nodes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mpiio/collective/steps.hpp"
#include "mpiio/file/file_hints.hpp"
#include "mpiio/file/units.hpp"
#include "mpiio/storage/file_system.hpp"
#include "mpiio/storage/storage.hpp"

namespace bowline::mpiio {

class Plan {
 public:
  Plan(const Units& units, const Hints& hints, const FileSystem& system, const Summary& all);

  const Units& units() const noexcept { return *units_; }
  /// Number of aggregators in each active unit.
  int each() const noexcept { return each_; }
  int aggregators() const noexcept { return each_ * active_; }
  /// Whether the unit has aggregators.
  bool active(int unit) const noexcept { return place(unit) >= 0; }
  /// The number of the aggregator that is the i-th of `unit`, an active unit.
  int number(int unit, int i) const noexcept { return place(unit) * each_ + i; }
  /// The member that is the i-th aggregator of its unit or, if the unit has no aggregator, that stands for the unit's
  /// processes.
  int member(int unit, int i) const noexcept;
  /// The place of this member among the aggregators of its unit; -1 if the member is no aggregator.
  int role(int member) const noexcept;

  Extent domain(int aggregator) const noexcept;
  /// Bytes of a window.
  std::size_t window() const noexcept { return window_; }
  /// Domains and windows begin at multiples of this number, which is a multiple of a granule.
  static constexpr Offset page = 4096;
  /// Whether each domain is a single window.
  bool single_round() const noexcept { return static_cast<std::size_t>(domain_) <= window_; }
  /// Bytes that one bit of a window's coverage stands for.
  std::size_t granule() const noexcept { return granule_; }

 private:
  int place(int unit) const noexcept;

  const Units* units_;
  int each_ = 1;
  int active_ = 1;  ///< units that have aggregators
  std::size_t granule_;
  std::size_t window_;
  Extent whole_;
  Offset domain_;
};

}  // namespace bowline::mpiio
