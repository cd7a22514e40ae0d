// SPDX-License-Identifier: BSD-3-Clause
// Measured costs: the figures of this node for the model of node_costs.hpp. Member 0 of a team provides them when the
// members make their shared memory. It takes them from the long messages that it has received from its node; if there
// were none, member 1 sends it a few, which takes less than 0.1 ms and happens once in a process. If ranks share cores,
// times of messages say little, and member 0 measures copies within its own memory instead.
#pragma once

#include "base/task.hpp"
#include "coll/channel.hpp"
#include "coll/selection/node_costs.hpp"
#include "proto/engine.hpp"

namespace bowline::coll {

/// Whether this process needs messages for them.
bool lacks_costs(proto::Engine& engine) noexcept;

/// Members 0 and 1 exchange messages, from which member 0 learns the costs. Any other member does nothing. The time of
/// a short message is kept for the process.
Task exchange_for_costs(Channel& channel);

/// What this process knows of the costs.
NodeCosts known_costs(proto::Engine& engine) noexcept;

}  // namespace bowline::coll
