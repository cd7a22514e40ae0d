// SPDX-License-Identifier: BSD-3-Clause
#include "comm/survival/failed_processes.hpp"

#include <algorithm>
#include <iterator>

namespace bowline::comm {

void FailedProcesses::add(int process) {
  const std::lock_guard hold(mutex_);
  if (std::ranges::find(processes_, process) == processes_.end()) processes_.push_back(process);
}

std::vector<int> FailedProcesses::among(const Group& group) const {
  const std::lock_guard hold(mutex_);
  std::vector<int> members;
  std::ranges::copy_if(processes_, std::back_inserter(members),
                       [&](int process) { return group.rank_of(process) != Group::no_rank; });
  return members;
}

bool FailedProcesses::none() const {
  const std::lock_guard hold(mutex_);
  return processes_.empty();
}

}  // namespace bowline::comm
