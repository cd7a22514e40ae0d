// SPDX-License-Identifier: BSD-3-Clause
// Threads of the library, for structures that the tests in tests/memory_model/ compile with other types in their place.
#pragma once

#include <thread>

namespace bowline {

using Thread = std::thread;

}  // namespace bowline
