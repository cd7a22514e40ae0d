// SPDX-License-Identifier: BSD-3-Clause
// Scratch: the converted form of an array that the program passes, for the duration of a call.
#pragma once

#include <cstddef>

#include "base/short_array.hpp"

namespace front {

template <class Element>
using Scratch = bowline::ShortArray<Element, 64>;

/// The length of an array of the program. Bowline reports a count that is negative.
constexpr std::size_t length(long count) noexcept {
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

}  // namespace front
