// SPDX-License-Identifier: BSD-3-Clause
// Lengths: what members that share memory tell each other of how much they bring to an operation, so that members that
// disagree get MPI_ERR_TRUNCATE and do not wait for each other for ever.
#pragma once

#include <cstddef>

#include "coll/algorithm.hpp"
#include "coll/slots/slots.hpp"

namespace bowline::coll {

/// Before an algorithm that is marked as `shared` runs. A member compares with those whose flags it waits for: not all
/// members find out. For the operations in which all members must bring the same; in the others who takes a block
/// learns its length from whoever gives it.
void tell_lengths(Slots& slots, Operation operation, const Arguments& arguments) noexcept;

/// Throws Error (truncate): the member has another length for this one than it has room for.
[[noreturn]] void refuse_length(int member, std::size_t sent, std::size_t room);

}  // namespace bowline::coll
