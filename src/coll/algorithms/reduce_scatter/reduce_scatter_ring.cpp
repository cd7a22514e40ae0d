// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "coll/algorithms/reduce_scatter/reduce_scatter.hpp"

namespace bowline::coll {
namespace {

std::size_t longest_block(const Blocks& blocks, int count) {
  if (blocks.uniform()) return blocks.each();
  std::size_t longest = 0;
  for (int i = 0; i < count; ++i) longest = std::max(longest, blocks.place(i).bytes);
  return longest;
}

}  // namespace

Task reduce_scatter_ring(Channel& channel, const Arguments& arguments) {
  const int size = channel.size();
  const int rank = channel.rank();
  const std::size_t longest = longest_block(arguments.receive, size);
  const Scratch memory(channel, size == 1 ? 0 : 2 * longest);
  const auto coming_in = [&](int step) {  // this member's contribution to the block that arrives
    const Block block = arguments.receive.place((rank - 2 - step + 2 * size) % size);
    return arguments.input.subspan(static_cast<std::size_t>(block.offset), block.bytes);
  };

  std::span<const std::byte> going = coming_in(-1);
  for (int step = 0; step < size - 1; ++step) {
    const auto own = coming_in(step);
    const auto incoming = memory.subspan(static_cast<std::size_t>(step % 2) * longest, own.size());
    auto arrived = channel.receive((rank - 1 + size) % size, incoming);
    auto sent = channel.send((rank + 1) % size, going);
    co_await sent;
    co_await arrived;
    channel.combine(*arguments.reduction, own.data(), incoming);
    going = incoming;
  }
  channel.copy(going, arguments.result.data());
}

}  // namespace bowline::coll
