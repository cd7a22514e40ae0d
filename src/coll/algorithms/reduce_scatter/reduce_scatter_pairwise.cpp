// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/reduce_scatter/reduce_scatter.hpp"

namespace bowline::coll {

Task reduce_scatter_pairwise(Channel& channel, const Arguments& arguments) {
  const int size = channel.size();
  const int rank = channel.rank();
  const Reduction& reduction = *arguments.reduction;
  const auto contribution_to = [&](int member) {
    const Block block = arguments.receive.place(member);
    return arguments.input.subspan(static_cast<std::size_t>(block.offset), block.bytes);
  };
  const std::size_t bytes = arguments.result.size();
  const Scratch memory(channel, 4 * bytes);
  const auto lower = memory.subspan(0, bytes);      // the sum of the ranks up to this rank
  const auto upper = memory.subspan(bytes, bytes);  // the sum of the ranks above this rank, from the highest down
  channel.copy(contribution_to(rank), lower.data());

  // Contributions arrive from the ranks below this member in descending order, then from the highest rank downwards.
  const auto landing = [&](int distance) {
    return distance == rank + 1 ? upper : memory.subspan(static_cast<std::size_t>(2 + distance % 2) * bytes, bytes);
  };
  TransferWindow<2> receives;
  TransferWindow<2> sends;
  for (int distance = 1; distance <= size; ++distance) {
    if (distance < size) receives.push(channel.receive((rank - distance + size) % size, landing(distance)));
    if (sends.full()) {
      auto oldest = sends.pop();
      co_await oldest;
    }
    if (const int above = (rank + distance) % size; distance < size)
      sends.push(channel.send(above, contribution_to(above)));
    // One contribution is combined while the next one is in flight.
    const int latest = distance - 1;
    if (latest == 0) continue;
    auto arrived = receives.pop();
    co_await arrived;
    if (latest == rank + 1) continue;
    channel.combine(reduction, landing(latest).data(), latest <= rank ? lower : upper);
  }
  while (!sends.empty()) {
    auto oldest = sends.pop();
    co_await oldest;
  }
  const bool highest = rank == size - 1;
  if (!highest) channel.combine(reduction, lower.data(), upper);
  channel.copy(highest ? lower : upper, arguments.result.data());
}

}  // namespace bowline::coll
