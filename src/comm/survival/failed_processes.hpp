// SPDX-License-Identifier: BSD-3-Clause
// FailedProcesses: the processes that this one has found failed, in the order in which it has found them.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "comm/group.hpp"

namespace bowline::comm {

/// Thread-safe.
class FailedProcesses {
 public:
  void add(int process);
  /// The failed members of a group, as process indices, in that order: a later result begins with an earlier one.
  std::vector<int> among(const Group& group) const;
  bool none() const;

 private:
  mutable std::mutex mutex_;
  std::vector<int> processes_;
};

}  // namespace bowline::comm
