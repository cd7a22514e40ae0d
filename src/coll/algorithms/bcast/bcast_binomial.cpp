// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/bcast/bcast.hpp"

namespace bowline::coll {

Task bcast_binomial(Channel& channel, const Arguments& arguments) {
  const int size = channel.size();
  const int root = arguments.root;
  const std::span<std::byte> data = arguments.result;
  const int position = (channel.rank() - root + size) % size;  // the root is 0
  const auto rank_at = [=](int place) { return (place + root) % size; };

  // The parent differs in the lowest bit that is set; the children in the bits below it.
  int bit = 1;
  while (bit < size && (position & bit) == 0) bit *= 2;
  if (position != 0) {
    auto arrived = channel.receive(rank_at(position - bit), data);
    co_await arrived;
  }
  for (bit /= 2; bit > 0; bit /= 2) {
    if (position + bit >= size) continue;
    auto passed_on = channel.send(rank_at(position + bit), data);
    co_await passed_on;
  }
}

}  // namespace bowline::coll
