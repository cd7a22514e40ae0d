// SPDX-License-Identifier: BSD-3-Clause
// The message queues of ranks, found by process ids and core files.
#pragma once

#include <sys/types.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "launcher/queues/message_queues.hpp"

namespace bowline::launcher {

struct RankQueues {
  std::optional<int> number{};            ///< the rank in its job, if it is known
  pid_t process = 0;                      ///< 0: a core file does not tell it
  std::string core{};                     ///< the core file, if it is one
  std::string state{};                    ///< why there are no queues, and need not be: "ended" or "starting"
  std::optional<MessageQueues> queues{};  ///< what is pending
  std::string problem{};                  ///< one sentence, if that could not be read
};

/// The queues of all ranks of these processes that are an mpiexec, of the other processes, and of these core files; if
/// none are given, of all ranks of all jobs on this machine that this user may look at.
std::vector<RankQueues> queues_of(std::span<const pid_t> processes, std::span<const std::string> cores);

}  // namespace bowline::launcher
