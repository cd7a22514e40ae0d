// SPDX-License-Identifier: BSD-3-Clause
// Predefined handles that the inline conversions do not know.
#include <algorithm>

#include "abi.hpp"

namespace abi {
namespace {

constexpr auto by_handle = [] {
  auto sorted = std::to_array(predefined_handles);
  std::sort(sorted.begin(), sorted.end(),
            [](const PredefinedHandle& a, const PredefinedHandle& b) { return a.here < b.here; });
  return sorted;
}();

}  // namespace

std::uintptr_t predefined_in(int here) noexcept {
  const auto bits = static_cast<unsigned>(here);
  const auto found = std::lower_bound(by_handle.begin(), by_handle.end(), bits,
                                      [](const PredefinedHandle& each, unsigned wanted) { return each.here < wanted; });
  return found != by_handle.end() && found->here == bits ? found->standard : no_handle;
}

}  // namespace abi
