// SPDX-License-Identifier: BSD-3-Clause
// Barrier and allreduce of many members of a node, in groups (MemberGroups): leaders combine what their groups have
// written, the top combines what the leaders have, and the result goes the same way back. Katevenis, Ploumidis and
// Marazakis, "A framework for hierarchical single-copy MPI collectives on multicore nodes" (CLUSTER 2022), divide a
// node in the same way.
#include "coll/algorithms/through_slots.hpp"
#include "coll/slots/member_groups.hpp"
#include "coll/slots/slot_chunks.hpp"

namespace bowline::coll {
namespace {

// The steps that a member publishes.
constexpr std::uint64_t operand = 1;  ///< its operand
constexpr std::uint64_t partial = 2;  ///< a leader: the result of its group
constexpr std::uint64_t result = 3;

/// One member's part. Each member has one place in shared memory, which holds its operand, then the partial result of
/// its group, then the result; it is overwritten only when the members that read it have published a later step.
class GroupMember {
 public:
  GroupMember(Channel& channel, const Arguments& arguments)
      : channel_(channel),
        arguments_(arguments),
        slots_(channel.slots()),
        groups_(slots_.groups()),
        chunks_(slots_, arguments.input.size(), arguments.reduction == nullptr ? 1 : arguments.reduction->element()) {}

  bool fits() const noexcept { return chunks_.rounds() == 1; }

  static Task run(GroupMember member) {
    auto vacant = member.slots_.vacancy(member.chunks_.writes());
    co_await vacant;
    member.channel_.copy(member.arguments_.input, member.place_of(member.channel_.rank()));
    if (member.groups_.leads()) {
      Task of_group = member.combine_all(member.groups_.group(), operand);
      co_await of_group;
    }
    if (member.groups_.is_top()) {
      Task of_leaders = member.combine_all(member.groups_.leaders(), partial);
      co_await of_leaders;
    } else {
      member.slots_.publish(member.groups_.leads() ? partial : operand);
      const int above = member.groups_.above();
      auto there = member.slots_.reached(above, result);
      co_await there;
      if (member.groups_.leads()) member.copy_from(above);
    }
    if (member.groups_.leads()) member.slots_.publish(result);
    const int holder = member.groups_.leads() ? member.channel_.rank() : member.groups_.above();
    member.channel_.copy(member.bytes_of(holder), member.arguments_.result.data());
  }

 private:
  std::byte* place_of(int member) const noexcept { return chunks_.at(member, 0); }
  std::span<std::byte> bytes_of(int member) const noexcept { return {place_of(member), arguments_.input.size()}; }
  void copy_from(int member) { channel_.copy(bytes_of(member), place_of(channel_.rank())); }

  /// When these members have reached the step, combines the data in their places into the place of the first of them,
  /// which is this member.
  Task combine_all(std::span<const int> members, std::uint64_t step) {
    for (const int member : members.subspan(1)) {
      auto there = slots_.reached(member, step);
      co_await there;
      if (arguments_.reduction != nullptr)
        channel_.combine(*arguments_.reduction, place_of(member), bytes_of(channel_.rank()));
    }
  }

  Channel& channel_;
  const Arguments& arguments_;
  Slots& slots_;
  const MemberGroups& groups_;
  SlotChunks chunks_;
};

}  // namespace

Task barrier_groups(Channel& channel, const Arguments&) {
  static const Arguments no_data;
  return GroupMember::run({channel, no_data});
}

Task allreduce_groups(Channel& channel, const Arguments& arguments) {
  const GroupMember member(channel, arguments);
  return member.fits() ? GroupMember::run(member) : allreduce_slots(channel, arguments);
}

}  // namespace bowline::coll
