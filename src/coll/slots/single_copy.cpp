// SPDX-License-Identifier: BSD-3-Clause
#include "coll/slots/single_copy.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace bowline::coll {

Task borrow(Slots& slots, int root, const std::byte* theirs, std::span<std::byte> mine, std::uint64_t step) {
  SharedWork& work = SharedWork::make(slots, slots.rank(), mine.size(), nullptr, mine.data());
  slots.publish(step);
  const std::uint64_t moved = work.share(mine.size(), [&](std::size_t at, std::size_t length) {
    slots.read(root, theirs + at, mine.subspan(at, length));
  });
  slots.publish(step + 1);
  auto helped = slots.counted(root, work.helped(), work.pieces(mine.size()) - moved);
  co_await helped;
  if (work.failed())
    throw Error(ErrorClass::other, fmt::format("rank {} of the communicator has abandoned the call", root));
}

}  // namespace bowline::coll
