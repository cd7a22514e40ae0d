// SPDX-License-Identifier: BSD-3-Clause
// The predefined handles that the list of the bindings has, beside which tests hold what the layer knows.
#pragma once

#include <cstdint>
#include <string_view>

namespace bowline::dtype {

struct ListedHandle {
  std::string_view name;
  std::string_view type;
  std::uintptr_t value;
};

inline constexpr ListedHandle listed_handles[] = {
#include "handles.inc"
};

/// Whether it is one of `type`, and no null handle.
inline bool is(const ListedHandle& handle, std::string_view type) {
  return handle.type == type && !handle.name.ends_with("_NULL");
}

}  // namespace bowline::dtype
