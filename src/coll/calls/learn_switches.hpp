// SPDX-License-Identifier: BSD-3-Clause
// The members of a team learn the switches above each other's nodes (machine/switch_topology.hpp).
#pragma once

#include "coll/team/team.hpp"

namespace bowline::coll {

/// All members of a team that does not know the switches yet call this, as a collective operation of its own.
void learn_switches(Team& team);

}  // namespace bowline::coll
