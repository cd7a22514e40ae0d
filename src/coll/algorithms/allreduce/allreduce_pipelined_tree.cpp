// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/allreduce/allreduce.hpp"
#include "coll/algorithms/segments.hpp"
#include "coll/algorithms/tree.hpp"

namespace bowline::coll {
namespace {

int depth_of(TreePlace place, int size) {
  int depth = 0;
  for (; place.parent >= 0; ++depth) place = binary_tree_in_order(place.parent, size, (size - 1) / 2);
  return depth;
}

}  // namespace

Task allreduce_pipelined_tree(Channel& channel, const Arguments& arguments) {
  const Reduction& reduction = *arguments.reduction;
  const int size = channel.size();
  // In the tree around the middle rank, a member with one child has a higher child.
  const TreePlace place = binary_tree_in_order(channel.rank(), size, (size - 1) / 2);
  const Segments segments(arguments.result.size(), arguments.segment);
  const std::size_t count = segments.count();
  const auto input = [&](std::size_t i) { return segments.of(arguments.input, i); };
  const auto result = [&](std::size_t i) { return segments.of(arguments.result, i); };
  const Scratch memory(channel, (place.lower >= 0 ? 4 : place.higher >= 0 ? 2 : 0) * segments.longest());
  const auto from_higher = [&](std::size_t i) { return memory.subspan(i % 2 * segments.longest(), input(i).size()); };
  const auto from_lower = [&](std::size_t i) {
    return memory.subspan((2 + i % 2) * segments.longest(), input(i).size());
  };

  TransferWindow<2> highers, lowers;  // receives of partial results, started one round ahead
  TransferWindow<1> up, above;
  TransferWindow<4> down;
  const auto await_children = [&](std::size_t i) {
    if (i < count && place.higher >= 0) highers.push(channel.receive(place.higher, from_higher(i)));
    if (i < count && place.lower >= 0) lowers.push(channel.receive(place.lower, from_lower(i)));
  };
  // A segment goes up in the round of its number. It comes down two rounds later per level below the root, so no member
  // waits for one direction before it continues with the other.
  const std::size_t lag = 2 * static_cast<std::size_t>(depth_of(place, size));
  await_children(0);
  for (std::size_t round = 0; round < count + lag; ++round) {
    if (!up.empty()) {
      auto oldest = up.pop();
      co_await oldest;
    }
    await_children(round + 1);
    if (round >= lag && place.parent >= 0) above.push(channel.receive(place.parent, result(round - lag)));

    if (round < count) {
      std::span<const std::byte> partial = input(round);
      if (place.higher >= 0) {
        auto arrived = highers.pop();
        co_await arrived;
        channel.combine(reduction, partial.data(), from_higher(round));
        partial = from_higher(round);
      }
      if (place.lower >= 0) {
        auto arrived = lowers.pop();
        co_await arrived;
        channel.combine(reduction, from_lower(round).data(), from_higher(round));
      }
      if (place.parent >= 0) {
        up.push(channel.send(place.parent, partial));
      } else {
        channel.copy(partial, result(round).data());
      }
    }
    if (round < lag) continue;
    if (place.parent >= 0) {
      auto arrived = above.pop();
      co_await arrived;
    }
    for (const int child : {place.lower, place.higher}) {
      if (child < 0) continue;
      if (down.full()) {
        auto oldest = down.pop();
        co_await oldest;
      }
      down.push(channel.send(child, result(round - lag)));
    }
  }
  while (!down.empty()) {
    auto oldest = down.pop();
    co_await oldest;
  }
}

}  // namespace bowline::coll
