// SPDX-License-Identifier: BSD-3-Clause
// Collective operations on intercommunicators (MPI-5.0, section 6.2.3), composed from those within each group and from
// transfers between members of the two.
#pragma once

#include "coll/channel/algorithm.hpp"
#include "coll/team/team.hpp"

namespace bowline::coll {

/// The operation as a task over a channel of all members of both groups. `local` is this member's group; `local_first`
/// says whether the members of that group come first in the channel.
///
/// Arguments are as within one group, with these differences: blocks are those of the other group's members, data come
/// from the other group, and the root is a position in the channel. At the other members of the root's group `root` is
/// negative; these members have nothing to do. `arguments` and the channel must outlive the task. Scan and exscan do
/// not exist here.
Task begin_inter(Team& local, bool local_first, Channel& channel, Operation operation, const Arguments& arguments);

}  // namespace bowline::coll
