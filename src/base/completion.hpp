// SPDX-License-Identifier: BSD-3-Clause
// Completion: the end of an operation that a thread or a coroutine may wait for.
#pragma once

#include <coroutine>

#include "base/flag.hpp"

namespace bowline {

/// Set once by the code that completes the operation. If a coroutine waits for it, the next round of progress resumes
/// it.
struct Completion {
  Flag done;
  std::coroutine_handle<> waiter;
};

}  // namespace bowline
