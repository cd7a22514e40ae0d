// SPDX-License-Identifier: BSD-3-Clause
#include "coll/collectives.hpp"

#include <algorithm>
#include <memory>

#include "coll/check.hpp"
#include "coll/drive.hpp"
#include "coll/lengths.hpp"
#include "coll/selection.hpp"

namespace bowline::coll {
namespace {

/// Segments of a reduction hold whole elements, at least one.
std::size_t whole_elements(std::size_t segment, const Arguments& arguments) noexcept {
  if (segment == 0 || arguments.reduction == nullptr) return segment;
  const std::size_t element = arguments.reduction->element();
  return element == 0 ? segment : std::max(segment / element, std::size_t{1}) * element;
}

/// What serves the call; sets its segment.
const Algorithm& select(const Team& team, Operation operation, const Situation& call, Arguments& arguments) {
  const Choice choice = choose(operation, call, team.rules.get());
  if (choice.refused != nullptr && team.rank == 0) [[unlikely]]
    warn_refused(*choice.refused, call);
  arguments.segment = whole_elements(choice.segment, arguments);
  return *choice.algorithm;
}

const Algorithm& select(const Team& team, const Channel& channel, Operation operation, Arguments& arguments) {
  Situation call = situation_of(team, operation, arguments);
  call.shared = call.shared && channel.takes_turns();
  return select(team, operation, call, arguments);
}

/// The channel has a turn of the shared memory.
Task run_in_turn(Channel& channel, Operation operation, const Arguments& arguments, const Algorithm& algorithm) {
  channel.open_turn();
  tell_lengths(channel.slots(), channel.rank(), operation, arguments);
  return algorithm.run(channel, arguments);
}

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
  if (team.slots->ready()) {
    Task running = run_in_turn(channel, operation, arguments, algorithm);
    co_await running;
  } else {
    Task running = select(team, channel, operation, arguments).run(channel, arguments);
    co_await running;
  }
}

Task begin_unchecked(Team& team, Channel& channel, Operation operation, Arguments& arguments) {
  const Algorithm& algorithm = select(team, channel, operation, arguments);
  if (!algorithm.shared) return algorithm.run(channel, arguments);
  const bool first = team.slots == nullptr;
  if (first) team.slots = std::make_unique<TeamSlots>(team.engine, team.ranks, team.rank, team.size);
  channel.take_turn();
  if (!team.slots->ready()) [[unlikely]]
    return run_when_settled(team, channel, operation, arguments, algorithm, first);
  return run_in_turn(channel, operation, arguments, algorithm);
}

/// Members that disagree about the call disagree about turns of shared memory too, so none is taken before they have
/// agreed.
Task begin_checked(Team& team, Channel& channel, Operation operation, Arguments& arguments, Form form) {
  Task agreeing = agree(channel, describe(team, operation, form, arguments));
  co_await agreeing;
  Task running = begin_unchecked(team, channel, operation, arguments);
  co_await running;
}

}  // namespace

const Algorithm& select(const Team& team, Operation operation, Arguments& arguments) {
  Situation call = situation_of(team, operation, arguments);
  call.shared = false;
  return select(team, operation, call, arguments);
}

Task begin(Team& team, Channel& channel, Operation operation, Arguments& arguments, Form form) {
  if (checks_collectives()) [[unlikely]]
    return begin_checked(team, channel, operation, arguments, form);
  return begin_unchecked(team, channel, operation, arguments);
}

void run(Team& team, Operation operation, Arguments& arguments, Form form) {
  drive(team, team.next_tag(), [&](Channel& channel) { return begin(team, channel, operation, arguments, form); });
}

void bcast(Team& team, int root, std::span<std::byte> data) {
  Arguments arguments{.root = root, .result = data};
  run(team, Operation::bcast, arguments, Form::internal);
}

void allgather(Team& team, std::span<std::byte> all) {
  const Blocks blocks(all.data(), all.size() / static_cast<std::size_t>(team.size));
  Arguments arguments{.input = blocks[team.rank], .receive = blocks};
  run(team, Operation::allgather, arguments, Form::internal);
}

}  // namespace bowline::coll
