// SPDX-License-Identifier: BSD-3-Clause
// What tools find in MPI_T, for bowline-info.
#pragma once

namespace bowline::launcher {

/// Prints the control variables and the performance variables of each category, from their declarations.
void print_variables();

}  // namespace bowline::launcher
