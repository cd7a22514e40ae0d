// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/allreduce.hpp"
#include "coll/algorithms/parts.hpp"

namespace bowline::coll {
namespace {

/// Where a member stands in the tree whose root is the middle of all ranks, and whose left and right children are the
/// middles of the ranks below and above, and so on. A member with one child has a right one.
struct Place {
  int parent = -1, left = -1, right = -1;
  int depth = 0;

  Place(int rank, int size) {
    const auto middle = [](int first, int end) { return first < end ? first + (end - first - 1) / 2 : -1; };
    int first = 0, end = size;
    for (int at = middle(first, end); at != rank; at = middle(first, end)) {
      parent = at;
      ++depth;
      if (rank < at) {
        end = at;
      } else {
        first = at + 1;
      }
    }
    left = middle(first, rank);
    right = middle(rank + 1, end);
  }
};

}  // namespace

Task allreduce_pipelined_tree(Channel& channel, const Arguments& arguments) {
  const Reduction& reduction = *arguments.reduction;
  const Place place(channel.rank(), channel.size());
  const Segments segments(arguments.result.size(), arguments.segment);
  const std::size_t count = segments.count();
  const auto input = [&](std::size_t i) { return segments.of(arguments.input, i); };
  const auto result = [&](std::size_t i) { return segments.of(arguments.result, i); };
  const Scratch memory(channel, (place.left >= 0 ? 4 : place.right >= 0 ? 2 : 0) * segments.longest());
  const auto from_right = [&](std::size_t i) { return memory.subspan(i % 2 * segments.longest(), input(i).size()); };
  const auto from_left = [&](std::size_t i) {
    return memory.subspan((2 + i % 2) * segments.longest(), input(i).size());
  };

  Window<2> rights, lefts;  // receives of partial results, begun one round ahead
  Window<1> up, above;
  Window<4> down;
  const auto await_children = [&](std::size_t i) {
    if (i < count && place.right >= 0) rights.push(channel.receive(place.right, from_right(i)));
    if (i < count && place.left >= 0) lefts.push(channel.receive(place.left, from_left(i)));
  };
  // A segment goes up in the round of its number. It comes down two rounds later for each level below the root, so that
  // nobody waits for the one to go on with the other.
  const std::size_t lag = 2 * static_cast<std::size_t>(place.depth);
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
      if (place.right >= 0) {
        auto arrived = rights.pop();
        co_await arrived;
        channel.combine(reduction, partial.data(), from_right(round));
        partial = from_right(round);
      }
      if (place.left >= 0) {
        auto arrived = lefts.pop();
        co_await arrived;
        channel.combine(reduction, from_left(round).data(), from_right(round));
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
    for (const int child : {place.left, place.right}) {
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
