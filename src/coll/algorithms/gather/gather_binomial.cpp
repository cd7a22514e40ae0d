// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/binomial.hpp"
#include "coll/algorithms/gather/gather.hpp"

namespace bowline::coll {

Task gather_binomial(Channel& channel, const Arguments& arguments) {
  const BinomialPlace place(channel.rank(), channel.size(), arguments.root);
  const bool root = place.position() == 0;
  const bool leaf = place.own() == 1;
  const std::size_t each = arguments.input.size();
  const auto length = [each](int blocks) { return static_cast<std::size_t>(blocks) * each; };
  const Blocks& all = arguments.receive;
  const Scratch subtree(channel, root || leaf ? 0 : length(place.own()));

  TransferWindow<8> arriving;
  for (int distance = 1; distance < place.bit() && place.below(distance) > 0; distance *= 2) {
    const int child = place.rank_at(place.position() + distance);
    const int count = place.below(distance);
    const int before = root ? place.before_rank_0(child, count) : count;
    if (arriving.full()) {
      auto oldest = arriving.pop();
      co_await oldest;
    }
    arriving.push(
        channel.receive(child, root ? all.run(child, before) : subtree.subspan(length(distance), length(count))));
    if (before == count) continue;
    if (arriving.full()) {
      auto oldest = arriving.pop();
      co_await oldest;
    }
    arriving.push(channel.receive(child, all.run(0, count - before)));
  }
  if (root) {
    channel.copy(arguments.input, all[channel.rank()].data());
  } else if (!leaf) {
    channel.copy(arguments.input, subtree.data());
  }
  while (!arriving.empty()) {
    auto oldest = arriving.pop();
    co_await oldest;
  }
  if (root) co_return;

  const std::span<const std::byte> mine = leaf ? arguments.input : subtree;
  const bool to_root = place.position() == place.bit();
  const int before = to_root ? place.before_rank_0(channel.rank(), place.own()) : place.own();
  auto given = channel.send(place.parent(), mine.first(length(before)));
  co_await given;
  if (before == place.own()) co_return;
  auto rest = channel.send(place.parent(), mine.subspan(length(before)));
  co_await rest;
}

}  // namespace bowline::coll
