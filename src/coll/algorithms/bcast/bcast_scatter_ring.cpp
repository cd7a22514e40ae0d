// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/bcast/bcast.hpp"
#include "coll/algorithms/bcast/bcast_scatter.hpp"

namespace bowline::coll {

Task bcast_scatter_ring(Channel& channel, const Arguments& arguments) {
  const int size = channel.size();
  const int root = arguments.root;
  const Parts parts(arguments.result, size);
  Task scattered = bcast_scatter(channel, root, parts);
  co_await scattered;

  // In round k the member at position p receives part p - k. The member already has the last of these parts from the
  // scatter.
  const int position = (channel.rank() - root + size) % size;
  const int before = (channel.rank() - 1 + size) % size;
  const int behind = (channel.rank() + 1) % size;
  const int receives = size - parts_after_scatter(position, size);
  const int sends = size - parts_after_scatter((position + 1) % size, size);
  for (int round = 1; round <= std::max(receives, sends); ++round) {
    TransferWindow<2> under_way;
    if (round <= receives) {
      under_way.push(channel.receive(before, parts.run((position - round + size) % size, 1)));
    }
    if (round <= sends) under_way.push(channel.send(behind, parts.run((position - round + 1 + size) % size, 1)));
    while (!under_way.empty()) {
      auto oldest = under_way.pop();
      co_await oldest;
    }
  }
}

}  // namespace bowline::coll
