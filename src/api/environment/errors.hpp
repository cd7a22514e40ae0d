// SPDX-License-Identifier: BSD-3-Clause
// What calls on error handlers share.
#pragma once

#include <string>

namespace bowline::api {

/// What the user is told when the program itself has raised an error.
std::string called_text(const char* function, int code);

}  // namespace bowline::api
