// SPDX-License-Identifier: BSD-3-Clause
// Composition: an algorithm that works in the stages of a hierarchy and delegates each stage to another algorithm. That
// algorithm is chosen as for a team of the stage's members, or fixed by the hierarchy. Any algorithm can serve any
// stage, and no composition names one.
#pragma once

#include "base/error.hpp"
#include "coll/channel/algorithm.hpp"
#include "coll/machine/hierarchy.hpp"
#include "coll/slots/slots.hpp"

namespace bowline::coll {

/// Executes an operation among the members of a stage, which share a unit of `level`. `arguments` are those of a team
/// of these members, and are copied. Does nothing at a member that another member represents. If the stage fails, the
/// channel fails, so that the members of later stages learn of it.
Task run_stage(Channel& channel, Level level, Stage stage, Operation operation, Arguments arguments);

/// Called by a member that fails before the operation on these slots: sets the failure flags, so that members that wait
/// for this member's part fail with `why`.
void tell_failure(Slots& slots, Operation operation, bool is_root, const Error& why) noexcept;

/// Serves a call that cannot be composed, with the operation's first algorithm.
Task run_flat(Channel& channel, Operation operation, const Arguments& arguments);

/// The number of leading stages, at most `last`, after which the member represents its unit in the next stage.
int stands_for_units(const Hierarchy& hierarchy, int last, int member, int root) noexcept;

/// Whether the channel's members can be divided for this reduction; operators that do not commute need units of
/// consecutive ranks.
bool divisible(const Channel& channel, const Reduction& reduction) noexcept;

}  // namespace bowline::coll
