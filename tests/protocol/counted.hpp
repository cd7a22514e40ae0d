// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/counter.hpp"

namespace bowline::proto {

/// The value of the counter with this name, which exists.
inline std::uint64_t counted(std::string_view name) {
  return (*std::ranges::find(Measure::all(), name, &Measure::name))->value();
}

}  // namespace bowline::proto
