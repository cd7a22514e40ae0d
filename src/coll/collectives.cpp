// SPDX-License-Identifier: BSD-3-Clause
#include "coll/collectives.hpp"

#include <memory>

#include "coll/drive.hpp"
#include "coll/selection.hpp"

namespace bowline::coll {

namespace {

/// The algorithm needs the team's shared memory, of which it is not known yet whether it can be had.
Task run_when_settled(Team& team, Channel& channel, Operation operation, Arguments& arguments,
                      const Algorithm& algorithm, bool first) {
  if (first) {
    Task settling = team.slots->settle(channel);
    co_await settling;
  } else {
    auto settled = team.slots->settled();
    co_await settled;
  }
  const Algorithm* chosen = &algorithm;
  if (team.slots->ready()) {
    channel.open_turn();
  } else {
    const Choice choice = choose(operation, situation_of(team, operation, arguments));
    arguments.segment = choice.segment;
    chosen = choice.algorithm;
  }
  Task running = chosen->run(channel, arguments);
  co_await running;
}

}  // namespace

Task begin(Team& team, Channel& channel, Operation operation, Arguments& arguments) {
  const Choice choice = choose(operation, situation_of(team, operation, arguments));
  arguments.segment = choice.segment;
  if (!choice.algorithm->shared) return choice.algorithm->run(channel, arguments);
  const bool first = team.slots == nullptr;
  if (first) team.slots = std::make_unique<TeamSlots>(team.engine, team.ranks, team.rank, team.size);
  channel.take_turn();
  if (!team.slots->ready()) [[unlikely]]
    return run_when_settled(team, channel, operation, arguments, *choice.algorithm, first);
  channel.open_turn();
  return choice.algorithm->run(channel, arguments);
}

void run(Team& team, Operation operation, Arguments& arguments) {
  drive(team, team.next_tag(), [&](Channel& channel) { return begin(team, channel, operation, arguments); });
}

void bcast(Team& team, int root, std::span<std::byte> data) {
  Arguments arguments{.root = root, .result = data};
  run(team, Operation::bcast, arguments);
}

void allgather(Team& team, std::span<std::byte> all) {
  const Blocks blocks(all.data(), all.size() / static_cast<std::size_t>(team.size));
  Arguments arguments{.input = blocks[team.rank], .receive = blocks};
  run(team, Operation::allgather, arguments);
}

}  // namespace bowline::coll
