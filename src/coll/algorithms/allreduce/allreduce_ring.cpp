// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/allreduce/allreduce.hpp"
#include "coll/algorithms/vector_parts.hpp"

namespace bowline::coll {

Task allreduce_ring(Channel& channel, const Arguments& arguments) {
  const int size = channel.size();
  const int rank = channel.rank();
  const int right = (rank + 1) % size;
  const int left = (rank - 1 + size) % size;
  const Reduction& reduction = *arguments.reduction;
  const std::span<const std::byte> input = arguments.input;
  const std::span<std::byte> data = arguments.result;
  // The part that a member receives from its left in a step; it sends the part that it received in the step before.
  const auto part_in = [=, element = reduction.element()](auto bytes, int step) {
    return part(bytes, element, (rank - 2 - step + 2 * size) % size, size);
  };
  const bool in_place = input.data() == data.data();
  const Scratch landing(channel, in_place ? part(data, reduction.element(), 0, size).size() : 0);
  if (size == 1) channel.copy(input, data.data());

  // Reduce and scatter: each received part is combined with this member's own; after n - 1 steps the part of its rank
  // is complete.
  std::span<const std::byte> going = part_in(input, -1);
  for (int step = 0; step < size - 1; ++step) {
    const auto mine = part_in(data, step);
    const auto incoming = in_place ? landing.first(mine.size()) : mine;
    auto arrived = channel.receive(left, incoming);
    auto sent = channel.send(right, going);
    co_await sent;
    co_await arrived;
    channel.combine(reduction, in_place ? incoming.data() : part_in(input, step).data(), mine);
    going = mine;
  }
  // The complete parts go around.
  for (int step = -1; step < size - 2; ++step) {
    const auto next = part_in(data, step);
    auto arrived = channel.receive(left, next);
    auto sent = channel.send(right, going);
    co_await sent;
    co_await arrived;
    going = next;
  }
}

}  // namespace bowline::coll
