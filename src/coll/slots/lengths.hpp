// SPDX-License-Identifier: BSD-3-Clause
// Lengths: members that share memory publish the lengths of their data, so members that disagree get MPI_ERR_TRUNCATE
// instead of waiting for each other forever.
#pragma once

#include <cstddef>

#include "coll/channel/algorithm.hpp"
#include "coll/slots/slots.hpp"

namespace bowline::coll {

/// To be called before an algorithm with `shared` set runs. A member compares its length with those of the members for
/// whose flags it waits, so not every member notices a difference. Only operations in which all members must give the
/// same length need this; in the others the receiver of a block learns its length from the sender.
void tell_lengths(Slots& slots, Operation operation, const Arguments& arguments) noexcept;

/// Throws Error (truncate): the member sends a block whose length differs from the room here. If the lengths are equal,
/// the members must have run different algorithms, because they disagree about the lengths of other blocks.
[[noreturn]] void refuse_length(int member, std::size_t sent, std::size_t room);

}  // namespace bowline::coll
