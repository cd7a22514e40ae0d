// SPDX-License-Identifier: BSD-3-Clause
// CallHistory: the collectives that a member of a team has called so far. Members that have called the same ones in the
// same order have equal histories.
#pragma once

#include <cstdint>
#include <string>

#include "coll/channel/call_id.hpp"

namespace bowline::coll {

struct CallHistory {
  std::uint32_t calls = 0;
  std::uint32_t digest = 0;  ///< of all calls
  CallId last = {};

  /// Of the number of the calls and the digest; not 0.
  constexpr std::uint64_t value() const noexcept { return (std::uint64_t{calls} << 32 | digest) + 1; }
  /// What a message can carry of the value; not 0.
  constexpr std::uint16_t mark() const noexcept {
    return static_cast<std::uint16_t>(1 + (value() * 0x9e3779b97f4a7c15U >> 48) % 0xffff);
  }
};

/// "5 collectives, the last one MPI_Bcast with root 1".
std::string in_words(const CallHistory& history);

}  // namespace bowline::coll
