// SPDX-License-Identifier: BSD-3-Clause
// The counters of this process; the subnet's lock guards them.
#pragma once

#include "support/fabric/fabric_control.hpp"

namespace fabric {

inline fabric_counts counts{};

}  // namespace fabric
