// SPDX-License-Identifier: BSD-3-Clause
#include <optional>

#include "coll/algorithms/single_copy_sum.hpp"
#include "coll/algorithms/through_slots.hpp"

namespace bowline::coll {
namespace {

Task reduce_scatter_agreed(Channel& channel, const Arguments& arguments) {
  Slots& slots = channel.slots();
  const Blocks& blocks = arguments.receive;
  const int rank = channel.rank();
  const int size = channel.size();
  const auto begin = static_cast<std::size_t>(blocks[rank].data() - blocks[0].data());  // the base has no meaning
  auto vacant = slots.vacancy();
  co_await vacant;
  put_address(slots, rank, 0, arguments.input.data());
  slots.publish(1);
  for (int member = 0; member < size; ++member) {
    if (member == rank) continue;
    auto told = slots.reached(member, 1);
    co_await told;
  }
  // With MPI_IN_PLACE the result overwrites data that other members read, except at the member whose block is at its
  // place.
  const bool lent = arguments.result.data() == arguments.input.data() && begin != 0;
  const Scratch kept(channel, lent ? arguments.result.size() : 0);
  const std::span<std::byte> sum = lent ? std::span<std::byte>(kept) : arguments.result;
  DirectSum(channel, *arguments.reduction).combine(begin, arguments.input.data() + begin, sum);
  slots.publish(2);
  for (int step = 1; step < size; ++step) {
    const int member = (rank + step) % size;
    auto read = slots.reached(member, 2);
    co_await read;
  }
  if (lent) channel.copy(sum, arguments.result.data());
}

}  // namespace

Task reduce_scatter_single_copy(Channel& channel, const Arguments& arguments) {
  if (!channel.slots().readable()) return reduce_scatter_slots(channel, arguments);
  return reduce_scatter_agreed(channel, arguments);
}

}  // namespace bowline::coll
