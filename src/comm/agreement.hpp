// SPDX-License-Identifier: BSD-3-Clause
// Agreement: how the members of a new communicator agree on its index.
#pragma once

#include <cstdint>

#include "base/task.hpp"
#include "coll/channel/channel.hpp"
#include "comm/context_id.hpp"
#include "comm/index_space.hpp"

namespace bowline::comm {

/// Every member of the channel runs this; the index is then in use at each of them. One reduction of the free indices
/// suffices, unless a member has offered the class to another agreement or the class has no common free index: then the
/// next class is tried. `start`: the first class to try; equal at all members, and preferably different each time.
/// `lanes`: the number of lanes of this process. Throws Error (other) if no index is free at all members.
Task agree(coll::Channel& channel, IndexSpace& space, std::uint32_t start, unsigned lanes, ContextId& result);

}  // namespace bowline::comm
