// SPDX-License-Identifier: BSD-3-Clause
// What tools find in MPI_T, for bowline-info.
#pragma once

#include <string_view>

namespace bowline::launcher {

/// Prints the control variables, performance variables and events of each category, from their declarations. `form`:
/// text, markdown for docs/variables.md, or json, which also has the variables that are no control variables.
void print_variables(std::string_view form);

}  // namespace bowline::launcher
