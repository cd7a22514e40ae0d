// SPDX-License-Identifier: BSD-3-Clause
// Placement: on which core a process runs that shares its cores with others.
#pragma once

#include <cstddef>

namespace bowline::node {

/// Which of `cores` cores the process with this index among those of a job on this node should run on: the sum of the
/// digits of the index, written in base `cores`. Every run of `cores` indices that begins at a multiple of it has every
/// core once, and two indices that differ in one digit only, as neighbours and halves of a job mostly do, have
/// different cores.
std::size_t preferred_core(std::size_t index, std::size_t cores) noexcept;

/// Moves the calling thread to the preferred one of the cores that it may use. It stays free to run on all of them: the
/// scheduler moves it on when the load of the cores differs. Does nothing where the system does not let it.
void move_to_preferred_core(std::size_t index) noexcept;

}  // namespace bowline::node
