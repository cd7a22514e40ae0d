// SPDX-License-Identifier: BSD-3-Clause
// Checks of the user's session handles.
#pragma once

#include <mpi.h>

namespace bowline::api {

/// Whether this is the handle of a session that has not been finalized.
bool is_session(MPI_Session handle);

}  // namespace bowline::api
