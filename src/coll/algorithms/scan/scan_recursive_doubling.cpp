// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/scan/scan.hpp"

namespace bowline::coll {

Task scan_recursive_doubling(Channel& channel, const Arguments& arguments) {
  const int size = channel.size();
  const int rank = channel.rank();
  const std::span<std::byte> data = arguments.result;
  const Scratch below(channel, rank > 0 ? data.size() : 0);
  channel.copy(arguments.input, data.data());
  // In each round the data are the result of `distance` members, of which this member is the highest, or of all members
  // from 0 on.
  for (int distance = 1; distance < size; distance *= 2) {
    const bool receives = rank >= distance;
    const bool sends = rank + distance < size;
    TransferWindow<2> under_way;
    if (receives) under_way.push(channel.receive(rank - distance, below));
    if (sends) under_way.push(channel.send(rank + distance, data));
    while (!under_way.empty()) {
      auto oldest = under_way.pop();
      co_await oldest;
    }
    if (receives) channel.combine(*arguments.reduction, below.data(), data);
  }
}

}  // namespace bowline::coll
