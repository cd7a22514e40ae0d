// SPDX-License-Identifier: BSD-3-Clause
// The common part of the pipelines along trees.
#pragma once

#include "base/task.hpp"
#include "coll/algorithms/tree.hpp"
#include "coll/channel/arguments.hpp"
#include "coll/channel/channel.hpp"

namespace bowline::coll {

/// The data go down the tree in segments: while one segment is forwarded, the next segments arrive.
Task bcast_pipelined(Channel& channel, const Arguments& arguments, TreePlace place);

/// Operands go up the tree in segments: while one segment is combined, the next segment arrives and the previous
/// segments leave. The order of operands is lower subtree, own operand, higher subtree. Keeps a few segments of each
/// child in memory.
Task reduce_pipelined(Channel& channel, const Arguments& arguments, TreePlace place);

}  // namespace bowline::coll
