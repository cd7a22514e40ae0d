// SPDX-License-Identifier: BSD-3-Clause
#include "coll/selection/composed.hpp"

#include <exception>

#include "base/error.hpp"
#include "base/failure.hpp"
#include "coll/selection/selection.hpp"
#include "coll/slots/slot_chunks.hpp"

namespace bowline::coll {
namespace {

/// The shared memory of a stage's members, if they have any.
Channel::NodeMemory memory_for(Channel& channel, Level level, const Arguments& arguments) {
  if (level != Level::node) return {};
  Channel::NodeMemory memory = channel.next_node_memory();
  if (arguments.reduction != nullptr && arguments.reduction->element() > SlotChunks::longest_element)
    memory.slots = nullptr;
  return memory;
}

Choice choose_for(const Channel& channel, Level level, int ranks, Operation operation, const Arguments& arguments,
                  const Channel::NodeMemory& memory) {
  const Hierarchy::Fixed* const fixed = channel.hierarchy()->fixed(operation, level);
  if (fixed != nullptr && (memory.slots != nullptr || !fixed->algorithm->shared))
    return {fixed->algorithm, fixed->segment};
  const bool ordered = arguments.reduction != nullptr && !arguments.reduction->commutative();
  return choose(operation, {.ranks = ranks,
                            .bytes = bytes_of(operation, arguments, ranks),
                            .ordered = ordered,
                            .oversubscribed = memory.slots != nullptr && memory.oversubscribed,
                            .one_node = level <= Level::node,
                            .shared = memory.slots != nullptr});
}

}  // namespace

void tell_failure(Slots& slots, Operation operation, bool is_root, const Error& why) noexcept {
  const bool called = operation == Operation::scatter && is_root;  // in a scatter, members wait for the root's call
  if (called) return slots.fail_notified(Cause::of(why));
  slots.fail(Cause::of(why));
}

Task run_stage(Channel& channel, Level level, Stage stage, Operation operation, Arguments arguments) {
  if (!stage.taken_part_in()) co_return;
  const Channel::NodeMemory memory = memory_for(channel, level, arguments);
  const Choice choice = choose_for(channel, level, stage.members.count, operation, arguments, memory);
  arguments.segment = whole_elements(choice.segment, arguments);
  SubChannel part(channel, stage.members, stage.rank, memory.slots);
  if (channel.failed() && choice.algorithm->shared) {
    tell_failure(*memory.slots, operation, stage.rank == arguments.root, *channel.failure());
    co_return;
  }
  try {
    Task task = choice.algorithm->run(part, arguments);
    co_await task;
  } catch (const std::exception&) {  // members of later stages may wait for this member
    channel.fail(*Failure::current());
  }
}

Task run_flat(Channel& channel, Operation operation, const Arguments& arguments) {
  return algorithms(operation).front().run(channel, arguments);
}

int stands_for_units(const Hierarchy& hierarchy, int last, int member, int root) noexcept {
  for (int number = 0; number < last; ++number) {
    const Stage stage = hierarchy.stage(number, member, root);
    if (!stage.taken_part_in() || stage.rank != stage.top) return number;
  }
  return last;
}

bool divisible(const Channel& channel, const Reduction& reduction) noexcept {
  const Hierarchy* const hierarchy = channel.hierarchy();
  return hierarchy != nullptr && (reduction.commutative() || hierarchy->contiguous());
}

}  // namespace bowline::coll
