// SPDX-License-Identifier: BSD-3-Clause
// Handles of groups.
#pragma once

#include <mpi.h>

#include "comm/group.hpp"

namespace bowline::api {

/// nullptr if the handle is null, unknown or freed.
const comm::Group* find_group(MPI_Group handle) noexcept;
/// Makes a handle, which the user frees with MPI_Group_free. The handle of an empty group is MPI_GROUP_EMPTY.
MPI_Group group_handle(comm::Group group);

}  // namespace bowline::api
