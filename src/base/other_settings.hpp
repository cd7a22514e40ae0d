// SPDX-License-Identifier: BSD-3-Clause
// Environment variables that set something in other MPI libraries, and nothing here.
#pragma once

#include <string>
#include <vector>

namespace bowline {

/// The names, sorted, of those in `environment` ("NAME=VALUE" entries, ended by a null pointer).
std::vector<std::string> settings_of_other_libraries(const char* const* environment);

/// Names them in one line at log level info; says nothing if there are none.
void tell_of_other_settings();

}  // namespace bowline
