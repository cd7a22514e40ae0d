// SPDX-License-Identifier: BSD-3-Clause
#include "coll/selection.hpp"

#include <array>
#include <string_view>

#include "base/tunable.hpp"
#include "coll/algorithms/allreduce.hpp"
#include "coll/algorithms/barrier.hpp"
#include "coll/pieces.hpp"

namespace bowline::coll {
namespace {

Tunable<std::size_t> doubling_limit{"allreduce_doubling_limit", 16 << 10, 0, std::size_t{1} << 40,
                                    "longest data that MPI_Allreduce combines by recursive doubling, in bytes"};

/// Whether the members share memory or have not tried yet, and can combine their elements there.
bool may_share(const Team& team, const Arguments& arguments) noexcept {
  if (team.size < 2 || team.size > SlotMemory::max_members) return false;
  if (arguments.reduction != nullptr && arguments.reduction->element() > Pieces::longest_element) return false;
  return team.slots == nullptr || !team.slots->refused();
}

/// How far it pays to go through shared memory.
struct SharedRule {
  Operation operation;
  std::string_view short_name;  ///< for data up to `short_limit` bytes
  std::string_view long_name;   ///< from there up to `limit`
  std::size_t short_limit;
  std::size_t limit;
};
constexpr std::size_t always = std::size_t{1} << 40;
constexpr SharedRule shared_rules[] = {
    {Operation::barrier, "flags", "flags", always, always},
    {Operation::bcast, "slots", "slots", always, always},
    {Operation::reduce, "slots", "shares", 8 << 10, always},
    {Operation::allreduce, "slots", "shares", 8 << 10, always},
    {Operation::allgather, "slots", "slots", always, always},
};

/// The same by operation, looked up once.
struct SharedChoice {
  const Algorithm* for_short = nullptr;
  const Algorithm* for_long = nullptr;
  std::size_t short_limit = 0;
  std::size_t limit = 0;
};
const std::array<SharedChoice, operations>& shared_choices() {
  static const auto made = [] {
    std::array<SharedChoice, operations> choices;
    for (const SharedRule& rule : shared_rules) {
      choices[static_cast<std::size_t>(rule.operation)] = {find_algorithm(rule.operation, rule.short_name),
                                                           find_algorithm(rule.operation, rule.long_name),
                                                           rule.short_limit, rule.limit};
    }
    return choices;
  }();
  return made;
}

}  // namespace

std::size_t bytes_of(Operation operation, const Arguments& arguments) noexcept {
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
    case Operation::allgatherv:  // blocks differ, and a member would have to add them all up
      return 0;
    default:
      return arguments.input.size();
  }
}

Situation situation_of(const Team& team, Operation operation, const Arguments& arguments) noexcept {
  return {.ranks = team.size,
          .bytes = bytes_of(operation, arguments),
          .ordered = arguments.reduction != nullptr && !arguments.reduction->commutative(),
          .crowded = team.crowded,
          .shared = may_share(team, arguments)};
}

Choice choose(Operation operation, const Situation& situation) {
  if (situation.shared) {
    const SharedChoice& shared = shared_choices()[static_cast<std::size_t>(operation)];
    // Two members have nothing to divide.
    if (shared.for_short != nullptr && situation.bytes <= (situation.ranks == 2 ? shared.limit : shared.short_limit))
      return {shared.for_short, 0};
    if (shared.for_long != nullptr && situation.bytes <= shared.limit) return {shared.for_long, 0};
  }
  const auto named = [operation](std::string_view name) { return Choice{find_algorithm(operation, name), 0}; };
  if (operation == Operation::barrier && situation.crowded) return named("central");
  if (operation == Operation::allreduce && situation.bytes > doubling_limit.value()) return named("reduce_bcast");
  return {&algorithms(operation).front(), 0};
}

}  // namespace bowline::coll
