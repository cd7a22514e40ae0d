// SPDX-License-Identifier: BSD-3-Clause
#include "coll/channel/agreement.hpp"

#include <algorithm>
#include <cstring>

namespace bowline::coll {

Task allgather_bruck(Channel& channel, const Arguments& arguments) {
  const int size = channel.size();
  const int rank = channel.rank();
  const Blocks& all = arguments.receive;
  const std::size_t block = all.each();
  // Blocks in the order of ranks from this member's own on.
  const Scratch turned(channel, static_cast<std::size_t>(size) * block);
  const auto blocks = [&](int first, int count) {
    return turned.subspan(static_cast<std::size_t>(first) * block, static_cast<std::size_t>(count) * block);
  };
  channel.copy(arguments.input, turned.data());

  for (int have = 1; have < size;) {
    const int more = std::min(have, size - have);
    auto arrived = channel.receive((rank + have) % size, blocks(have, more));
    auto sent = channel.send((rank - have + size) % size, blocks(0, more));
    co_await sent;
    co_await arrived;
    have += more;
  }
  channel.copy(blocks(0, size - rank), all.run(rank, size - rank).data());
  channel.copy(blocks(size - rank, rank), all.run(0, rank).data());
}

// The tree of bcast_binomial(), upwards and then downwards.
Task add_up(Channel& channel, std::span<std::uint64_t> numbers) {
  const int rank = channel.rank();
  const Scratch scratch(channel, numbers.size_bytes());
  for (int bit = 1; bit < channel.size(); bit *= 2) {
    if ((rank & bit) != 0) {
      auto told = channel.send(rank - bit, std::as_bytes(numbers));
      co_await told;
      break;
    }
    if (rank + bit >= channel.size()) continue;
    auto heard = channel.receive(rank + bit, scratch);
    co_await heard;
    if (channel.failed()) continue;  // no numbers arrived; this member passes the failure on
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      std::uint64_t theirs = 0;
      std::memcpy(&theirs, scratch.data() + i * sizeof theirs, sizeof theirs);
      numbers[i] += theirs;
    }
  }
  const Arguments sums{.root = 0, .result = std::as_writable_bytes(numbers)};
  Task telling = bcast_binomial(channel, sums);
  co_await telling;
}

Task bcast_binomial(Channel& channel, const Arguments& arguments) {
  const int size = channel.size();
  const int root = arguments.root;
  const std::span<std::byte> data = arguments.result;
  const int position = (channel.rank() - root + size) % size;  // the root is 0
  const auto rank_at = [=](int place) { return (place + root) % size; };

  // The parent differs in the lowest bit that is set; the children in the bits below it.
  int bit = 1;
  while (bit < size && (position & bit) == 0) bit *= 2;
  if (position != 0) {
    auto arrived = channel.receive(rank_at(position - bit), data);
    co_await arrived;
  }
  for (bit /= 2; bit > 0; bit /= 2) {
    if (position + bit >= size) continue;
    auto passed_on = channel.send(rank_at(position + bit), data);
    co_await passed_on;
  }
}

}  // namespace bowline::coll
