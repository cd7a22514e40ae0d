// SPDX-License-Identifier: BSD-3-Clause
// Drives a coroutine over a team to its end: the blocking form of a collective.
#pragma once

#include "base/task.hpp"
#include "coll/calls/team_channel.hpp"

namespace bowline::coll {

/// The caller's thread, which holds the lane's lock, makes progress until the coroutine has ended. `tag` is the same in
/// all members, and `id` matches. Always inlined: a short collective takes a few hundred instructions, and a call would
/// be a noticeable part of them.
template <class MakeTask>
[[gnu::always_inline]] inline void drive(Team& team, std::int32_t tag, CallId id, MakeTask make_task) {
  TeamChannel channel(team, tag, id, SequenceSource::of_one_thread);
  Task task = make_task(channel);
  task.start();
  team.engine.wait_until([&] { return task.done(); }, channel.awaiting(), Awaited::several);  // all members
  task.result();
  channel.check();
}

}  // namespace bowline::coll
