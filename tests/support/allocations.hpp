// SPDX-License-Identifier: BSD-3-Clause
// Counting allocations, for tests of paths that must not allocate; and letting them fail, for tests of those that do.
#pragma once

#include <cstddef>

namespace bowline::test {

/// How often this process has called operator new so far. An executable that uses this gets counting allocation
/// functions.
std::size_t allocations() noexcept;

/// While it lives, allocations of this process fail: the one behind the first `after` ones, or all that follow these.
/// One at a time.
class FailingAllocations {
 public:
  enum class Which { one, all };
  FailingAllocations(std::size_t after, Which which) noexcept;
  ~FailingAllocations();
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;
  /// Whether any has failed.
  static bool failed() noexcept;
};

}  // namespace bowline::test
