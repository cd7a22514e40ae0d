// SPDX-License-Identifier: BSD-3-Clause
// OwnIndices: by which index each peer knows this process. Within a job that is its world rank. Each process of another
// job has its own numbering, and tells its index of this process when the jobs are connected.
#pragma once

#include <cstddef>
#include <vector>

namespace bowline::transport {

class OwnIndices {
 public:
  /// `rank`: this process's world rank; `processes`: the size of the world.
  OwnIndices(int rank, int processes) noexcept : rank_(rank), world_(processes), processes_(processes) {}

  int processes() const noexcept { return processes_; }
  /// See Device::grow_to(). Throws std::bad_alloc.
  void grow_to(int processes) {
    if (processes <= processes_) return;
    of_others_.resize(static_cast<std::size_t>(processes - world_), -1);
    processes_ = processes;
  }
  /// See Device::known_as().
  void set(int peer, int self) noexcept { of_others_[static_cast<std::size_t>(peer - world_)] = self; }
  /// The index by which this peer knows this process; negative before set() for a process of another job.
  int at(int peer) const noexcept {
    return peer < world_ ? rank_ : of_others_[static_cast<std::size_t>(peer - world_)];
  }

 private:
  int rank_;
  int world_;
  int processes_;
  std::vector<int> of_others_;  ///< by index, from the first process of another job on
};

}  // namespace bowline::transport
