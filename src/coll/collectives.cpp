// SPDX-License-Identifier: BSD-3-Clause
#include "coll/collectives.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "coll/call_comparison.hpp"
#include "coll/composed.hpp"
#include "coll/drive.hpp"
#include "coll/machine/switch_topology.hpp"
#include "coll/selection/selection.hpp"
#include "coll/slots/lengths.hpp"
#include "coll/team_channel.hpp"

namespace bowline::coll {
namespace {

/// The algorithm that serves the call on this channel; sets the segment of the arguments.
const Algorithm& select(Team& team, Operation operation, Arguments& arguments, const Channel& channel) {
  // An operation that started before the team knew the hardware continues without it.
  if (!team.one_node && channel.hierarchy() == nullptr && team.hierarchy() != nullptr) [[unlikely]]
    return bowline::coll::select(team, operation, arguments);
  const Choice& choice = choose(team, operation, arguments, channel.takes_sequence());
  arguments.segment = choice.segment == 0 ? 0 : whole_elements(choice.segment, arguments);
  return *choice.algorithm;
}

/// Runs an algorithm whose channel has taken a sequence number in the shared memory.
Task run_sequenced(TeamChannel& channel, Operation operation, const Arguments& arguments, const Algorithm& algorithm) {
  channel.open_slots();
  tell_lengths(channel.slots(), operation, arguments);
  return algorithm.run(channel, arguments);
}

// Rarely needed coroutines are not inlined, because the set-up of their frames would slow down their callers.

/// Runs an algorithm that needs shared memory before the members know whether all of them can map it.
[[gnu::noinline]] Task run_when_settled(Team& team, TeamChannel& channel, Operation operation, Arguments& arguments,
                                        const Algorithm& algorithm, TeamSlots& slots, bool first) {
  if (first) {
    try {
      Task settling = slots.settle(channel);
      co_await settling;
    } catch (const Error& error) {  // other members may have succeeded and wait for this one
      channel.fail(error);
    }
  } else {
    auto settled = slots.settled();
    co_await settled;
  }
  if (slots.ready() && channel.failed()) {
    channel.open_slots();
    tell_failure(channel.slots(), operation, team.rank == arguments.root, *channel.failure());
  } else if (slots.ready()) {
    Task running = run_sequenced(channel, operation, arguments, algorithm);
    co_await running;
  } else {
    Task running = select(team, operation, arguments, channel).run(channel, arguments);
    co_await running;
  }
}

/// The same for the memory of the members on this node, without which the algorithm can run.
[[gnu::noinline]] Task run_when_node_settled(NodeMembers& node, Channel& channel, const Arguments& arguments,
                                             const Algorithm& algorithm, bool first) {
  TeamSlots& slots = node.slots();
  if (first) {
    SubChannel members = node.channel(channel);
    try {
      Task settling = slots.settle(members);
      co_await settling;
    } catch (const Error& error) {  // members on other nodes still wait for this one
      channel.fail(error);
    }
  } else {
    auto settled = slots.settled();
    co_await settled;
  }
  if (slots.ready()) channel.open_node_slots();
  Task running = algorithm.run(channel, arguments);
  co_await running;
}

[[gnu::noinline]] Task begin_composed(Team& team, Channel& channel, const Arguments& arguments,
                                      const Algorithm& algorithm) {
  const Division* const parts = team.divided();
  NodeMembers* const node = parts == nullptr ? nullptr : parts->node.get();
  if (node == nullptr || !channel.takes_node_sequences() || node->slots().refused())
    return algorithm.run(channel, arguments);
  const bool first = !node->slots().begun();
  channel.take_node_sequences();
  if (!node->slots().ready()) [[unlikely]]
    return run_when_node_settled(*node, channel, arguments, algorithm, first);
  channel.open_node_slots();
  return algorithm.run(channel, arguments);
}

inline Task begin_unchecked(Team& team, Channel& channel, Operation operation, Arguments& arguments) {
  const Algorithm& algorithm = select(team, operation, arguments, channel);
  if (algorithm.composed) [[unlikely]]
    return begin_composed(team, channel, arguments, algorithm);
  if (!algorithm.shared) return algorithm.run(channel, arguments);
  auto& sequenced = static_cast<TeamChannel&>(channel);  // no other channel takes sequence numbers
  if (sequenced.lacks_memory()) [[unlikely]]
    sequenced.make_memory(useful_slot(operation, arguments, team.size));
  TeamSlots& slots = sequenced.take_sequence();
  if (!slots.ready()) [[unlikely]]
    return run_when_settled(team, sequenced, operation, arguments, algorithm, slots, slots.is_first());
  return run_sequenced(sequenced, operation, arguments, algorithm);
}

/// Members whose calls differ would also take different sequence numbers, so no number is taken before they have
/// agreed.
[[gnu::noinline]] Task begin_checked(Team& team, Channel& channel, Operation operation, Arguments& arguments,
                                     Form form) {
  Task agreeing = agree(channel, describe(team, operation, form, arguments));
  co_await agreeing;
  Task running = begin_unchecked(team, channel, operation, arguments);
  co_await running;
}

}  // namespace

const Algorithm& select(Team& team, Operation operation, Arguments& arguments) {
  Situation call = situation_of(team, operation, arguments);
  call.shared = call.layered = false;
  const Choice choice = choose(operation, call, team.rules.get());
  arguments.segment = whole_elements(choice.segment, arguments);
  return *choice.algorithm;
}

Task begin(Team& team, Channel& channel, Operation operation, Arguments& arguments, Form form) {
  if (checks_collectives()) [[unlikely]]
    return begin_checked(team, channel, operation, arguments, form);
  return begin_unchecked(team, channel, operation, arguments);
}

void run(Team& team, Operation operation, Arguments& arguments, Form form) {
  if (team.switches_unknown) [[unlikely]]
    exchange_switches(team);
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
