// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "coll/algorithms/scatter/scatter.hpp"
#include "coll/algorithms/segments.hpp"
#include "coll/channel/sliding_window.hpp"

namespace bowline::coll {

Task scatter_linear_segmented(Channel& channel, const Arguments& arguments) {
  constexpr int by_turns = 4;
  const int size = channel.size();
  const int root = arguments.root;
  if (channel.rank() != root) {
    if (arguments.result.empty()) co_return;
    const Segments segments(arguments.result.size(), arguments.segment);
    TransferWindow<2> arriving;
    for (std::size_t i = 0; i < segments.count(); ++i) {
      auto vacancy = room(arriving);
      co_await vacancy;
      arriving.push(channel.receive(root, segments.of(arguments.result, i)));
    }
    Task arrived = drain(arriving);
    co_await arrived;
    co_return;
  }

  channel.copy(arguments.send[root], arguments.result.data());
  TransferWindow<2 * by_turns> leaving;
  for (int first = 1; first < size; first += by_turns) {
    const int end = std::min(first + by_turns, size);
    bool more = true;
    for (std::size_t i = 0; more; ++i) {
      more = false;
      for (int distance = first; distance < end; ++distance) {
        const int member = (root + distance) % size;
        const std::span<const std::byte> block = arguments.send[member];
        const Segments segments(block.size(), arguments.segment);
        if (block.empty() || i >= segments.count()) continue;
        more = true;
        auto vacancy = room(leaving);
        co_await vacancy;
        leaving.push(channel.send(member, segments.of(block, i)));
      }
    }
  }
  Task left = drain(leaving);
  co_await left;
}

}  // namespace bowline::coll
