// SPDX-License-Identifier: BSD-3-Clause
#include "coll/calls/collectives.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>

#include "base/error.hpp"
#include "base/failure.hpp"
#include "coll/calls/call_comparison.hpp"
#include "coll/calls/collective_events.hpp"
#include "coll/calls/drive.hpp"
#include "coll/calls/learn_switches.hpp"
#include "coll/calls/team_channel.hpp"
#include "coll/selection/comparison.hpp"
#include "coll/selection/composed.hpp"
#include "coll/selection/selection.hpp"
#include "coll/slots/lengths.hpp"

namespace bowline::coll {
namespace {

/// What serves a call: the algorithm, unless a trial decides.
struct Selected {
  const Algorithm& algorithm;
  Trial* trial = nullptr;
};

/// The choice for this channel; sets the segment of the arguments.
Selected select(const TeamChannel& channel, Operation operation, Arguments& arguments) {
  const Choice& choice = choose(channel.team(), channel.order(), operation, arguments, channel.takes_sequence());
  arguments.segment = choice.segment == 0 ? 0 : whole_elements(choice.segment, arguments);
  return {*choice.algorithm, choice.trial};
}

/// Runs an algorithm whose channel has taken a sequence number in the shared memory.
Task run_sequenced(TeamChannel& channel, Operation operation, const Arguments& arguments, const Algorithm& algorithm) {
  channel.open_slots();
  tell_lengths(channel.slots(), operation, arguments);
  return algorithm.run(channel, arguments);
}

// Rarely needed coroutines are not inlined, because the set-up of their frames would slow down their callers.

/// Runs an algorithm that needs shared memory before the members know whether all of them can map it.
[[gnu::noinline]] Task run_when_settled(TeamChannel& channel, Operation operation, Arguments& arguments,
                                        const Algorithm& algorithm, TeamSlots& slots, bool first) {
  if (first) {
    try {
      Task settling = slots.settle(channel);
      co_await settling;
    } catch (const std::exception&) {  // other members may have succeeded and wait for this member
      channel.fail(*Failure::current());
    }
  } else {
    auto settled = slots.settled();
    co_await settled;
  }
  if (slots.ready() && channel.failed()) {
    channel.open_slots();
    tell_failure(channel.slots(), operation, channel.rank() == arguments.root, *channel.failure());
  } else if (slots.ready()) {
    Task running = run_sequenced(channel, operation, arguments, algorithm);
    co_await running;
  } else {
    // After a shortage of memory the slots are not refused, and the choice would take them again.
    const Algorithm& by_messages = slots.refused() ? select(channel, operation, arguments).algorithm
                                                   : bowline::coll::select(channel.team(), operation, arguments);
    Task running = by_messages.run(channel, arguments);
    co_await running;
  }
}

/// Like run_when_settled(), for an algorithm that needs the memory of the members on this node.
[[gnu::noinline]] Task run_when_node_settled(NodeMembers& node, Channel& channel, const Arguments& arguments,
                                             const Algorithm& algorithm, bool first) {
  TeamSlots& slots = node.slots();
  if (first) {
    SubChannel members = node.channel(channel);
    try {
      Task settling = slots.settle(members);
      co_await settling;
    } catch (const std::exception&) {  // members on other nodes still wait for this member
      channel.fail(*Failure::current());
    }
  } else {
    auto settled = slots.settled();
    co_await settled;
  }
  if (slots.ready()) channel.open_node_slots();
  Task running = algorithm.run(channel, arguments);
  co_await running;
}

[[gnu::noinline]] Task begin_composed(TeamChannel& channel, const Arguments& arguments, const Algorithm& algorithm) {
  const Division* const parts = channel.team().divided(channel.order());
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

/// Always inlined, because it is a part of every collective.
[[gnu::always_inline]] inline Task begin_with(const Algorithm& algorithm, TeamChannel& channel, Operation operation,
                                              Arguments& arguments) {
  if (algorithm.composed) [[unlikely]]
    return begin_composed(channel, arguments, algorithm);
  if (!algorithm.shared) return algorithm.run(channel, arguments);
  if (channel.lacks_memory()) [[unlikely]]
    channel.make_memory(useful_slot(operation, arguments, channel.size()));
  TeamSlots& slots = channel.take_sequence();
  if (!slots.ready()) [[unlikely]]
    return run_when_settled(channel, operation, arguments, algorithm, slots, slots.is_first());
  return run_sequenced(channel, operation, arguments, algorithm);
}

/// Runs a call in which members try a candidate or compare, if all members plan the same.
[[gnu::noinline]] Task run_tried(Trial& trial, Trial::Step step, TeamChannel& channel, Operation operation,
                                 Arguments& arguments) {
  TeamSlots& shared = channel.take_sequence();
  if (!shared.ready()) [[unlikely]] {
    Task running = run_when_settled(channel, operation, arguments, trial.algorithm(), shared, shared.is_first());
    co_await running;
    co_return;
  }
  channel.open_slots_with_plan(trial.plan());
  bool agreed = false;
  Task meeting = channel.slots().meet(trial.plan(), agreed);
  co_await meeting;
  if (step == Trial::Step::compare && !agreed) trial.abandon();
  if (step == Trial::Step::compare && agreed) {
    Task comparing = compare(channel, operation, bytes_of(operation, arguments, channel.size()), trial);
    co_await comparing;
    if (channel.failed()) [[unlikely]] {
      tell_failure(channel.slots(), operation, channel.rank() == arguments.root, *channel.failure());
      co_return;
    }
  }
  tell_lengths(channel.slots(), operation, arguments);
  if (step == Trial::Step::compare || !agreed) {
    tell_algorithm(channel, operation, trial.algorithm());
    Task running = trial.algorithm().run(channel, arguments);
    co_await running;
    co_return;
  }
  tell_algorithm(channel, operation, trial.measured());
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  Task running = trial.measured().run(channel, arguments);
  co_await running;
  trial.took(std::chrono::duration<float>(Clock::now() - start).count());
}

[[gnu::noinline]] Task begin_tried(Trial& trial, TeamChannel& channel, Operation operation, Arguments& arguments,
                                   CallForm form) {
  const Trial::Step step = form == CallForm::blocking ? trial.next() : Trial::Step::serve;
  if (step == Trial::Step::serve) {
    tell_algorithm(channel, operation, trial.algorithm());
    return begin_with(trial.algorithm(), channel, operation, arguments);
  }
  return run_tried(trial, step, channel, operation, arguments);
}

/// Runs a call in which members on several nodes explore. Before the first call after a cycle they compare; that call
/// takes the way of the calls before, which is the same in all members even if some of them could not compare.
[[gnu::noinline]] Task run_exploring(NetworkTrials& trials, NetworkTrial* trial, Way way, TeamChannel& channel,
                                     Operation operation, Arguments& arguments) {
  std::optional<std::size_t> measured;
  if (trials.exchanges(channel.tag())) {
    Task comparing = compare(channel, channel.tag(), trials);
    co_await comparing;
  } else if (trial != nullptr) {
    measured = trial->measured(trials.turn(channel.tag()));
  }
  if (measured) way = trial->ways().list[*measured];
  arguments.segment = whole_elements(way.segment, arguments);
  tell_algorithm(channel, operation, *way.algorithm);
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  Task running = begin_with(*way.algorithm, channel, operation, arguments);
  co_await running;
  if (measured && !channel.failed()) trial->took(*measured, std::chrono::duration<float>(Clock::now() - start).count());
}

/// A call of members on several nodes. It is not inlined, so that calls on one node are as short as without it.
[[gnu::noinline]] Task begin_between_nodes(TeamChannel& channel, Operation operation, Arguments& arguments,
                                           CallForm form) {
  const Choice& choice = choose(channel.team(), channel.order(), operation, arguments, channel.takes_sequence());
  NetworkTrial* const trial = choice.network_trial;
  const Way way = trial != nullptr ? trial->in_use() : Way{choice.algorithm, choice.segment};
  NetworkTrials* const trials = channel.order().choices->network_trials();
  if (trials != nullptr && form == CallForm::blocking && trials->is_exploring(channel.tag()))
    return run_exploring(*trials, trial, way, channel, operation, arguments);
  arguments.segment = whole_elements(way.segment, arguments);
  tell_algorithm(channel, operation, *way.algorithm);
  return begin_with(*way.algorithm, channel, operation, arguments);
}

inline Task begin_unchecked(TeamChannel& channel, Operation operation, Arguments& arguments, CallForm form) {
  if (!channel.team().one_node) [[unlikely]]
    return begin_between_nodes(channel, operation, arguments, form);
  const Selected selected = select(channel, operation, arguments);
  if (selected.trial != nullptr) [[unlikely]]
    return begin_tried(*selected.trial, channel, operation, arguments, form);
  return begin_with(selected.algorithm, channel, operation, arguments);
}

/// While somebody listens. The choice is remembered, so that it costs nothing to ask for it twice.
[[gnu::noinline]] Task begin_heard(TeamChannel& channel, Operation operation, Arguments& arguments, CallForm form) {
  if (!channel.team().one_node) return begin_between_nodes(channel, operation, arguments, form);
  const Selected selected = select(channel, operation, arguments);
  if (selected.trial == nullptr) tell_algorithm(channel, operation, selected.algorithm);
  return begin_unchecked(channel, operation, arguments, form);
}

/// Members whose calls differ would also take different sequence numbers, so no number is taken before they have
/// agreed.
[[gnu::noinline]] Task begin_checked(TeamChannel& channel, Operation operation, Arguments& arguments, CallForm form) {
  Task agreeing = agree(channel, describe(channel.team(), operation, form, arguments));
  co_await agreeing;
  Task running = begin_heard(channel, operation, arguments, form);
  co_await running;
}

/// With check_collectives, or while somebody listens.
[[gnu::noinline]] Task begin_looked_at(TeamChannel& channel, Operation operation, Arguments& arguments, CallForm form) {
  const ToldCall call(channel, operation, arguments);
  return call.until_end(checks_collectives() ? begin_checked(channel, operation, arguments, form)
                                             : begin_heard(channel, operation, arguments, form));
}

/// Always inlined, because it is a part of every blocking collective.
[[gnu::always_inline]] inline Task begin_here(TeamChannel& channel, Operation operation, Arguments& arguments,
                                              CallForm form) {
  if (checks_collectives() || collective_events.heard()) [[unlikely]]
    return begin_looked_at(channel, operation, arguments, form);
  return begin_unchecked(channel, operation, arguments, form);
}

}  // namespace

const Algorithm& select(Team& team, Operation operation, Arguments& arguments) {
  Situation call = situation_of(team, team.blocking, operation, arguments);
  call.shared = call.layered = false;
  const Choice choice = choose(operation, call, team.rules.get());
  arguments.segment = whole_elements(choice.segment, arguments);
  return *choice.algorithm;
}

Task begin(TeamChannel& channel, Operation operation, Arguments& arguments, CallForm form) {
  return begin_here(channel, operation, arguments, form);
}

void prepare_call(Team& team) {
  team.refuse_if_interrupted();
  if (team.switches_unknown) learn_switches(team);
}

void run(Team& team, Operation operation, Arguments& arguments, CallForm form) {
  if (team.unprepared) [[unlikely]]
    prepare_call(team);
  drive(team, team.blocking.next_tag(), team.next_id({operation, form}, details_of(operation, arguments)),
        [&](TeamChannel& channel) { return begin_here(channel, operation, arguments, form); });
}

void bcast(Team& team, int root, std::span<std::byte> data) {
  Arguments arguments{.root = root, .result = data};
  run(team, Operation::bcast, arguments, CallForm::internal);
}

void allgather(Team& team, std::span<std::byte> all) {
  const Blocks blocks(all.data(), all.size() / static_cast<std::size_t>(team.size));
  Arguments arguments{.input = blocks[team.rank], .receive = blocks};
  run(team, Operation::allgather, arguments, CallForm::internal);
}

}  // namespace bowline::coll
