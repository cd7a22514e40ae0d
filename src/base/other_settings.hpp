// SPDX-License-Identifier: BSD-3-Clause
// Environment variables of other MPI libraries, which have no effect here.
#pragma once

#include <string>
#include <vector>

namespace bowline {

/// The sorted names of other MPI libraries' variables in `environment` ("NAME=VALUE" entries, ended by a null pointer).
std::vector<std::string> settings_of_other_libraries(const char* const* environment);

/// Logs the names of other MPI libraries' variables in one line at level info; logs nothing if there are none.
void tell_of_other_settings();

}  // namespace bowline
