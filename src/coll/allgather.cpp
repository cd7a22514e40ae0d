// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <memory>

#include "coll/algorithms.hpp"

namespace bowline::coll {

Task allgather_bruck(Channel& channel, std::span<std::byte> all) {
  const int size = channel.size();
  const int rank = channel.rank();
  const std::size_t block = all.size() / static_cast<std::size_t>(size);
  // Blocks in the order of ranks from this member's own on.
  const auto memory = std::make_unique_for_overwrite<std::byte[]>(all.size());
  const std::span<std::byte> turned(memory.get(), all.size());
  const auto own = all.subspan(static_cast<std::size_t>(rank) * block, block);
  std::ranges::copy(own, turned.begin());

  for (int have = 1; have < size;) {
    const int more = std::min(have, size - have);
    const std::size_t bytes = static_cast<std::size_t>(more) * block;
    auto arrived = channel.receive((rank + have) % size, turned.subspan(static_cast<std::size_t>(have) * block, bytes));
    auto sent = channel.send((rank - have + size) % size, turned.first(bytes));
    co_await sent;
    co_await arrived;
    have += more;
  }
  std::ranges::rotate_copy(turned, turned.end() - static_cast<std::ptrdiff_t>(rank * block), all.begin());
}

}  // namespace bowline::coll
