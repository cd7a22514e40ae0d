// SPDX-License-Identifier: BSD-3-Clause
// Addresses of members' buffers, in notes and slots, for algorithms that read them where they are.
#pragma once

#include <cstddef>
#include <cstring>

#include "coll/slots.hpp"

namespace bowline::coll {

/// A member's slot as a table of addresses in its process, one for each member.
inline void put_address(Slots& slots, int owner, int member, const std::byte* address) noexcept {
  std::memcpy(slots.slot(owner) + static_cast<std::size_t>(member) * sizeof address, &address, sizeof address);
}
inline const std::byte* get_address(const Slots& slots, int owner, int member) noexcept {
  const std::byte* address = nullptr;
  std::memcpy(&address, slots.slot(owner) + static_cast<std::size_t>(member) * sizeof address, sizeof address);
  return address;
}

}  // namespace bowline::coll
