// SPDX-License-Identifier: BSD-3-Clause
// Messages that a waiting receive nearly accepts: often the program has given one of the two a wrong tag, rank or
// communicator.
#pragma once

#include <string>

#include "proto/matching/match.hpp"

namespace bowline::proto {

class Engine;

/// The unreceived messages that differ from the match in the tag; if there are none, those that differ in the source;
/// then those of the same sender with the same tag on another communicator: " (not taken: 2 messages on MPI_COMM_WORLD
/// from rank 1, tag 8)". Empty if there are none. Called under the lock of the lane.
std::string near_misses(Engine& lane, const Match& match);

}  // namespace bowline::proto
