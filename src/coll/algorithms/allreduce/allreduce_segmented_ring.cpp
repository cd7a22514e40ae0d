// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/allreduce/allreduce.hpp"
#include "coll/algorithms/segments.hpp"
#include "coll/algorithms/vector_parts.hpp"

namespace bowline::coll {

Task allreduce_segmented_ring(Channel& channel, const Arguments& arguments) {
  const int size = channel.size();
  const int rank = channel.rank();
  const int right = (rank + 1) % size;
  const int left = (rank - 1 + size) % size;
  const Reduction& reduction = *arguments.reduction;
  const std::size_t element = reduction.element();
  const std::span<const std::byte> input = arguments.input;
  const std::span<std::byte> data = arguments.result;
  const bool in_place = input.data() == data.data();
  if (size == 1) channel.copy(input, data.data());

  // Each of the 2 (n - 1) steps of the ring moves one part of the data in segments, numbered through all steps. The
  // segments of the first half of the steps are combined with this member's data.
  const Segments segments(part(data, element, 0, size).size(), arguments.segment);
  const std::size_t per_step = segments.count();
  const std::size_t combined = static_cast<std::size_t>(size - 1) * per_step;
  const std::size_t moves = 2 * combined;
  const auto segment_at = [&](auto bytes, int step, std::size_t segment) {
    const int number = (rank - 2 - step % size + 2 * size) % size;
    return segments.of(part(bytes, element, number, size), segment);
  };
  const auto coming = [&](auto bytes, std::size_t move) {
    return segment_at(bytes, static_cast<int>(move / per_step), move % per_step);
  };
  const auto going = [&](std::size_t move) -> std::span<const std::byte> {
    if (move < per_step) return segment_at(input, -1, move);
    return coming(data, move - per_step);
  };
  const Scratch landing(channel, in_place ? 2 * segments.longest() : 0);
  const auto incoming = [&](std::size_t move) {
    const auto mine = coming(data, move);
    return in_place && move < combined ? landing.subspan(move % 2 * segments.longest(), mine.size()) : mine;
  };

  // One receive is started ahead, and as many sends as there are segments ready. A part arrives for the second time
  // only after all members have read its earlier contents.
  const std::size_t ahead = std::min<std::size_t>(per_step - 1, 2);
  TransferWindow<2> receives;
  TransferWindow<4> sends;
  std::size_t begun = 0;
  if (moves > 0) receives.push(channel.receive(left, incoming(0)));
  for (std::size_t move = 0; move < moves; ++move) {
    if (move + 1 < moves) receives.push(channel.receive(left, incoming(move + 1)));
    for (; begun < std::min(moves, move + ahead + 1); ++begun) {
      if (sends.full()) {
        auto oldest = sends.pop();
        co_await oldest;
      }
      sends.push(channel.send(right, going(begun)));
    }
    auto arrived = receives.pop();
    co_await arrived;
    if (move >= combined) continue;
    const auto mine = coming(data, move);
    channel.combine(reduction, in_place ? incoming(move).data() : coming(input, move).data(), mine);
  }
  while (!sends.empty()) {
    auto oldest = sends.pop();
    co_await oldest;
  }
}

}  // namespace bowline::coll
