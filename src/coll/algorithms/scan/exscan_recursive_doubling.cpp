// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/scan/scan.hpp"

namespace bowline::coll {

Task exscan_recursive_doubling(Channel& channel, const Arguments& arguments) {
  const int size = channel.size();
  const int rank = channel.rank();
  const Reduction& reduction = *arguments.reduction;
  const std::size_t bytes = arguments.input.size();
  const Scratch below(channel, rank > 0 ? bytes : 0);
  const Scratch inclusive(channel, bytes);
  channel.copy(arguments.input, inclusive.data());
  // In each round `inclusive` is the result of `distance` members, of which this member is the highest, or of all
  // members from 0 on; `result` is the combination of the same members without this member.
  for (int distance = 1; distance < size; distance *= 2) {
    const bool receives = rank >= distance;
    const bool sends = rank + distance < size;
    TransferWindow<2> under_way;
    if (receives) under_way.push(channel.receive(rank - distance, below));
    if (sends) under_way.push(channel.send(rank + distance, inclusive));
    while (!under_way.empty()) {
      auto oldest = under_way.pop();
      co_await oldest;
    }
    if (!receives) continue;
    if (distance == 1) {
      channel.copy(below, arguments.result.data());
    } else {
      channel.combine(reduction, below.data(), arguments.result);
    }
    if (rank + 2 * distance < size) channel.combine(reduction, below.data(), inclusive);
  }
}

}  // namespace bowline::coll
