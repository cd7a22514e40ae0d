// SPDX-License-Identifier: BSD-3-Clause
// The exchange of times between the members that compare algorithms.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/task.hpp"
#include "coll/channel/algorithm.hpp"
#include "coll/channel/channel.hpp"
#include "coll/selection/network_trials.hpp"
#include "coll/selection/trial.hpp"

namespace bowline::coll {

/// Adds up the times of all members, by messages, and lets the trial decide. If the channel has failed by then, the
/// trial is left as it is. `bytes`: the length of the call, for the log.
Task compare(Channel& channel, Operation operation, std::size_t bytes, Trial& trial);

/// Before the blocking call of this number: adds up the times of members on several nodes, and lets their trials
/// decide. If the channel has failed by then, the exploration ends without a decision.
Task compare(Channel& channel, std::int32_t call, NetworkTrials& trials);

}  // namespace bowline::coll
