// SPDX-License-Identifier: BSD-3-Clause
// The values of the user's handles. In the standard ABI predefined handles are small numbers (below 0x1000), and all
// others are addresses that this library has returned. X_handles.hpp converts the handles of kind X to objects, and
// back.
#pragma once

#include <cstdint>

namespace bowline::api {

/// The value of a handle as a number: small for predefined handles, large for handles of objects.
template <class Handle>
std::uintptr_t handle_value(Handle handle) noexcept {
  return reinterpret_cast<std::uintptr_t>(handle);
}

/// Predefined handles are less than this; no object lies below this address.
inline constexpr std::uintptr_t first_object = 0x1000;

}  // namespace bowline::api
