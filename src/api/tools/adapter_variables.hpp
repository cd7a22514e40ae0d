// SPDX-License-Identifier: BSD-3-Clause
// What tools may ask about the network adapters of this process.
#pragma once

#include <span>

#include "base/object_variable.hpp"

namespace bowline::api {

/// Sorted by name.
std::span<const ObjectVariable* const> adapter_variables() noexcept;

}  // namespace bowline::api
