// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a job wait for. Each rank writes it on the job's wait board (base/waits/wait_slot.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/waits/wait_slot.hpp"

namespace bowline::launcher {

/// The board of one job: a memory file that the ranks inherit.
class RankWaits {
 public:
  /// Makes a board with a slot for each rank. Throws LaunchError.
  explicit RankWaits(std::size_t ranks);
  ~RankWaits();
  RankWaits(const RankWaits&) = delete;
  RankWaits& operator=(const RankWaits&) = delete;

  /// The descriptor that the ranks inherit.
  int descriptor() const { return descriptor_; }
  /// The variable that tells a rank its slot, as NAME=VALUE.
  std::string variable(int rank) const;
  WaitSlot::Line line(int rank) const { return slot(rank).read(); }
  bool is_ready(int rank) const { return slot(rank).is_ready(); }
  /// Tells all ranks how one of them has ended.
  void tell_end(int rank, WaitSlot::End end);
  /// What the rank has called, once it has ended.
  std::optional<WaitSlot::CallsMade> calls(int rank) const { return slot(rank).read_calls(); }

 private:
  const WaitSlot& slot(int rank) const;

  int descriptor_;
  std::uint64_t key_;
  std::byte* memory_;
  std::size_t bytes_;
};

}  // namespace bowline::launcher
