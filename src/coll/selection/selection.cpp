// SPDX-License-Identifier: BSD-3-Clause
#include "coll/selection/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "base/atomic.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/tunable.hpp"
#include "coll/machine/hierarchy.hpp"
#include "coll/selection/default_rules.hpp"
#include "coll/slots/shares.hpp"
#include "coll/slots/single_copy.hpp"
#include "coll/slots/slot_chunks.hpp"

namespace bowline::coll {
namespace {

TextTunable rules_tunable(TunableTraits(Category::collectives).equal_at_all(), "collectives",
                          "rules with commas between, such as \"bcast bytes<=4K = binomial\"",
                          "which algorithms serve which collective calls; goes before collectives_file");
TextTunable rules_file(TunableTraits(Category::collectives).equal_at_all(), "collectives_file",
                       "the path of a file with lines of such rules as collectives takes",
                       "a file that says which algorithms serve which collective calls");
Tunable<bool> reproducible(TunableTraits(Category::collectives).for_users().equal_at_all(), "coll_reproducible", false,
                           false, true,
                           "whether the result of a reduction is bitwise the same wherever its ranks run: the order of "
                           "operands then depends on ranks and counts alone");

Tunable<bool> compares(TunableTraits(Category::collectives).equal_at_all(), "coll_compare", true, false, true,
                       "whether ranks compare the times of algorithms in their own long collective calls and use the "
                       "fastest one; otherwise the rules alone decide");

Rules from_user;

Rules with_algorithms(std::span<const DefaultRule> rows) {
  Rules made;
  for (const DefaultRule& each : rows) {
    const Algorithm* const algorithm = find_algorithm(each.operation, each.algorithm);
    if (algorithm == nullptr) {
      throw Error(ErrorClass::intern, fmt::format("the default rules name {} for {}, which has no such algorithm",
                                                  each.algorithm, name_of(each.operation)));
    }
    made.add({each.operation, each.when, algorithm, each.segment});
  }
  return made;
}

/// The first rule that matches the call and whose algorithm can serve it; nullptr if there is none. Sets `refused`,
/// unless it is set already, to the first matching rule whose algorithm cannot serve the call.
const Rule* find_rule(std::span<const Rule> rules, const Situation& call, const Rule*& refused) noexcept {
  for (const Rule& rule : rules) {
    if (!rule.when.fits(call)) continue;
    if (serves(*rule.algorithm, call)) return &rule;
    if (refused == nullptr) refused = &rule;
  }
  return nullptr;
}

/// Chooses by the rules of the communicator and the user; the result has no algorithm if none of them matches.
[[gnu::noinline]] Choice choose_by_user(Operation operation, const Situation& call, const Rules* own) noexcept {
  const Rule* refused = nullptr;
  const Rule* found = own != nullptr ? find_rule(own->of(operation), call, refused) : nullptr;
  if (found == nullptr) found = find_rule(from_user.of(operation), call, refused);
  if (found == nullptr) return {.refused = refused};
  return {.algorithm = found->algorithm, .segment = found->segment, .refused = refused};
}

/// Whether each member's slot is divided among all members.
bool divides_slots(Operation operation) noexcept {
  return operation == Operation::alltoall || operation == Operation::alltoallv ||
         operation == Operation::reduce_scatter || operation == Operation::reduce_scatter_block;
}

/// Whether the call's data can go through memory that the members share.
bool may_share(const Team& team, Operation operation, const Arguments& arguments) noexcept {
  if (!team.one_node || team.size < 2 || team.size > most_sharing(operation)) return false;
  const std::size_t longest = divides_slots(operation) ? Shares::longest_element : SlotChunks::longest_element;
  return arguments.reduction == nullptr || arguments.reduction->element() <= longest;
}

/// Whether stages of the team's hierarchy can serve the operation.
bool is_layered(Team& team, CallOrder& order, Operation operation, const Arguments& arguments) {
  const Hierarchy* const hierarchy = team.hierarchy(order);
  if (hierarchy == nullptr || hierarchy->stages() == 1) return false;
  switch (operation) {
    case Operation::gather:
    case Operation::scatter:
    case Operation::allgather:
      return hierarchy->uniform_stages() > 0;
    default:
      return arguments.reduction == nullptr || arguments.reduction->commutative() || hierarchy->contiguous();
  }
}

const char* reason(const Algorithm& algorithm, const Situation& call) noexcept {
  if (call.ordered && !algorithm.ordered) return "the operator needs the order of ranks, which it does not keep";
  if (algorithm.power_of_two && !std::has_single_bit(static_cast<unsigned>(call.ranks))) {
    return "it needs a number of ranks that is a power of two";
  }
  if (call.reproducible) return "coll_reproducible is set, and its use or its order of operands depends on placement";
  return "it needs memory that all ranks share";
}

/// bytes_of() as a part of choose(), which every call of the user runs.
[[gnu::always_inline]] inline std::size_t length_of(Operation operation, const Arguments& arguments,
                                                    int members) noexcept {
  switch (operation) {
    case Operation::barrier:
    case Operation::gatherv:
    case Operation::scatterv:
    case Operation::alltoallv:
    case Operation::neighbor_allgather:
    case Operation::neighbor_alltoall:
      return 0;
    case Operation::bcast:
    case Operation::scatter:
      return arguments.result.size();
    case Operation::alltoall:
      return arguments.send.each();
    case Operation::allgatherv:
      return arguments.receive.total(members) / static_cast<std::size_t>(members);
    default:
      return arguments.input.size();
  }
}

std::shared_ptr<Choices> new_choices(const Team& team, const CallOrder& order) {
  const auto choices = std::make_shared<Choices>();
  if (!team.one_node && &order == &team.blocking && compares.value()) choices->compare_between_nodes();
  return choices;
}

/// choose() without the remembered choice.
[[gnu::noinline]] Choice choose_anew(Team& team, CallOrder& order, Operation operation, const Arguments& arguments,
                                     bool may_share) {
  Situation call = situation_of(team, order, operation, arguments);
  call.shared = call.shared && may_share;
  Choice choice = choose(operation, call, team.rules.get());
  if (choice.refused != nullptr && team.rank == 0) [[unlikely]]
    warn_refused(*choice.refused, call);
  if (&order != &team.blocking) return choice;
  if (const Candidates found = candidates(operation, call, choice); found.count != 0)
    choice.trial = &order.choices->trials().of(operation, call.bytes, call.ordered, found);
  if (NetworkTrials* const trials = order.choices->network_trials()) {
    if (const Ways found = ways(operation, call, choice); found.count != 0)
      choice.network_trial = &trials->of(operation, call.bytes, found);
  }
  return choice;
}

}  // namespace

bool compares_algorithms() noexcept {
  return compares.value();
}

int most_sharing(Operation operation) noexcept {
  return divides_slots(operation) ? Shares::most_members : SlotMemory::max_members;
}

std::size_t bytes_of(Operation operation, const Arguments& arguments, int members) noexcept {
  return length_of(operation, arguments, members);
}

std::size_t useful_slot(Operation operation, const Arguments& arguments, int members) noexcept {
  switch (operation) {
    case Operation::barrier:
      return 0;
    case Operation::gatherv:
    case Operation::scatterv:
    case Operation::allgatherv:
    case Operation::alltoallv:
      return std::numeric_limits<std::size_t>::max();
    case Operation::alltoall:
      return arguments.send.total(members);
    default:
      return 2 * bytes_of(operation, arguments, members);  // a piece is half of a slot
  }
}

Situation situation_of(Team& team, CallOrder& order, Operation operation, const Arguments& arguments) {
  return with_tunables(operation, {.ranks = team.size,
                                   .bytes = bytes_of(operation, arguments, team.size),
                                   .ordered = arguments.reduction != nullptr && !arguments.reduction->commutative(),
                                   // Members on different nodes may find different numbers of ranks per core.
                                   .oversubscribed = team.oversubscribed && team.one_node,
                                   .one_node = team.one_node,
                                   .shared = may_share(team, operation, arguments),
                                   .layered = !team.one_node && is_layered(team, order, operation, arguments)});
}

Situation with_tunables(Operation operation, const Situation& call) noexcept {
  return reproducible.value() ? without_placement(operation, call) : call;
}

Situation without_placement(Operation operation, Situation call) noexcept {
  if (reduces(operation)) {
    call.reproducible = true;
    call.oversubscribed = call.one_node = call.shared = call.layered = false;
  }
  return call;
}

bool serves(const Algorithm& algorithm, const Situation& call) noexcept {
  return (algorithm.ordered || !call.ordered) &&
         (!algorithm.power_of_two || std::has_single_bit(static_cast<unsigned>(call.ranks))) &&
         (!algorithm.shared || call.shared) && (!algorithm.by_placement || !call.reproducible);
}

Choice choose(Operation operation, const Situation& call, const Rules* own) {
  Choice choice;
  if (own != nullptr || !from_user.of(operation).empty()) [[unlikely]] {
    choice = choose_by_user(operation, call, own);
    if (choice.algorithm != nullptr) return choice;
  }
  choice.by_default = true;
  choice.algorithm = &algorithms(operation).front();
  for (const Rule& rule : built_in_rules().of(operation)) {
    if (!rule.when.fits(call) || !serves(*rule.algorithm, call)) continue;
    choice.algorithm = rule.algorithm;
    choice.segment = rule.segment;
    break;
  }
  return choice;
}

Candidates candidates(Operation operation, const Situation& call, const Choice& choice) noexcept {
  if (!choice.by_default || !choice.algorithm->compared || call.bytes <= longest_not_compared || !compares.value())
    return {};
  Candidates found;
  const auto add = [&found](const Algorithm& algorithm) {
    if (found.count < found.algorithms.size()) found.algorithms[found.count++] = &algorithm;
  };
  add(*choice.algorithm);
  for (const Algorithm& other : algorithms(operation)) {
    if (&other != choice.algorithm && other.compared && serves(other, call)) add(other);
  }
  return found.count > 1 ? found : Candidates{};
}

Ways ways(Operation operation, const Situation& call, const Choice& choice) noexcept {
  if (!choice.by_default || call.one_node || call.bytes <= longest_not_compared ||
      !NetworkTrials::compares(operation) || !compares.value())
    return {};
  Ways found;
  const auto add = [&found](const Algorithm& algorithm, std::size_t segment) {
    const auto same = [&](const Way& way) { return way.algorithm == &algorithm && way.segment == segment; };
    const std::span known(found.list.data(), found.count);
    if (found.count < Ways::most && std::ranges::none_of(known, same))
      found.list[found.count++] = {&algorithm, segment};
  };
  add(*choice.algorithm, choice.segment);
  for (const Rule& other : other_ways().of(operation)) {
    if (other.when.fits(call) && serves(*other.algorithm, call)) add(*other.algorithm, other.segment);
  }
  return found.count > 1 ? found : Ways{};
}

const Choice& choose(Team& team, CallOrder& order, Operation operation, const Arguments& arguments, bool may_share) {
  const Reduction* const reduction = arguments.reduction;
  const Choices::Call asked{.bytes = length_of(operation, arguments, team.size),
                            .element = reduction == nullptr ? 0 : reduction->element(),
                            .ordered = reduction != nullptr && !reduction->commutative(),
                            .may_share = may_share};
  if (order.choices == nullptr) [[unlikely]]
    order.choices = new_choices(team, order);
  Choices::Entry& last = order.choices->of(operation);
  if (last.choice.algorithm == nullptr || last.call != asked)
    last = {asked, choose_anew(team, order, operation, arguments, may_share)};
  return last.choice;
}

std::size_t whole_elements(std::size_t segment, const Arguments& arguments) noexcept {
  if (segment == 0 || arguments.reduction == nullptr) return segment;
  const std::size_t element = arguments.reduction->element();
  return element == 0 ? segment : std::max(segment / element, std::size_t{1}) * element;
}

void load_rules() {
  Rules rules;
  parse_rules(rules_tunable.value(), rules_tunable.environment_name(), rules);
  if (!rules_file.value().empty()) read_rules(rules_file.value(), rules);
  from_user = std::move(rules);
}

const Rules& user_rules() noexcept {
  return from_user;
}

const Rules& built_in_rules() {
  static const Rules rules = with_algorithms(default_rules());
  return rules;
}

const Rules& other_ways() {
  static const Rules rules = with_algorithms(alternatives());
  return rules;
}

void warn_refused(const Rule& rule, const Situation& call) {
  if (AtomicRef<bool>(rule.warned).exchange(true, std::memory_order_relaxed)) return;
  log::warning("the rule \"{}\" cannot serve a call with {} ranks and {} bytes: {}; another algorithm serves it",
               to_text(rule), call.ranks, call.bytes, reason(*rule.algorithm, call));
}

}  // namespace bowline::coll
