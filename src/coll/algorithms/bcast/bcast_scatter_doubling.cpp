// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/bcast/bcast.hpp"
#include "coll/algorithms/bcast/bcast_scatter.hpp"

namespace bowline::coll {

Task bcast_scatter_doubling(Channel& channel, const Arguments& arguments) {
  const int size = channel.size();
  const int root = arguments.root;
  const Parts parts(arguments.result, size);
  Task scattered = bcast_scatter(channel, root, parts);
  co_await scattered;

  // Before each round the member at position p has parts p ... p + have - 1, modulo their number.
  const int position = (channel.rank() - root + size) % size;
  for (int have = 1; have < size; have *= 2) {
    const int more = std::min(have, size - have);
    const int source = (position + have) % size;
    const int target = (position - have + size) % size;
    TransferWindow<4> under_way;
    // A member that already has these parts from the scatter receives nothing. This holds above all for the root, whose
    // data are only read.
    if (parts_after_scatter(position, size) < have + more) {
      const int before_0 = std::min(more, size - source);
      under_way.push(channel.receive((source + root) % size, parts.run(source, before_0)));
      if (before_0 < more) {
        under_way.push(channel.receive((source + root) % size, parts.run(0, more - before_0)));
      }
    }
    if (parts_after_scatter(target, size) < have + more) {
      const int before_0 = std::min(more, size - position);
      under_way.push(channel.send((target + root) % size, parts.run(position, before_0)));
      if (before_0 < more) under_way.push(channel.send((target + root) % size, parts.run(0, more - before_0)));
    }
    while (!under_way.empty()) {
      auto oldest = under_way.pop();
      co_await oldest;
    }
  }
}

}  // namespace bowline::coll
