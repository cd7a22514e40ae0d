// SPDX-License-Identifier: BSD-3-Clause
// OwnIndices: by which index each peer knows this process. Within a job that is its world rank; the processes of
// another job have given it an index of their own.
#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

namespace bowline::transport {

class OwnIndices {
 public:
  /// `rank`: this process's world rank; `processes`: the size of the world.
  OwnIndices(int rank, int processes) noexcept : rank_(rank), processes_(processes) {}

  int processes() const noexcept { return processes_; }
  /// See Device::grow_to(). Throws std::bad_alloc.
  void grow_to(int processes, int self) {
    if (processes <= processes_) return;
    other_jobs_.push_back({processes_, self});
    processes_ = processes;
  }
  /// The index by which this peer knows this process.
  int at(int peer) const noexcept {
    const auto after = std::ranges::upper_bound(other_jobs_, peer, {}, &OtherJob::first);
    return after == other_jobs_.begin() ? rank_ : std::prev(after)->self;
  }

 private:
  /// Processes of another job, from this index up to the next such block.
  struct OtherJob {
    int first;
    int self;
  };

  int rank_;
  int processes_;
  std::vector<OtherJob> other_jobs_;  ///< ascending
};

}  // namespace bowline::transport
