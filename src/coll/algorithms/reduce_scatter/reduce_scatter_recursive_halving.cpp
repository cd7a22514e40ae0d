// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "coll/algorithms/fold.hpp"
#include "coll/algorithms/reduce_scatter/reduce_scatter.hpp"

namespace bowline::coll {

Task reduce_scatter_recursive_halving(Channel& channel, const Arguments& arguments) {
  const Reduction& reduction = *arguments.reduction;
  const int rank = channel.rank();
  const Fold fold(channel.size());
  if (!fold.acts(rank)) {
    auto given = channel.send(rank + 1, arguments.input);
    co_await given;
    auto result = channel.receive(rank + 1, arguments.result);
    co_await result;
    co_return;
  }
  const auto bytes = [&](int first, int end) {  // the bytes of the blocks of these positions
    const Block last = arguments.receive.place(fold.actor(end - 1));
    const Block start = arguments.receive.place(fold.first_member(first));
    return static_cast<std::size_t>(last.offset - start.offset) + last.bytes;
  };

  // This member's partial result is first its input, then alternately in one of the halves of the memory.
  const int position = fold.position(rank);
  const int middle = fold.positions / 2;
  const std::size_t longest = fold.shares(rank)   ? arguments.input.size()
                              : middle == 0       ? 0
                              : position < middle ? bytes(0, middle)
                                                  : bytes(middle, fold.positions);
  const Scratch memory(channel, 2 * longest);
  std::span<const std::byte> have = arguments.input;
  std::byte* next = memory.data();
  std::byte* other = memory.data() + longest;
  if (fold.shares(rank)) {
    auto taken = channel.receive(rank - 1, {next, have.size()});
    co_await taken;
    channel.combine(reduction, have.data(), {next, have.size()});
    have = {next, have.size()};
    std::swap(next, other);
  }

  int first = 0;
  for (int distance = middle; distance > 0; distance /= 2) {
    const bool is_lower = (position & distance) == 0;
    const std::size_t half = bytes(first, first + distance);
    const auto kept = is_lower ? have.first(half) : have.subspan(half);
    auto arrived = channel.receive(fold.actor(position ^ distance), {next, kept.size()});
    auto sent = channel.send(fold.actor(position ^ distance), is_lower ? have.subspan(half) : have.first(half));
    co_await sent;
    co_await arrived;
    channel.combine(reduction, kept.data(), {next, kept.size()});
    have = {next, kept.size()};
    std::swap(next, other);
    if (!is_lower) first += distance;
  }

  const auto own = have.last(arguments.result.size());
  if (fold.shares(rank)) {
    auto returned = channel.send(rank - 1, have.first(have.size() - own.size()));
    co_await returned;
  }
  channel.copy(own, arguments.result.data());
}

}  // namespace bowline::coll
