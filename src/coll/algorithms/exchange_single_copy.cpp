// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "coll/algorithms/through_slots.hpp"
#include "coll/selection/selection.hpp"
#include "coll/slots/block_descriptors.hpp"
#include "coll/slots/lengths.hpp"
#include "coll/slots/rounds.hpp"
#include "coll/slots/single_copy.hpp"

namespace bowline::coll {
namespace {

/// What members know: nothing of others, or the lengths of the blocks that each member has for all others alike.
enum class Known { nothing, lengths };

/// Copies the blocks that all members have for this member to `receive`. `block_for(member)` is this member's block for
/// that member. In a second round members publish that they have read the others' buffers.
/// `costs`: decide about blocks that need not be lent; nullptr: the length alone decides.
template <class BlockFor>
struct DescriptorsOfAll : RoundWork {
  Channel& channel;
  const Blocks& receive;
  BlockFor block_for;
  bool exact;   ///< whether a block must be as long as the room for it
  bool common;  ///< whether one descriptor serves all other members
  CopyCosts* costs;
  BlockDescriptors descriptors;
  bool borrowed = false;
  bool lent_any = false;
  int refused = -1;  ///< the first member whose block is longer than the room here, or other than it must be

  DescriptorsOfAll(Channel& channel_, const Blocks& receive_, std::size_t longest, Known known, CopyCosts* costs_,
                   BlockFor block_for_)
      : channel(channel_),
        receive(receive_),
        block_for(block_for_),
        exact(known == Known::lengths),
        common(exact || channel.size() == 2),
        costs(costs_),
        descriptors(channel.slots(), common ? 1 : channel.size(), longest) {}

  /// Members in the order of distance from this member, so that not all visit the same member at once. Avoids a
  /// division.
  int member(int step) const noexcept {
    const int member = channel.rank() + step;
    return member < channel.size() ? member : member - channel.size();
  }
  bool takes_from(std::uint64_t round, int member) const noexcept {
    return round == 0 || (lent_any && own_descriptor(member).is_lent);
  }
  bool tells(std::uint64_t round) const noexcept { return round == 0 || borrowed; }

  void give(std::uint64_t round) {
    if (round > 0) return;
    for (int step = 1; step < (common ? 2 : channel.size()); ++step) {
      const int other = member(step);
      give(common ? 0 : other, block_for(other));
    }
  }
  void take(std::uint64_t round, int member) {
    if (round > 0) return;
    if (member == channel.rank()) {
      channel.copy(block_for(member), receive[member].data());
      return;
    }
    const BlockDescriptors::Descriptor block = descriptor_of(member);
    const bool must_lend = descriptors.lends(block.bytes);
    const bool other_way = costs == nullptr ? block.is_lent != must_lend : must_lend && !block.is_lent;
    if (other_way || (exact && block.bytes != receive[member].size())) [[unlikely]] {
      if (refused < 0) refused = member;  // members that disagree about lengths may run different algorithms
      borrowed |= block.is_lent;          // the other member waits until this member needs its buffer no more
      return;
    }
    const std::span<std::byte> into = receive[member].first(std::min(block.bytes, receive[member].size()));
    borrowed |= block.is_lent;
    const auto copy = [&] {
      if (block.is_lent) return channel.slots().read(member, block.address, into);
      channel.copy({block.address, into.size()}, into.data());
    };
    if (is_timed(into.size())) {
      using Copy = CopyCosts::Copy;
      costs->time(block.is_lent ? Copy::from_owner : Copy::out_of_slot, into.size(), copy);
    } else {
      copy();
    }
    if (block.bytes > into.size() && refused < 0) refused = member;
  }
  void end() {
    if (refused >= 0) refuse_length(refused, descriptor_of(refused).bytes, receive[refused].size());
  }

 private:
  bool is_timed(std::size_t bytes) const noexcept { return costs != nullptr && CopyCosts::covers(bytes); }
  void give(int place, std::span<const std::byte> block) {
    const bool timed = is_timed(block.size());
    const bool lend = descriptors.lends(block.size()) || (timed && costs->lends(block.size()));
    lent_any |= lend;
    const auto put = [&] { descriptors.put(channel, place, block, lend); };
    if (timed && !lend) return costs->time(CopyCosts::Copy::into_slot, block.size(), put);
    put();
  }
  BlockDescriptors::Descriptor own_descriptor(int member) const noexcept {
    return descriptors.get(channel.rank(), common ? 0 : member);
  }
  BlockDescriptors::Descriptor descriptor_of(int member) const noexcept {
    return descriptors.get(member, common ? 0 : channel.rank());
  }
};

/// `longest`: longer blocks are copied once.
template <class BlockFor>
Task exchange(Channel& channel, const Blocks& receive, std::size_t longest, Known known, CopyCosts* costs,
              BlockFor block_for) {
  const DescriptorsOfAll<BlockFor> all(channel, receive, longest, known, costs, block_for);
  // The last step stands for this member itself. Its own block is copied first.
  return go_through(channel, {.count = 2, .sources = {channel.size(), 1}}, all);
}

Task alltoall_up_to(Channel& channel, const Arguments& arguments, std::size_t longest, CopyCosts* costs) {
  return exchange(channel, arguments.receive, longest, Known::nothing, costs,
                  [&send = arguments.send](int member) { return std::span<const std::byte>(send[member]); });
}

}  // namespace

Task allgather_single_copy(Channel& channel, const Arguments& arguments) {
  if (!channel.slots().readable()) return allgather_slots(channel, arguments);
  return exchange(channel, arguments.receive, longest_if_compared(channel.slots()), Known::lengths, nullptr,
                  [own = arguments.input](int) { return own; });
}

Task alltoall_single_copy(Channel& channel, const Arguments& arguments) {
  if (!channel.slots().readable()) return alltoall_slots(channel, arguments);
  return alltoall_up_to(channel, arguments, longest_if_compared(channel.slots()), nullptr);
}

Task alltoallv_single_copy(Channel& channel, const Arguments& arguments) {
  if (!channel.slots().readable()) return alltoall_slots(channel, arguments);
  CopyCosts* const costs = compares_algorithms() ? channel.slots().copy_costs() : nullptr;
  return alltoall_up_to(channel, arguments, longest_in_slots(channel.slots()), costs);
}

}  // namespace bowline::coll
