// SPDX-License-Identifier: BSD-3-Clause
// For the functions that call error handlers.
#pragma once

#include <string>

#include "comm/errhandler.hpp"

namespace bowline::api {

/// The error handler of MPI_FILE_NULL, which files get when they are opened, and which is called for errors of calls
/// without a valid file (MPI-5.0, section 14.7). The initial handler is MPI_ERRORS_RETURN.
comm::AttachedHandler& default_file_handler();

/// The error message if the program itself raises an error.
std::string called_text(const char* function, int code);

}  // namespace bowline::api
