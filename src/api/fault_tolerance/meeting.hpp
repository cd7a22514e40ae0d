// SPDX-License-Identifier: BSD-3-Clause
// A meeting of those members of a communicator that live.
#pragma once

#include "comm/communicator.hpp"

namespace bowline::api {

/// Whether the program may go on although members of this communicator are lost. All members get the same answer.
bool may_lose_members(const comm::Communicator& comm);
/// Returns when all living members have called this, whatever members are lost meanwhile: a barrier would fail at some
/// members and succeed at others. The caller holds no lane's lock.
void meet_living(comm::Communicator& comm);

}  // namespace bowline::api
