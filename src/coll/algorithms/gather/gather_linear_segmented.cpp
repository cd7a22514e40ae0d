// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "coll/algorithms/gather/gather.hpp"
#include "coll/algorithms/segments.hpp"
#include "coll/channel/sliding_window.hpp"

namespace bowline::coll {

Task gather_linear_segmented(Channel& channel, const Arguments& arguments) {
  constexpr int by_turns = 4;
  const int size = channel.size();
  const int root = arguments.root;
  if (channel.rank() != root) {
    if (arguments.input.empty()) co_return;
    const Segments segments(arguments.input.size(), arguments.segment);
    TransferWindow<2> leaving;
    for (std::size_t i = 0; i < segments.count(); ++i) {
      auto vacancy = room(leaving);
      co_await vacancy;
      leaving.push(channel.send(root, segments.of(arguments.input, i)));
    }
    Task left = drain(leaving);
    co_await left;
    co_return;
  }

  channel.copy(arguments.input, arguments.receive[root].data());
  TransferWindow<2 * by_turns> arriving;
  for (int first = 1; first < size; first += by_turns) {
    const int end = std::min(first + by_turns, size);
    bool more = true;
    for (std::size_t i = 0; more; ++i) {
      more = false;
      for (int distance = first; distance < end; ++distance) {
        const int member = (root + distance) % size;
        const std::span<std::byte> block = arguments.receive[member];
        const Segments segments(block.size(), arguments.segment);
        if (block.empty() || i >= segments.count()) continue;
        more = true;
        auto vacancy = room(arriving);
        co_await vacancy;
        arriving.push(channel.receive(member, segments.of(block, i)));
      }
    }
  }
  Task arrived = drain(arriving);
  co_await arrived;
}

}  // namespace bowline::coll
