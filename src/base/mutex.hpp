// SPDX-License-Identifier: BSD-3-Clause
// Locks of threads, for structures that the tests in tests/memory_model/ compile with other types in their place.
#pragma once

#include <condition_variable>
#include <mutex>

namespace bowline {

using Mutex = std::mutex;
using ConditionVariable = std::condition_variable;

}  // namespace bowline
