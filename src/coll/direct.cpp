// SPDX-License-Identifier: BSD-3-Clause
#include "coll/direct.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace bowline::coll {

Task borrow(Channel& channel, int root, const std::byte* theirs, std::span<std::byte> mine) {
  Slots& slots = channel.slots();
  SharedWork& work = SharedWork::make(slots, channel.rank(), mine.size(), nullptr, mine.data());
  slots.publish(1);
  const std::uint64_t moved = work.share(mine.size(), [&](std::size_t at, std::size_t length) {
    slots.read(root, theirs + at, mine.subspan(at, length));
  });
  slots.publish(2);
  auto helped = slots.counted(root, work.helped(), work.pieces(mine.size()) - moved);
  co_await helped;
  if (work.failed()) throw Error(ErrorClass::other, fmt::format("rank {} of the communicator gave up", root));
}

}  // namespace bowline::coll
