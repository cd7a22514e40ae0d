// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/scan/scan.hpp"
#include "coll/algorithms/segments.hpp"

namespace bowline::coll {

Task exscan_pipeline(Channel& channel, const Arguments& arguments) {
  constexpr std::size_t slots = 3;  // one segment arrives, one is combined, and one leaves
  const int rank = channel.rank();
  const bool first = rank == 0;
  const bool last = rank + 1 == channel.size();
  const Segments segments(arguments.input.size(), arguments.segment);
  const Scratch memory(channel, first || last ? 0 : slots * segments.longest());
  const auto inclusive = [&](std::size_t i) {
    return memory.subspan(i % slots * segments.longest(), segments.of(arguments.input, i).size());
  };
  TransferWindow<2> arriving;
  TransferWindow<2> leaving;
  std::size_t expected = 0;
  for (std::size_t i = 0; i < segments.count(); ++i) {
    if (leaving.full()) {  // its memory is needed for the next expected segment
      auto oldest = leaving.pop();
      co_await oldest;
    }
    // The data from below are this member's result. They may overwrite its operand, so the operand is copied first.
    for (; !first && expected < segments.count() && expected < i + 2; ++expected) {
      if (!last) channel.copy(segments.of(arguments.input, expected), inclusive(expected).data());
      arriving.push(channel.receive(rank - 1, segments.of(arguments.result, expected)));
    }
    if (!first) {
      auto segment = arriving.pop();
      co_await segment;
    }
    if (last) continue;
    if (!first) channel.combine(*arguments.reduction, segments.of(arguments.result, i).data(), inclusive(i));
    leaving.push(channel.send(rank + 1, first ? segments.of(arguments.input, i) : inclusive(i)));
  }
  while (!leaving.empty()) {
    auto oldest = leaving.pop();
    co_await oldest;
  }
}

}  // namespace bowline::coll
