// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace bowline::launcher {

/// Why the message queues of a process or a core file cannot be told: one sentence without a full stop.
struct QueueError : std::runtime_error {
  template <class... Args>
  explicit QueueError(fmt::format_string<Args...> text, Args&&... args)
      : std::runtime_error(fmt::format(text, std::forward<Args>(args)...)) {}
};

}  // namespace bowline::launcher
