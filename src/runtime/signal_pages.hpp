// SPDX-License-Identifier: BSD-3-Clause
// Which signals have a rank write its stack.
#pragma once

#include <string_view>

#include "wireup/wireup.hpp"

namespace bowline::runtime {

/// A rank that crashes tells where. A rank that mpiexec does not look after also answers signals: SIGUSR1, and under
/// Slurm SIGTERM, by which scancel and a time limit end it. Call once, after ShownWait::join_board().
void show_stacks_on_signals(const wireup::Identity& identity, std::string_view host);

}  // namespace bowline::runtime
