// SPDX-License-Identifier: BSD-3-Clause
// ContextId: what tells the messages of one communicator from those of all others.
#pragma once

#include <cstdint>

namespace bowline::comm {

/// The context id of a communicator, equal at all members.
struct ContextId {
  std::uint32_t index = 0;
  unsigned lane = 0;
  std::uint32_t generation = 0;  ///< later than any communicator with the index at any member
};

}  // namespace bowline::comm
