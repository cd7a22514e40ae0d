// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/pipelined.hpp"
#include "coll/algorithms/segments.hpp"

namespace bowline::coll {
namespace {

constexpr std::size_t slots = 3;  // one segment arrives, one is combined, and one leaves

}  // namespace

Task reduce_pipelined(Channel& channel, const Arguments& arguments, TreePlace place) {
  const Reduction& reduction = *arguments.reduction;
  const std::span<const std::byte> own = arguments.input;
  const Segments segments(own.size(), arguments.segment);
  const bool root = place.parent < 0;
  const bool leaf = place.lower < 0 && place.higher < 0;
  // The result is built in the root's memory, unless the own operand lies there and is still needed.
  const bool direct = root && (place.higher < 0 || own.data() != arguments.result.data());
  const Scratch lower_memory(channel, place.lower < 0 ? 0 : slots * segments.longest());
  const Scratch higher_memory(channel, direct || leaf ? 0 : slots * segments.longest());
  const auto slot = [&](const Scratch& memory, std::size_t i) {
    return memory.subspan(i % slots * segments.longest(), segments.of(own, i).size());
  };
  const auto lower = [&](std::size_t i) { return slot(lower_memory, i); };
  const auto higher = [&](std::size_t i) {  // from the higher child, then the combined result
    return direct ? segments.of(arguments.result, i) : slot(higher_memory, i);
  };

  TransferWindow<2> from_lower;
  TransferWindow<2> from_higher;
  TransferWindow<2> leaving;
  std::size_t expected = 0;
  for (std::size_t i = 0; i < segments.count(); ++i) {
    if (leaving.full()) {  // its memory is needed for the next expected segment
      auto oldest = leaving.pop();
      co_await oldest;
    }
    for (; expected < segments.count() && expected < i + 2; ++expected) {
      if (place.lower >= 0) from_lower.push(channel.receive(place.lower, lower(expected)));
      if (place.higher >= 0) from_higher.push(channel.receive(place.higher, higher(expected)));
    }
    if (place.higher >= 0) {
      auto segment = from_higher.pop();
      co_await segment;
      channel.combine(reduction, segments.of(own, i).data(), higher(i));
    } else if (root || !leaf) {
      channel.copy(segments.of(own, i), higher(i).data());
    }
    if (place.lower >= 0) {
      auto segment = from_lower.pop();
      co_await segment;
      channel.combine(reduction, lower(i).data(), higher(i));
    }
    if (!root) {
      leaving.push(channel.send(place.parent, leaf ? segments.of(own, i) : higher(i)));
    } else {
      channel.copy(higher(i), segments.of(arguments.result, i).data());
    }
  }
  while (!leaving.empty()) {
    auto oldest = leaving.pop();
    co_await oldest;
  }
}

}  // namespace bowline::coll
