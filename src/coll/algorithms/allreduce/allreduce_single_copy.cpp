// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/single_copy_sum.hpp"
#include "coll/algorithms/through_slots.hpp"

namespace bowline::coll {
namespace {

/// The bytes of the result that a member combines.
std::size_t share_begin(const Arguments& arguments, int member, int size) noexcept {
  const std::size_t element = arguments.reduction->element();
  const std::size_t elements = arguments.result.size() / element;
  return elements * static_cast<std::size_t>(member) / static_cast<std::size_t>(size) * element;
}

Task allreduce_agreed(Channel& channel, const Arguments& arguments) {
  Slots& slots = channel.slots();
  const int rank = channel.rank();
  const int size = channel.size();
  auto vacant = slots.vacancy();
  co_await vacant;
  put_address(slots, rank, 0, arguments.input.data());
  put_address(slots, rank, 1, arguments.result.data());
  slots.publish(1);
  for (int member = 0; member < size; ++member) {
    if (member == rank) continue;
    auto told = slots.reached(member, 1);
    co_await told;
  }
  const std::size_t own = share_begin(arguments, rank, size);
  const std::size_t own_end = share_begin(arguments, rank + 1, size);
  DirectSum(channel, *arguments.reduction)
      .combine(own, arguments.input.data() + own, arguments.result.subspan(own, own_end - own));
  slots.publish(2);
  for (int step = 1; step < size; ++step) {
    const int member = (rank + step) % size;
    auto summed = slots.reached(member, 2);
    co_await summed;
    if (slots.abandoned(member)) slots.fail_after(member);
  }
  for (int step = 1; step < size; ++step) {
    const int member = (rank + step) % size;
    const std::size_t begin = share_begin(arguments, member, size);
    slots.read(member, get_address(slots, member, 1) + begin,
               arguments.result.subspan(begin, share_begin(arguments, member + 1, size) - begin));
  }
  slots.publish(3);
  for (int member = 0; member < size; ++member) {
    if (member == rank) continue;
    auto read = slots.reached(member, 3);
    co_await read;
  }
}

}  // namespace

Task allreduce_single_copy(Channel& channel, const Arguments& arguments) {
  if (!channel.slots().readable()) return allreduce_shares(channel, arguments);
  return allreduce_agreed(channel, arguments);
}

}  // namespace bowline::coll
