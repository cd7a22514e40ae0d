// SPDX-License-Identifier: BSD-3-Clause
// From the user's info handles to info objects.
#pragma once

#include <mpi.h>

#include <memory>

#include "base/info.hpp"

namespace bowline::api {

/// The info object that a function is given as hints; an empty one for MPI_INFO_NULL. Throws Error (info) if the handle
/// is none.
std::shared_ptr<const Info> hints_of(MPI_Info handle, const char* name = "info");

/// Whether it is the handle of an info object.
bool is_info(MPI_Info handle);

/// What MPI tells of itself in info objects that it hands out, besides the hints of an object: the kinds of memory that
/// messages can be in (MPI-5.0, section 11.4.3). Memory of accelerators is none of them.
void add_memory_kinds(Info& info);

/// The user gives it back with MPI_Info_free.
MPI_Info info_handle(Info info);

}  // namespace bowline::api
