// SPDX-License-Identifier: BSD-3-Clause
// Composition: an algorithm that works in the stages of a hierarchy and leaves each of them to another algorithm. Which
// one that is, is chosen for the stage's members as it is for a team of that size, or fixed by the hierarchy; any can
// serve any stage, and no composition names one.
#pragma once

#include "base/error.hpp"
#include "coll/algorithm.hpp"
#include "coll/machine/hierarchy.hpp"
#include "coll/slots/slots.hpp"

namespace bowline::coll {

/// Carries out an operation among the members of a stage, `level` being what they share. `arguments` are as a team of
/// these members would have them, and are copied. Does nothing at a member that another one stands for. Where the stage
/// fails the channel is told, so that the members of later ones are.
Task run_stage(Channel& channel, Level level, Stage stage, Operation operation, Arguments arguments);

/// Called by a member that fails before the operation on these slots: sets the failure flags, so that members that wait
/// for its part fail with `why`.
void tell_failure(Slots& slots, Operation operation, bool is_root, const Error& why) noexcept;

/// What serves a call that cannot be composed: the operation's first algorithm.
Task run_flat(Channel& channel, Operation operation, const Arguments& arguments);

/// In how many of the first `last` stages the member stands for others in the next one.
int stands_for_units(const Hierarchy& hierarchy, int last, int member, int root) noexcept;

/// Whether the channel's members can be divided for this reduction; operators that do not commute need units of
/// consecutive ranks.
bool divisible(const Channel& channel, const Reduction& reduction) noexcept;

}  // namespace bowline::coll
