// SPDX-License-Identifier: BSD-3-Clause
// What tools find in MPI_T, for bowline-info.
#pragma once

#include <string_view>

namespace bowline::launcher {

/// Prints the control variables, performance variables and events of each category, from their declarations. `form`:
/// text, or markdown for docs/variables.md.
void print_variables(std::string_view form);

}  // namespace bowline::launcher
