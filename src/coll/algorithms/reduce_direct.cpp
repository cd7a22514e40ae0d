// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "coll/algorithms/reduce.hpp"
#include "coll/algorithms/slots.hpp"
#include "coll/direct.hpp"

namespace bowline::coll {
namespace {

constexpr std::size_t piece_bytes = 32 << 10;  // read at once, so that it is still in the cache when it is combined

Task carry_out(Channel& channel, const Arguments& arguments) {
  Slots& slots = channel.slots();
  const int root = arguments.root;
  const int rank = channel.rank();
  const int size = channel.size();
  while (!slots.vacant()) {
    auto left = slots.left();
    co_await left;
  }
  if (rank != root) {
    put_address(slots, rank, root, arguments.input.data());
    slots.publish(1);
    auto read = slots.reached(root, 1);
    co_await read;
    co_return;
  }
  for (int member = 0; member < size; ++member) {
    if (member == root) continue;
    auto told = slots.reached(member, 1);
    co_await told;
  }
  const std::size_t piece = piece_bytes / arguments.reduction->element() * arguments.reduction->element();
  const Scratch own(channel, piece);
  const Scratch theirs(channel, piece);
  for (std::size_t begin = 0; begin < arguments.result.size(); begin += piece) {
    const std::span<std::byte> sum = arguments.result.subspan(begin, std::min(piece, arguments.result.size() - begin));
    channel.copy(arguments.input.subspan(begin, sum.size()), own.data());  // it may lie where the sum goes
    for (int member = size - 1; member >= 0; --member) {
      const std::span<std::byte> into = member == size - 1 ? sum : theirs.first(sum.size());
      if (member != rank) slots.read(member, get_address(slots, member, root) + begin, into);
      if (member == size - 1) {
        if (member == rank) channel.copy(own.first(sum.size()), sum.data());
      } else {
        channel.combine(*arguments.reduction, member == rank ? own.data() : theirs.data(), sum);
      }
    }
  }
  slots.publish(1);
}

}  // namespace

Task reduce_direct(Channel& channel, const Arguments& arguments) {
  if (!channel.slots().readable()) return reduce_shares(channel, arguments);
  return carry_out(channel, arguments);
}

}  // namespace bowline::coll
