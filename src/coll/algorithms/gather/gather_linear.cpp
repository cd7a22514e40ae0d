// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/gather/gather.hpp"

namespace bowline::coll {

Task gather_linear(Channel& channel, const Arguments& arguments) {
  const int size = channel.size();
  const int root = arguments.root;
  if (channel.rank() != root) {
    if (arguments.input.empty()) co_return;
    auto given = channel.send(root, arguments.input);
    co_await given;
    co_return;
  }
  TransferWindow<8> arriving;
  for (int distance = 1; distance < size; ++distance) {
    const int member = (root + distance) % size;
    const std::span<std::byte> block = arguments.receive[member];
    if (block.empty()) continue;
    if (arriving.full()) {
      auto oldest = arriving.pop();
      co_await oldest;
    }
    arriving.push(channel.receive(member, block));
  }
  channel.copy(arguments.input, arguments.receive[root].data());
  while (!arriving.empty()) {
    auto oldest = arriving.pop();
    co_await oldest;
  }
}

}  // namespace bowline::coll
