// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "coll/algorithms/pipelined.hpp"
#include "coll/algorithms/segments.hpp"

namespace bowline::coll {

Task bcast_pipelined(Channel& channel, const Arguments& arguments, TreePlace place) {
  const std::span<std::byte> data = arguments.result;
  const Segments segments(data.size(), arguments.segment);
  const std::array children = {place.lower, place.higher};
  TransferWindow<4> arriving;
  TransferWindow<4> leaving;
  std::size_t expected = 0;
  for (std::size_t i = 0; i < segments.count(); ++i) {
    if (place.parent >= 0) {
      for (; expected < segments.count() && !arriving.full(); ++expected) {
        arriving.push(channel.receive(place.parent, segments.of(data, expected)));
      }
      auto segment = arriving.pop();
      co_await segment;
    }
    for (const int child : children) {
      if (child < 0) continue;
      if (leaving.full()) {
        auto oldest = leaving.pop();
        co_await oldest;
      }
      leaving.push(channel.send(child, segments.of(data, i)));
    }
  }
  while (!leaving.empty()) {
    auto oldest = leaving.pop();
    co_await oldest;
  }
}

}  // namespace bowline::coll
