// SPDX-License-Identifier: BSD-3-Clause
// See survivor_status.hpp.
#include "launcher/job/survivor_status.hpp"

#include <sys/wait.h>

#include <algorithm>

#include "launcher/usage_error.hpp"

namespace bowline::launcher {

void SurvivorStatus::add(int status, bool initialized) {
  constexpr int signals = 128;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  highest_ = std::max(highest_, code);
  if (WIFEXITED(status) && !initialized) {
    survived_ = survived_ || code == 0;
  } else if (!first_lost_) {
    first_lost_ = WIFSIGNALED(status) ? signals + WTERMSIG(status) : code != 0 ? code : status_not_finalized;
  }
}

int SurvivorStatus::status() const {
  if (highest_ > 0 || survived_) return highest_;
  return first_lost_.value_or(0);
}

}  // namespace bowline::launcher
