// SPDX-License-Identifier: BSD-3-Clause
// What Fortran's libraries need to know of the ABI's state.
#pragma once

#include <array>

#include "base/atomic.hpp"

namespace bowline::api {

/// .FALSE. and .TRUE. of the default LOGICAL.
extern std::array<Atomic<int>, 2> default_logical_values;

}  // namespace bowline::api
