// SPDX-License-Identifier: BSD-3-Clause
// For the functions that call error handlers.
#pragma once

#include <string>

namespace bowline::api {

/// The error message if the program itself raises an error.
std::string called_text(const char* function, int code);

}  // namespace bowline::api
