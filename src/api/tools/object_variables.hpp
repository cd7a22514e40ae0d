// SPDX-License-Identifier: BSD-3-Clause
// The performance variables that have several values, or that belong to an object.
#pragma once

#include <vector>

#include "base/object_variable.hpp"

namespace bowline::api {

/// Made once, in the order in which tools find them.
const std::vector<const ObjectVariable*>& object_variables();

}  // namespace bowline::api
