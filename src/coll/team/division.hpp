// SPDX-License-Identifier: BSD-3-Clause
// Division: how the members of a team are divided by hardware.
#pragma once

#include <memory>

#include "coll/machine/hierarchy.hpp"
#include "coll/slots/node_members.hpp"

namespace bowline::coll {

struct Division {
  Hierarchy hierarchy;
  std::unique_ptr<NodeMembers> node;  ///< if some, but not too many, other members run on this process's node
};

}  // namespace bowline::coll
