// SPDX-License-Identifier: BSD-3-Clause
// Memory for the duration of one operation, recycled so that a repeated operation does not allocate.
#pragma once

#include <cstddef>

#include "base/short_array.hpp"

namespace bowline {

/// Recycles memory of up to 256 KiB by powers of two. Each thread has a list of its own, so the pool needs no lock. If
/// another thread gives memory back, the memory joins that thread's list. Aligned to cache lines.
class ScratchPool {
 public:
  static void* take(std::size_t bytes);
  /// `bytes`: the number that was passed to take().
  static void give(void* memory, std::size_t bytes) noexcept;
};

/// An array in recycled memory, whatever its length.
template <class Element>
using ScratchArray = ShortArray<Element, 0, ScratchPool>;

}  // namespace bowline
