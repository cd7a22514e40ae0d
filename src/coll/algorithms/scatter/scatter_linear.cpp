// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/scatter/scatter.hpp"

namespace bowline::coll {

Task scatter_linear(Channel& channel, const Arguments& arguments) {
  const int size = channel.size();
  const int root = arguments.root;
  if (channel.rank() != root) {
    if (arguments.result.empty()) co_return;
    auto taken = channel.receive(root, arguments.result);
    co_await taken;
    co_return;
  }
  TransferWindow<8> leaving;
  for (int distance = 1; distance < size; ++distance) {
    const int member = (root + distance) % size;
    const std::span<const std::byte> block = arguments.send[member];
    if (block.empty()) continue;
    if (leaving.full()) {
      auto oldest = leaving.pop();
      co_await oldest;
    }
    leaving.push(channel.send(member, block));
  }
  channel.copy(arguments.send[root], arguments.result.data());
  while (!leaving.empty()) {
    auto oldest = leaving.pop();
    co_await oldest;
  }
}

}  // namespace bowline::coll
