// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/scan/scan.hpp"
#include "coll/algorithms/segments.hpp"

namespace bowline::coll {

Task scan_pipeline(Channel& channel, const Arguments& arguments) {
  constexpr std::size_t slots = 2;  // one segment arrives while one is combined
  const int rank = channel.rank();
  const Segments segments(arguments.input.size(), arguments.segment);
  const Scratch memory(channel, rank == 0 ? 0 : slots * segments.longest());
  const auto below = [&](std::size_t i) {
    return memory.subspan(i % slots * segments.longest(), segments.of(arguments.input, i).size());
  };
  TransferWindow<slots> arriving;
  TransferWindow<2> leaving;
  std::size_t expected = 0;
  for (std::size_t i = 0; i < segments.count(); ++i) {
    const std::span<std::byte> result = segments.of(arguments.result, i);
    if (rank > 0) {
      for (; expected < segments.count() && !arriving.full(); ++expected) {
        arriving.push(channel.receive(rank - 1, below(expected)));
      }
    }
    channel.copy(segments.of(arguments.input, i), result.data());
    if (rank > 0) {
      auto segment = arriving.pop();
      co_await segment;
      channel.combine(*arguments.reduction, below(i).data(), result);
    }
    if (rank + 1 == channel.size()) continue;
    if (leaving.full()) {
      auto oldest = leaving.pop();
      co_await oldest;
    }
    leaving.push(channel.send(rank + 1, result));
  }
  while (!leaving.empty()) {
    auto oldest = leaving.pop();
    co_await oldest;
  }
}

}  // namespace bowline::coll
