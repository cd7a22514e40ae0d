// SPDX-License-Identifier: BSD-3-Clause
// Agreement: how the members of a new communicator find the index that they will all call it by.
#pragma once

#include <cstdint>

#include "base/task.hpp"
#include "coll/channel.hpp"
#include "comm/index_space.hpp"

namespace bowline::comm {

/// What all members will call a new communicator.
struct Name {
  std::uint32_t index = 0;
  unsigned lane = 0;
  std::uint32_t generation = 0;  ///< later than that of any communicator that had the index in one of the members
};

/// Every member of the channel runs this; each then has the index in use. One combination of what all have free is
/// enough, unless a member has just offered the class of indices that is looked at to another agreement, or the class
/// is used up: then the next class is tried. `start`: which class comes first; the same in all members, and better
/// another one each time. `lanes`: how many this process has. Throws Error (other) if no index is free in all members.
Task agree(coll::Channel& channel, IndexSpace& space, std::uint32_t start, unsigned lanes, Name& result);

}  // namespace bowline::comm
