// SPDX-License-Identifier: BSD-3-Clause
// Placement: the core that a process prefers if ranks share cores.
#pragma once

#include <cstddef>

namespace bowline::node {

/// The core, of `cores` cores, for the process with this index among a job's processes on this node: the sum of the
/// digits of the index in base `cores`, modulo `cores`. Every run of `cores` indices that starts at a multiple of
/// `cores` has every core once. Two indices that differ in one digit only, such as most neighbours and partners in
/// halving a job, have different cores.
std::size_t preferred_core(std::size_t index, std::size_t cores) noexcept;

/// Moves the calling thread to its preferred core among those that it may use. The thread may still run on all of them:
/// the scheduler moves it if the load of the cores differs. Does nothing if the system forbids it.
void move_to_preferred_core(std::size_t index) noexcept;

}  // namespace bowline::node
