// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a job wait for, in words.
#pragma once
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/waits/wait_groups.hpp"
#include "base/waits/wait_slot.hpp"

namespace bowline::launcher {

/// What PMIx and the exit status tell mpiexec about a rank.
enum class RankStage : std::uint8_t { unstarted, started, initialized, finalized, ended };

/// What is known of a rank at a moment.
struct RankView {
  RankStage stage = RankStage::unstarted;
  WaitSlot::Line line{};
  bool lost = false;     ///< it has ended, and the job goes on without it
  bool stopped = false;  ///< by a signal or a debugger
  std::string place{};   ///< where the program calls the MPI function: source_lines()
};

/// Whether the rank runs, and waits in MPI.
bool is_waiting(const RankView& rank);

/// Sets the places of ranks that wait. To be called before they are ended: their memory shows the places.
void add_places(std::span<RankView> ranks);

/// A line for each group of ranks that say the same (WaitGroups::lines()).
/// `numbers`: the ranks, in ascending order; empty: 0, 1, 2 ...
std::vector<std::string> describe_waits(std::span<const RankView> ranks, const std::string& host,
                                        std::chrono::steady_clock::time_point now, std::span<const int> numbers = {});

/// Which ranks wait for each other: "rank 0 waits for rank 1, rank 1 for rank 0"; or for a rank that has ended. Empty
/// if the ranks do not say for whom they wait.
std::string describe_cycle(std::span<const RankView> ranks);

}  // namespace bowline::launcher
