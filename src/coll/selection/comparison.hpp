// SPDX-License-Identifier: BSD-3-Clause
// The exchange of times between the members that compare algorithms.
#pragma once

#include <cstddef>

#include "base/task.hpp"
#include "coll/channel/algorithm.hpp"
#include "coll/channel/channel.hpp"
#include "coll/selection/trial.hpp"

namespace bowline::coll {

/// Adds up the times of all members, by messages, and lets the trial decide. If the channel has failed by then, the
/// trial is left as it is. `bytes`: the length of the call, for the log.
Task compare(Channel& channel, Operation operation, std::size_t bytes, Trial& trial);

}  // namespace bowline::coll
