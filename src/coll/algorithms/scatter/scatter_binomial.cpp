// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/binomial.hpp"
#include "coll/algorithms/scatter/scatter.hpp"

namespace bowline::coll {

Task scatter_binomial(Channel& channel, const Arguments& arguments) {
  const BinomialPlace place(channel.rank(), channel.size(), arguments.root);
  const bool root = place.position() == 0;
  const bool leaf = place.own() == 1;
  const std::size_t each = arguments.result.size();
  const auto length = [each](int blocks) { return static_cast<std::size_t>(blocks) * each; };
  const Blocks& all = arguments.send;
  const Scratch subtree(channel, root || leaf ? 0 : length(place.own()));

  if (!root) {
    const std::span<std::byte> mine = leaf ? arguments.result : subtree;
    const bool from_root = place.position() == place.bit();
    const int before = from_root ? place.before_rank_0(channel.rank(), place.own()) : place.own();
    auto taken = channel.receive(place.parent(), mine.first(length(before)));
    if (before < place.own()) {
      auto rest = channel.receive(place.parent(), mine.subspan(length(before)));
      co_await rest;
    }
    co_await taken;
  }

  TransferWindow<8> leaving;
  for (int distance = place.bit() / 2; distance > 0; distance /= 2) {
    const int count = place.below(distance);
    if (count == 0) continue;
    const int child = place.rank_at(place.position() + distance);
    const int before = root ? place.before_rank_0(child, count) : count;
    if (leaving.full()) {
      auto oldest = leaving.pop();
      co_await oldest;
    }
    leaving.push(channel.send(child, root ? all.run(child, before) : subtree.subspan(length(distance), length(count))));
    if (before == count) continue;
    if (leaving.full()) {
      auto oldest = leaving.pop();
      co_await oldest;
    }
    leaving.push(channel.send(child, all.run(0, count - before)));
  }
  if (root) {
    channel.copy(all[channel.rank()], arguments.result.data());
  } else if (!leaf) {
    channel.copy(subtree.first(each), arguments.result.data());
  }
  while (!leaving.empty()) {
    auto oldest = leaving.pop();
    co_await oldest;
  }
}

}  // namespace bowline::coll
