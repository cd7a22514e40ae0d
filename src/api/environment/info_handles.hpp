// SPDX-License-Identifier: BSD-3-Clause
// Conversion of the user's info handles to info objects.
#pragma once

#include <mpi.h>

#include <memory>

#include "base/info.hpp"

namespace bowline::api {

/// The info object that a function gets as hints; an empty one for MPI_INFO_NULL. Throws Error (info) if the handle is
/// invalid.
std::shared_ptr<const Info> hints_of(MPI_Info handle, const char* name = "info");

/// Whether this is the handle of an info object.
bool is_info(MPI_Info handle);

/// Adds the kinds of memory that messages may use (MPI-5.0, section 11.4.3), for info objects that MPI returns. Memory
/// of accelerators is not among them.
void add_memory_kinds(Info& info);

/// Makes a handle, which the user frees with MPI_Info_free.
MPI_Info info_handle(Info info);

}  // namespace bowline::api
