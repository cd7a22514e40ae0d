// SPDX-License-Identifier: BSD-3-Clause
// Handles of error handlers.
#pragma once

#include <mpi.h>

#include "comm/errhandler.hpp"

namespace bowline::api {

/// nullptr if the handle is null, unknown or freed.
comm::ErrorHandler* find_errhandler(MPI_Errhandler handle) noexcept;
/// Makes a handle, which the user frees with MPI_Errhandler_free.
MPI_Errhandler errhandler_handle(comm::ErrorHandler& handler);

}  // namespace bowline::api
