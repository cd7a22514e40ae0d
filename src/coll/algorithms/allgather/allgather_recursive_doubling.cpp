// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/allgather/allgather.hpp"

namespace bowline::coll {

Task allgather_recursive_doubling(Channel& channel, const Arguments& arguments) {
  const int rank = channel.rank();
  const Blocks& all = arguments.receive;
  channel.copy(arguments.input, all[rank].data());

  // A member has the blocks of its aligned group of `have` members; its partner has those of the neighbouring group.
  for (int have = 1; have < channel.size(); have *= 2) {
    const int partner = rank ^ have;
    const int mine = rank & -have;
    auto arrived = channel.receive(partner, all.run(mine ^ have, have));
    auto sent = channel.send(partner, all.run(mine, have));
    co_await sent;
    co_await arrived;
  }
}

}  // namespace bowline::coll
