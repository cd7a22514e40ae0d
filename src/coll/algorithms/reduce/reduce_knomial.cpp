// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "coll/algorithms/reduce/reduce.hpp"

namespace bowline::coll {

Task reduce_knomial(Channel& channel, const Arguments& arguments) {
  constexpr int radix = 4;
  const int size = channel.size();
  const int root = arguments.root;
  const Reduction& reduction = *arguments.reduction;
  const std::size_t bytes = arguments.input.size();
  const int top = reduction.commutative() ? root : 0;         // the root of the tree
  const int position = (channel.rank() - top + size) % size;  // the top is 0
  const auto rank_at = [=](int place) { return (place + top) % size; };
  // Places for the data of the children of one level and for this member's partial result, used in turn.
  const int children = position % radix == 0 ? std::min(radix - 1, size - 1 - position) : 0;
  const int places = children == radix - 1 ? radix : children;
  const Scratch memory(channel, static_cast<std::size_t>(places) * bytes);
  const auto place = [&](int index) { return memory.subspan(static_cast<std::size_t>(index % radix) * bytes, bytes); };

  std::span<const std::byte> have = arguments.input;
  int next = 0;
  for (int unit = 1; unit < size; unit *= radix) {
    const int digit = position / unit % radix;
    if (digit != 0) {
      auto handed_up = channel.send(rank_at(position - digit * unit), have);
      co_await handed_up;
      break;
    }
    TransferWindow<radix - 1> arriving;
    int expected = next;
    for (int child = position + unit; child < size && child < position + radix * unit; child += unit) {
      arriving.push(channel.receive(rank_at(child), place(expected++)));
    }
    for (; next < expected; ++next) {
      auto oldest = arriving.pop();
      co_await oldest;
      channel.combine(reduction, have.data(), place(next));  // theirs is the right operand
      have = place(next);
    }
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
