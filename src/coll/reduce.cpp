// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <memory>

#include "coll/algorithms.hpp"

namespace bowline::coll {

Task reduce_binomial(Channel& channel, int root, const Reduction& reduction, std::span<std::byte> data) {
  const int size = channel.size();
  const int top = reduction.commutative() ? root : 0;         // where the tree leads
  const int position = (channel.rank() - top + size) % size;  // the top is 0
  const auto rank_at = [=](int place) { return (place + top) % size; };
  const auto theirs = std::make_unique_for_overwrite<std::byte[]>(data.size());

  for (int bit = 1; bit < size; bit *= 2) {
    if ((position & bit) != 0) {
      auto handed_up = channel.send(rank_at(position - bit), data);
      co_await handed_up;
      break;
    }
    if (position + bit >= size) continue;
    auto arrived = channel.receive(rank_at(position + bit), {theirs.get(), data.size()});
    co_await arrived;
    // Theirs stands right of ours: combine into it, then keep it.
    reduction.combine(data.data(), theirs.get());
    std::copy_n(theirs.get(), data.size(), data.data());
  }
  if (top == root) co_return;
  if (channel.rank() == top) {
    auto delivered = channel.send(root, data);
    co_await delivered;
  } else if (channel.rank() == root) {
    auto result = channel.receive(top, data);
    co_await result;
  }
}

}  // namespace bowline::coll
