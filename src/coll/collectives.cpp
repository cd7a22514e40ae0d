// SPDX-License-Identifier: BSD-3-Clause
#include "coll/collectives.hpp"

#include <algorithm>
#include <utility>

#include "coll/check.hpp"
#include "coll/drive.hpp"
#include "coll/selection.hpp"

namespace bowline::coll {
namespace {

/// Segments of a reduction hold whole elements, at least one.
std::size_t whole_elements(std::size_t segment, const Arguments& arguments) noexcept {
  if (segment == 0 || arguments.reduction == nullptr) return segment;
  const std::size_t element = arguments.reduction->element();
  return element == 0 ? segment : std::max(segment / element, std::size_t{1}) * element;
}

}  // namespace

const Algorithm& select(const Team& team, Operation operation, Arguments& arguments) {
  const Situation call = situation_of(team, operation, arguments);
  const Choice choice = choose(operation, call, team.rules.get());
  if (choice.refused != nullptr && team.rank == 0) [[unlikely]]
    warn_refused(*choice.refused, call);
  arguments.segment = whole_elements(choice.segment, arguments);
  return *choice.algorithm;
}

Task begin(const Team& team, Channel& channel, Operation operation, Arguments& arguments, Form form) {
  Task task = select(team, operation, arguments).run(channel, arguments);
  if (!checks_collectives()) [[likely]]
    return task;
  return checked(channel, describe(team, operation, form, arguments), std::move(task));
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
