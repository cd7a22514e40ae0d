// SPDX-License-Identifier: BSD-3-Clause
#include "coll/channel/channel.hpp"

#include <cstring>

#include "base/scratch.hpp"

namespace bowline::coll {

void Channel::copy(std::span<const std::byte> from, std::byte* to) {
  if (from.data() != to && !from.empty()) std::memcpy(to, from.data(), from.size());
}

std::byte* Channel::take_scratch(std::size_t bytes) {
  return bytes == 0 ? nullptr : static_cast<std::byte*>(ScratchPool::take(bytes));
}

void Channel::give_scratch(std::byte* memory, std::size_t bytes) noexcept {
  if (memory != nullptr) ScratchPool::give(memory, bytes);
}

}  // namespace bowline::coll
