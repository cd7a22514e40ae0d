// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/bcast/bcast.hpp"

namespace bowline::coll {

Task bcast_knomial(Channel& channel, const Arguments& arguments) {
  constexpr int radix = 4;
  const int size = channel.size();
  const int root = arguments.root;
  const std::span<std::byte> data = arguments.result;
  const int position = (channel.rank() - root + size) % size;  // the root is 0
  const auto rank_at = [=](int place) { return (place + root) % size; };

  // The parent's position has a 0 instead of the lowest non-zero digit; the children's positions differ in one of the
  // digits below that digit.
  int unit = 1;
  while (unit < size && position / unit % radix == 0) unit *= radix;
  if (position != 0) {
    auto arrived = channel.receive(rank_at(position - position / unit % radix * unit), data);
    co_await arrived;
  }
  TransferWindow<radix - 1> leaving;
  for (unit /= radix; unit > 0; unit /= radix) {
    for (int child = position + unit; child < size && child < position + radix * unit; child += unit) {
      if (leaving.full()) {
        auto oldest = leaving.pop();
        co_await oldest;
      }
      leaving.push(channel.send(rank_at(child), data));
    }
  }
  while (!leaving.empty()) {
    auto oldest = leaving.pop();
    co_await oldest;
  }
}

}  // namespace bowline::coll
