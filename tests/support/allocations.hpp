// SPDX-License-Identifier: BSD-3-Clause
// Counting allocations: for tests of paths that must not allocate.
#pragma once

#include <cstddef>

namespace bowline::test {

/// How often this process has called operator new so far. An executable that uses this gets counting allocation
/// functions.
std::size_t allocations() noexcept;

}  // namespace bowline::test
