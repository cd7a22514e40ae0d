// SPDX-License-Identifier: BSD-3-Clause
// Times of short parts of the library, which are measured while a tool asks for them.
#pragma once

#include "base/switched_timer.hpp"

namespace bowline::proto {

/// Of data of long messages.
extern SwitchedTimer copying;
/// Where the first element of a queue does not match at once.
extern SwitchedTimer matching;

}  // namespace bowline::proto
