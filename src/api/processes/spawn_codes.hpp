// SPDX-License-Identifier: BSD-3-Clause
// The error code of a process that MPI_Comm_spawn has not started.
#pragma once

namespace bowline::api {

/// MPI_ERR_SPAWN; a library of another ABI sets the number of that ABI while it is loaded, before MPI is used.
extern int spawn_failure_code;

}  // namespace bowline::api
