// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "coll/algorithms/reduce/reduce.hpp"

namespace bowline::coll {

Task reduce_binomial(Channel& channel, const Arguments& arguments) {
  const int size = channel.size();
  const int root = arguments.root;
  const Reduction& reduction = *arguments.reduction;
  const std::size_t bytes = arguments.input.size();
  const int top = reduction.commutative() ? root : 0;         // the root of the tree
  const int position = (channel.rank() - top + size) % size;  // the top is 0
  const auto rank_at = [=](int place) { return (place + top) % size; };
  const bool leaf = position % 2 == 1 || position + 1 == size;
  const Scratch memory(channel, leaf ? 0 : 2 * bytes);

  // This member's partial result is first its own contribution, then alternately in one of the halves of the memory.
  std::span<const std::byte> have = arguments.input;
  std::byte* next = memory.data();
  std::byte* other = memory.data() + (leaf ? 0 : bytes);
  for (int bit = 1; bit < size; bit *= 2) {
    if ((position & bit) != 0) {
      auto handed_up = channel.send(rank_at(position - bit), have);
      co_await handed_up;
      break;
    }
    if (position + bit >= size) continue;
    auto arrived = channel.receive(rank_at(position + bit), {next, bytes});
    co_await arrived;
    channel.combine(reduction, have.data(), {next, bytes});  // theirs is the right operand
    have = {next, bytes};
    std::swap(next, other);
  }
  if (channel.rank() == top && top != root) {
    auto delivered = channel.send(root, have);
    co_await delivered;
  } else if (channel.rank() == top) {
    channel.copy(have, arguments.result.data());
  } else if (channel.rank() == root) {
    auto result = channel.receive(top, arguments.result);
    co_await result;
  }
}

}  // namespace bowline::coll
