// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/bcast/bcast_scatter.hpp"

#include "coll/algorithms/binomial.hpp"

namespace bowline::coll {

Task bcast_scatter(Channel& channel, int root, Parts parts) {
  const BinomialPlace place(channel.rank(), channel.size(), root);
  const int position = place.position();
  if (position != 0) {
    auto arrived = channel.receive(place.parent(), parts.run(position, place.own()));
    co_await arrived;
  }
  TransferWindow<4> leaving;
  for (int distance = place.bit() / 2; distance > 0; distance /= 2) {
    const int count = place.below(distance);
    if (count == 0) continue;
    if (leaving.full()) {
      auto oldest = leaving.pop();
      co_await oldest;
    }
    leaving.push(channel.send(place.rank_at(position + distance), parts.run(position + distance, count)));
  }
  while (!leaving.empty()) {
    auto oldest = leaving.pop();
    co_await oldest;
  }
}

}  // namespace bowline::coll
