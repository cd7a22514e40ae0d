// SPDX-License-Identifier: BSD-3-Clause
// Completion: the end of an operation that a coroutine may wait for.
#pragma once

#include <coroutine>

namespace bowline {

/// Set once by whoever finishes the operation; if a coroutine waits by then, it is resumed by the next round of
/// progress.
struct Completion {
  bool done = false;
  std::coroutine_handle<> waiter;
};

}  // namespace bowline
