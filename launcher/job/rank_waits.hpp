// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a job wait for. Each rank writes it on the job's wait board (base/waits/wait_slot.hpp).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
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
  WaitSlot::Line line(int rank) const;

 private:
  int descriptor_;
  std::uint64_t key_;
  std::byte* memory_;
  std::size_t bytes_;
};

/// What PMIx and the exit status tell mpiexec about a rank.
enum class RankStage : std::uint8_t { unstarted, started, initialized, finalized, ended };

/// "rank 3 on host: in MPI_Recv on MPI_COMM_WORLD from rank 1, tag 7, for 12.0 s".
std::string describe_wait(int rank, const std::string& host, RankStage stage, const WaitSlot::Line& line,
                          std::chrono::steady_clock::time_point now);

}  // namespace bowline::launcher
