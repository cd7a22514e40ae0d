// SPDX-License-Identifier: BSD-3-Clause
// Counts allocations, for tests of paths that must not allocate, and makes them fail, for tests of paths that do.
#pragma once

#include <cstddef>

namespace bowline::test {

/// The number of calls of operator new in this process so far. An executable that uses it gets allocation functions
/// that count.
std::size_t allocations() noexcept;

/// Makes allocations of this process fail for the life of the object: the one after the first `after` allocations, or
/// all later ones. Only one object at a time.
class FailingAllocations {
 public:
  enum class Which { one, all };
  FailingAllocations(std::size_t after, Which which) noexcept;
  ~FailingAllocations();
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;
  /// Whether any allocation has failed.
  static bool failed() noexcept;
};

}  // namespace bowline::test
