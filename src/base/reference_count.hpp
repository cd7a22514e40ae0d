// SPDX-License-Identifier: BSD-3-Clause
// ReferenceCount: how many references keep an object alive, which threads share.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace bowline {

class ReferenceCount {
 public:
  constexpr ReferenceCount(std::uint32_t first = 1) noexcept : references_(first) {}

  /// The caller has a reference already, so no order is needed: the object lives, whatever this thread sees of it.
  void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  /// Whether that was the last reference. The caller then destroys the object: all threads have ended their accesses to
  /// it, and the caller sees what they wrote.
  [[nodiscard]] bool release() noexcept { return references_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  /// One reference to an object that no other thread knows.
  void restart() noexcept { references_.store(1, std::memory_order_relaxed); }

 private:
  Atomic<std::uint32_t> references_;
};

}  // namespace bowline
