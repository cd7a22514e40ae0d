// SPDX-License-Identifier: BSD-3-Clause
// Real engines for the algorithms of coll: all members in one process, over a network in memory that delays and
// refuses.
#pragma once

#include <cstdint>
#include <functional>

#include "base/task.hpp"
#include "coll/channel/channel.hpp"

namespace bowline::coll {

/// Runs the task of every member over an engine of its own until all have finished; a test failure if they do not.
void run_over_engines(int size, std::uint32_t seed, const std::function<Task(Channel&)>& make_task);

}  // namespace bowline::coll
